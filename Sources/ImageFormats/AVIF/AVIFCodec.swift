#if AVIF
internal import CTesseraAVIF
public import Raster

/// Reads and writes AVIF (AV1 Image File Format 1.1) with libavif: stills, grids and animations of 8, 10 and 12 bits.
///
/// The library is loaded when a file is first read or written, or `capabilities` is first used.
public struct AVIFCodec: ImageCodec {
    /// Creates a codec without loading libavif.
    public init() {}

    /// Always `avif`.
    public var format: ImageFormat { .avif }

    /// Decoding, and encoding if libavif was built with an AV1 encoder.
    ///
    /// Decoding is included even if libavif isn't installed, so that the error names the missing package.
    public var capabilities: ImageCapabilities {
        var capabilities: ImageCapabilities = [.decode, .decodeAnimation, .alpha, .deepColor]
        if tessera_avif_can_encode() {
            capabilities.formUnion([.encode, .encodeAnimation, .lossy, .lossless, .orientation, .highDynamicRange])
        }
        return capabilities
    }

    /// True.
    public var canDecode: Bool { true }

    /// True.
    public var mayEncode: Bool { true }

    /// Checks the brands in the file type box.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        FileTypeBox.match(probe, .avif) { $0.isAVIFSequence }
    }

    /// Creates a decoder that starts once all bytes have arrived.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try Self.load()
        return WholeInputDecoder(.avif, limits: options.limits) { (bytes) throws(ImageError) in
            let bytes = try ISOItemFile.expanded(bytes)
            return try StandardAlternatePicture.picture(in: bytes, of: AVIFCodec(), options: options) {
                options throws(ImageError) in
                try AVIFFile.picture(in: bytes, options: options)
            }
        }
    }

    /// Creates a decoder for animations that decodes each frame as soon as its bytes have arrived.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        try Self.load()
        var isMinimized = false
        if case .found(let box) = FileTypeBox.read(probe) { isMinimized = box.isMinimized }
        return try AVIFAnimationDecoder(options: options, isMinimized: isMinimized)
    }

    /// Grey, RGB or RGBA, of 8 bits or of 16, which are written as 10 bits, lossless as 12. Keeps an ICC profile.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        info.straight
    }

    /// Creates a sink that buffers all rows and compresses them at the end.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try CollectingSink(info) { (bitmap) throws(ImageError) in
            try encode(bitmap, options: options, output: output)
        }
    }

    /// Compresses a complete image.
    public func encode(_ bitmap: Bitmap, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try Self.load()
        let writer = try AVIFWriter(bitmap.info, options: options, isAnimated: false)
        try writer.add(bitmap, duration: 1)
        try writer.finish(to: output)
    }

    /// Creates a sink for the frames of an animation.
    ///
    /// libavif 0.11 can't write a loop count, and readers play such a file endlessly.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try Self.load()
        let remaining = try RemainingFrames(count, in: .avif)
        let writer = try AVIFWriter(info, options: options, isAnimated: true)
        return CountedFrameSink(remaining) { (frame, duration, _) throws(ImageError) in
            try writer.add(frame, duration: duration)
        } end: { () throws(ImageError) in
            try writer.finish(to: output)
        }
    }

    /// - Throws: `unsupported` if libavif isn't installed.
    private static func load() throws(ImageError) {
        guard tessera_avif_load() else {
            let package = String(cString: tessera_avif_package())
            throw ImageError(.unsupported, "AVIF needs libavif, which isn't installed (Debian's package: \(package))")
        }
    }
}

// Measured with libavif 0.11 and libaom 3.6, one thread: decoding takes 12 to 22 ns and 6 to 8 bytes a pixel; encoding
// at speed 9, 52 to 70 ns and 18 bytes a pixel, at quality 1, 150 ns. libaom's call for an image can't be interrupted.
extension AVIFCodec {
    /// Two sets of the image's planes.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        .inOneCall(
            header.storedSize, bytesPerPixel: header.bitsPerChannel > 8 ? 16 : 8, secondsPerMegapixel: 0.03,
            baseByteCount: 16 << 20)
    }

    /// libaom's planes, reference frames and statistics.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        let isDeep = info.format.bitsPerChannel > 8
        let seconds = Self.secondsPerMegapixel[max(0, min(10, options.avif.speed))]
        return .inOneCall(
            info.size, bytesPerPixel: (options.isLossless ? 40 : 20) * (isDeep ? 2 : 1),
            secondsPerMegapixel: seconds * (options.isLossless ? 3 : 1) * (isDeep ? 2 : 1), baseByteCount: 24 << 20)
    }

    /// Indexed by speed, 0 to 10.
    private static let secondsPerMegapixel = [60, 20, 8, 4, 2, 1.2, 0.7, 0.4, 0.25, 0.15, 0.15]
}
#endif
