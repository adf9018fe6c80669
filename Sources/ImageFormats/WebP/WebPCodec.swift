#if WebP
public import Raster

/// Reads and writes WebP (RFC 9649) with libwebp: lossy and lossless, with alpha, still and animated.
public struct WebPCodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The WebP format.
    public var format: ImageFormat { .webP }
    /// Decodes and encodes still and animated images, lossy and lossless, with alpha.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha, .lossless, .lossy, .orientation]
    }

    /// Matches a RIFF container of type WEBP; an animation if the VP8X chunk, which comes first, has that flag.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let prefix = probe.prefix
        let head = (0..<min(prefix.byteCount, 21)).map { prefix.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        // Bytes 4 to 7 are the length and may have any value.
        let signature = Array("RIFF".utf8) + Array(head.dropFirst(4).prefix(4)) + Array("WEBP".utf8)
        guard head.elementsEqual(signature.prefix(head.count)) || head.starts(with: signature), !head.isEmpty else {
            return .unknown
        }
        let isComplete = probe.isWhole
        guard head.count >= 16 else { return isComplete ? .unknown : .needMoreData(minimum: 21) }
        guard head[12..<16].elementsEqual(WebPChunkType.extended.rawValue.utf8) else { return .match(.webP) }
        guard head.count == 21 else { return isComplete ? .match(.webP) : .needMoreData(minimum: 21) }
        let features = WebPExtendedHeader.Features(rawValue: head[20])
        return .match(.webP, features.contains(.animation) ? .animated : [])
    }

    /// Makes a session for a WebP file; an animation's first frame is drawn on its canvas.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try WebPDecoder(options: options, isWholeAtHand: probe.totalByteCount != nil)
    }

    /// Makes a session for the frames of an animated WebP file.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        WebPAnimationDecoder(options: options)
    }
}

extension WebPCodec {
    /// Eight bits per channel with straight alpha or none; grey becomes RGB. An ICC profile is kept; any other colour
    /// space becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info.straight
        encodable.format = .rgba8
        return encodable
    }

    /// Makes a sink that buffers the rows, lossy ones with subsampled chroma, and compresses them at the end.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try Self.check(info, options)
        let pixels = try WebPPixelEncoder(info, options: options)
        let container = WebPContainerWriter(info, options: options)
        return CountedRowSink(RemainingRows(info, in: .webP)) { (rows) throws(ImageError) in
            try pixels.write(rows)
        } end: { () throws(ImageError) in
            try container.write(pixels.finish(), to: output)
        }
    }

    /// Makes a sink for the frames of an animation, which is written when the last frame has arrived.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try WebPAnimationEncoder(info, count: count, options: options, output: output)
    }

    /// Checks that WebP can store pixels of `info`, and the options' ranges.
    static func check(_ info: BitmapInfo, _ options: EncodingOptions) throws(ImageError) {
        try options.validate()
        guard info.format == .rgba8, info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a WebP takes rgba pixels of 8 bits, with straight alpha or none")
        }
        guard max(info.size.width, info.size.height) <= maximumSideLength else {
            throw ImageError(
                .unsupported,
                "a WebP image has at most \(maximumSideLength) pixels on a side, and this one is \(info.size)")
        }
    }

    /// The largest value in 14 bits (RFC 6386, 9.1).
    static let maximumSideLength = 16383
}

// Measured with libwebp 1.2.4, per pixel: decoding 8 to 10 ns; lossy encoding (method 4) 70 to 230 ns and 2 bytes
// (4:2:0 and tokens), 6 bytes at quality 1; lossless encoding 0.5 to 1 µs and 20 bytes.
extension WebPCodec {
    /// The memory of a few rows, or of all pixels of a lossless image.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 5, secondsPerMegapixel: 0.02)
    }

    /// The memory of libwebp's copy of the image, and of the file.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        guard !options.isLossless else {
            return CodingCost(
                of: info.size, bytesPerPixel: 24, secondsPerMegapixel: 1.2, baseByteCount: 8 << 20,
                endsWhenCancelled: false)
        }
        return CodingCost(
            of: info.size, bytesPerPixel: options.quality > 0.9 ? 8 : 4,
            secondsPerMegapixel: options.webP.method > 4 ? 0.4 : 0.15,
            baseByteCount: 8 << 20)
    }
}
#endif
