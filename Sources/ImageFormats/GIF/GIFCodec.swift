public import Raster

/// Reads and writes GIF (CompuServe, 87a and 89a), still and animated.
public struct GIFCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// GIF.
    public var format: ImageFormat { .gif }
    /// What it can do. Lossless it is only up to 256 colours, and there is no quality to trade for bytes.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha]
    }

    /// Whether the bytes begin with GIF's signature; animated where they show a second frame or how often it is played.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let match = probe.match(.gif)
        guard match == .match(.gif) else { return match }
        var reader = GIFReader(keeping: .firstFrame, limits: .standard)
        // Most say that they are animated before their first frame.
        reader.append(probe.prefix.extracting(first: min(probe.prefix.byteCount, 1 << 16)))
        return .match(.gif, reader.frameCount > 1 || reader.loopCount != nil ? .animated : [])
    }

    /// A session for the first frame, on its canvas.
    /// - Throws: `unsupported` where the options ask for another frame: those are read as an animation.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        guard (options.imageIndex ?? 0) == 0 else {
            throw ImageError(.unsupported, "frames of a GIF file but the first are read as an animation")
        }
        return GIFDecoder(options: options)
    }

    /// A session for all frames.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        GIFAnimationDecoder(options: options)
    }
}

extension GIFCodec {
    /// Eight bits in sRGB, alpha straight: a palette has no other colours, and a profile has no place that readers
    /// know.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// An encoder that keeps all rows until it knows their colours.
    ///
    /// Exact where there are no more colours than the options allow, transparency included; pixels are transparent
    /// below an alpha of 128.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        let frames = try makeSequenceEncoder(info, count: 1, options: options, output: output)
        return try CollectingSink(info) { (picture) throws(ImageError) in
            try frames.write(picture, duration: 0)
            try frames.finish()
        }
    }

    /// An encoder that keeps two frames and writes of each what changed.
    ///
    /// The first frame's colours are the file's; another one has its own where those don't do.
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
            throw ImageError(.limitExceeded, "a GIF picture can't be \(info.size)")
        }
    }
}

// Measured: decoding 5 to 9 ns a pixel; encoding 75 to 140 ns and 9 bytes a pixel (pixels, which of them are drawn,
// indices, the file), a second frame's pixels and the canvas beside that.
extension GIFCodec {
    /// A few rows; an interlaced image's indices.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 1, secondsPerMegapixel: 0.01)
    }

    /// Pixels, indices and the file.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(of: info.size, bytesPerPixel: 16, secondsPerMegapixel: 0.12, baseByteCount: 8 << 20)
    }
}
