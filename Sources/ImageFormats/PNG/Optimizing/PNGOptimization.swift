internal import Raster

/// Makes a PNG smaller without changing its pixels.
package enum PNGOptimization {
    /// Returns `file` with the same pixels in fewer bytes; nil if none are saved.
    ///
    /// Stores the pixels with a palette, in grey, without alpha or with fewer bits if that holds them exactly, filters
    /// them in several ways, and compresses the most promising with libdeflate at its strongest, two at a time. An
    /// interlaced image isn't afterwards. Takes about a second for each megapixel and processor. An animation's frames keep
    /// their form, and only their filters and compression change.
    /// - Parameter keeping: The metadata to keep: `.all` keeps every chunk but those that depend on the stored form
    ///   (sBIT, bKGD, hIST), where it changes, and unknown ones that mustn't be copied with other image data (ISO/IEC
    ///   15948, 14.2). The others keep the orientation and, with `.profile`, the colour space.
    /// - Throws: `corrupt` or `truncated` for damaged files; `unsupported` for an interlaced animation; `limitExceeded`.
    package static func smaller(
        _ file: [UInt8], keeping: MetadataPolicy = .all, limits: DecodingLimits = .standard
    ) throws(ImageError) -> [UInt8]? {
        let list = try PNGChunkList(file)
        let options = DecodingOptions(
            color: .asStored, maximumBitsPerChannel: 16, appliesOrientation: false, limits: limits)
        let registry = CodecRegistry([PNGCodec()])
        if let control = PNGAnimationRewriting.control(in: list) {
            let header = try ImageSource.header(of: file, options: options, registry: registry)
            let result = try PNGAnimationRewriting(
                list: list, control: control, keeping: keeping, orientation: header.metadata.orientation, limits: limits
            ).written()
            return result.count < file.count ? result : nil
        }
        let decoded = try ImageSource.decode(file, options: options, registry: registry)
        if let error = decoded.error { throw error }
        let bitmap =
            decoded.bitmap.alpha == .premultiplied ? try decoded.bitmap.converted(alpha: .straight) : decoded.bitmap
        guard let headerChunk = list.chunks.first else { return nil }
        let stored = try PNGHeader(list.data(headerChunk), offset: headerChunk.data.lowerBound)

        var best: (form: PNGStoredForm, stream: [UInt8])?
        for form in PNGStoredForm.candidates(for: bitmap) {
            let stream = try PNGStreamSearch(form, of: bitmap, limits: limits).smallest(
                below: best.map { $0.stream.count + $0.form.paletteByteCount - form.paletteByteCount })
            if let stream { best = (form, stream) }
        }
        guard let best else { return nil }
        let isSameForm =
            best.form.header.colorType == stored.colorType && best.form.header.bitDepth == stored.bitDepth
            && stored.colorType != .indexed
        let sink = ByteBuffer()
        try PNGRewriting(list: list, form: best.form, keepsFormChunks: isSameForm, keeping: keeping)
            .write(best.stream, orientation: decoded.header.metadata.orientation, to: sink)
        return sink.bytes.count < file.count ? sink.bytes : nil
    }
}
