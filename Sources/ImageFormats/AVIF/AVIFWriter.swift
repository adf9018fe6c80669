#if AVIF
internal import CTesseraAVIF
internal import Raster

/// An AVIF file that is being made of one picture or several.
final class AVIFWriter {
    /// The shim's encoder. This object owns it, and nothing else has the pointer.
    private let handle: OpaquePointer
    private let info: BitmapInfo

    /// Units of duration in a second: divisible by what videos and GIFs count in.
    private static let timescale = 90_000

    /// - Throws: `invalidParameter` for pictures that AVIF can't take; `unsupported` without an encoder for AV1.
    init(_ info: BitmapInfo, options: EncodingOptions, isAnimated: Bool) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, !info.size.isEmpty, (0...10).contains(options.avif.speed) else {
            throw ImageError(.invalidParameter, "an AVIF takes straight alpha and a speed from 0 to 10")
        }
        guard max(info.size.width, info.size.height) <= 65536 else {
            throw ImageError(.unsupported, "an AVIF of \(info.size) pixels; AV1 has at most 65536 on a side")
        }
        guard tessera_avif_can_encode() else {
            throw ImageError(.unsupported, "this libavif was built without an encoder for AV1")
        }
        var icc: [UInt8]?
        if case .icc(let profile) = info.profile, !profile.isEmpty { icc = profile }
        var encoding = tessera_avif_encoding()
        encoding.width = UInt32(info.size.width)
        encoding.height = UInt32(info.size.height)
        encoding.format = info.format.shimNumber
        encoding.has_alpha = info.alpha.hasAlpha
        encoding.quantizer = Self.quantizer(quality: options.quality)
        encoding.lossless = options.isLossless
        // libaom's fastest ways for several frames aim at a bit rate instead of a quality.
        encoding.speed = UInt8(isAnimated ? min(6, options.avif.speed) : options.avif.speed)
        encoding.animated = isAnimated
        encoding.timescale = UInt32(Self.timescale)
        encoding.orientation = options.metadata.orientation.rawValue
        // sRGB's codes (ISO/IEC 23091-2), or none beside a profile.
        (encoding.primaries, encoding.transfer) = icc == nil ? (1, 13) : (2, 2)
        guard let handle = tessera_avif_encoder_create(&encoding) else {
            throw ImageError(.outOfMemory, "no memory for an AVIF encoder")
        }
        self.handle = handle
        self.info = info
        let blocks: [(Int, [UInt8]?)] = [
            (TESSERA_AVIF_ICC, icc), (TESSERA_AVIF_EXIF, options.metadata.exifForHEIF),
            (TESSERA_AVIF_XMP, options.metadata.xmp),
        ]
        for (kind, block) in blocks {
            guard let block, !block.isEmpty else { continue }
            // The shim copies the bytes.
            try check(tessera_avif_encoder_set_block(handle, UInt8(kind), block, block.count))
        }
    }

    deinit { tessera_avif_encoder_destroy(handle) }

    /// AV1's quantizer, 0 (best) to 63, for a quality of 0…1, as avifenc 1.0 and Pillow have it: with q from 0 to 100,
    /// ((100 - q) × 63 + 50) / 100.
    static func quantizer(quality: Double) -> UInt8 {
        UInt8(((100 - Int((quality * 100).rounded())) * 63 + 50) / 100)
    }

    /// Compresses a picture of the size and kind that was announced.
    /// - Parameter duration: In seconds.
    func add(_ bitmap: Bitmap, duration: Double) throws(ImageError) {
        // libavif and libaom compress a picture in one call that nothing stops.
        try Interruption.check()
        guard bitmap.size == info.size, bitmap.format == info.format, bitmap.alpha == info.alpha else {
            throw ImageError(.invalidParameter, "a picture that doesn't fit the AVIF being written")
        }
        let units = duration * Double(Self.timescale)
        let wholeUnits = units.isFinite ? UInt64(min(1e12, max(1, units.rounded()))) : 1
        let (stride, handle) = (bitmap.bytesPerRow, handle)
        try check(
            bitmap.rows.withUnsafeBase { base in
                // As many rows as the shim was told, `stride` bytes apart, belong to the bitmap.
                tessera_avif_encoder_add(handle, base.assumingMemoryBound(to: UInt8.self), stride, wholeUnits)
            })
    }

    /// Writes the file.
    func finish(to output: any ByteSink) throws(ImageError) {
        try check(tessera_avif_encoder_finish(handle))
        var count = 0
        guard let bytes = tessera_avif_encoder_output(handle, &count), count > 0 else {
            throw ImageError(.outOfMemory, "libavif wrote nothing")
        }
        // The shim keeps the bytes for as long as the handle lives.
        try output.write(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    }

    private func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        // The message lives as long as the handle, and is copied here.
        let message = String(cString: tessera_avif_encoder_message(handle))
        throw ImageError(shim: status, "the AVIF can't be written: \(message)")
    }
}

/// Writes the frames of an animation.
final class AVIFSequenceEncoder: FrameSink {
    private let writer: AVIFWriter
    private let output: any ByteSink
    private var remaining: RemainingFrames

    init(_ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        remaining = try RemainingFrames(count, in: .avif)
        writer = try AVIFWriter(info, options: options, isAnimated: true)
        self.output = output
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        try remaining.take(frame)
        try writer.add(frame, duration: duration)
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try writer.finish(to: output)
    }
}
#endif
