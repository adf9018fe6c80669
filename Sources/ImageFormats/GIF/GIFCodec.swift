public import Raster

/// Reads and writes GIF (CompuServe, 87a and 89a), still and animated.
public struct GIFCodec: ImageCodec {
    /// A codec for GIF files.
    public init() {}

    /// The GIF format.
    public var format: ImageFormat { .gif }
    /// The codec's capabilities. Neither lossless, since a palette has at most 256 colours, nor lossy, since quality
    /// has no effect.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha]
    }

    /// Whether the bytes begin with GIF's signature. Animated if they contain a second frame or a loop count.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let match = probe.match(.gif)
        guard match == .match(.gif) else { return match }
        var reader = GIFReader(keeping: .firstFrame, limits: .standard)
        // Most animations have a loop count before their first frame.
        reader.append(probe.prefix.extracting(first: min(probe.prefix.byteCount, 1 << 16)))
        return .match(.gif, reader.frameCount > 1 || reader.loopCount != nil ? .animated : [])
    }

    /// A decoder for the first frame, on its canvas.
    /// - Throws: `unsupported` if the options select another frame; decode those as an animation.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        guard (options.imageIndex ?? 0) == 0 else {
            throw ImageError(.unsupported, "frames of a GIF file but the first are read as an animation")
        }
        return GIFDecoder(options: options)
    }

    /// A decoder for all frames.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        GIFAnimationDecoder(options: options)
    }
}

extension GIFCodec {
    /// 8 bits per channel in sRGB, with straight alpha if any. GIF has no widely supported way to embed a profile.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// An encoder that collects all rows to determine their colours.
    ///
    /// Exact if the colours, including transparency, don't exceed the options' maximum. Pixels with an alpha below 128
    /// become transparent.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        let frames = try makeSequenceEncoder(info, count: 1, options: options, output: output)
        return try CollectingSink(info) { (picture) throws(ImageError) in
            try frames.write(picture, duration: 0)
            try frames.finish()
        }
    }

    /// An encoder that holds two frames and writes only the changes from one to the next.
    ///
    /// The first frame's palette is global; a later frame has a local palette if its colours aren't in the global one.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try Self.check(info, options)
        return try GIFSequenceEncoder(info, count: count, options: options, output: output)
    }

    private static func check(_ info: BitmapInfo, _ options: EncodingOptions) throws(ImageError) {
        try options.validate()
        guard info.format == .rgba8, info.alpha != .premultiplied, info.profile == .sRGB else {
            throw ImageError(.invalidParameter, "a GIF file is written from sRGB of eight bits, alpha straight")
        }
        guard !info.size.isEmpty, info.size.width <= 65535, info.size.height <= 65535 else {
            throw ImageError(.limitExceeded, "invalid size \(info.size) of a GIF image: sides are 1 to 65535 pixels")
        }
    }
}

// Measured: decoding takes 5 to 9 ns a pixel; encoding takes 75 to 140 ns and 9 bytes a pixel (pixels, which of them
// are drawn, indices, the file), and for animations a second frame's pixels and the canvas.
extension GIFCodec {
    /// The cost of a few rows, or of an interlaced image's indices.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 1, secondsPerMegapixel: 0.01)
    }

    /// The cost of the pixels, the indices and the file.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(of: info.size, bytesPerPixel: 16, secondsPerMegapixel: 0.12, baseByteCount: 8 << 20)
    }
}
