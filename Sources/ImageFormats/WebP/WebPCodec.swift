#if WebP
public import Raster

/// Reads and writes WebP (RFC 9649), by libwebp: lossy and lossless, with alpha, still and animated.
public struct WebPCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// WebP.
    public var format: ImageFormat { .webP }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha, .lossless, .lossy, .orientation]
    }

    /// Whether the bytes begin as a RIFF container of WebP; animated where its first chunk says so.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let prefix = probe.prefix
        let head = (0..<min(prefix.byteCount, 21)).map { prefix.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        // The length in bytes 4 to 7 may be any.
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

    /// A session for a WebP file; of an animation it reads the first frame on its canvas.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try WebPDecoder(options: options, isWholeAtHand: probe.totalByteCount != nil)
    }

    /// A session for the frames of an animated WebP file.
    public func makeAnimationDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any AnimationDecoder {
        WebPAnimationDecoder(options: options)
    }
}

extension WebPCodec {
    /// Eight bits of red, green and blue, with straight alpha or none. An ICC profile is carried, any other colour space
    /// becomes sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        var encodable = info.straight
        encodable.format = .rgba8
        return encodable
    }

    /// A sink that keeps the rows, lossy ones with half of their chroma, and compresses them when all are there.
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

    /// A sink for the frames of an animation, which is written when all are there.
    public func makeSequenceEncoder(
        _ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any FrameSink {
        try WebPAnimationEncoder(info, count: count, options: options, output: output)
    }

    /// Checks what is to be written.
    static func check(_ info: BitmapInfo, _ options: EncodingOptions) throws(ImageError) {
        try options.validate()
        guard info.format == .rgba8, info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a WebP takes rgba pixels of 8 bits, with straight alpha or none")
        }
        guard max(info.size.width, info.size.height) <= maximumSideLength else {
            throw ImageError(
                .unsupported,
                "a WebP picture has at most \(maximumSideLength) pixels on a side, and this one is \(info.size)")
        }
    }

    /// What 14 bits hold (RFC 6386, 9.1).
    static let maximumSideLength = 16383
}

// Measured with libwebp 1.2.4: decoding 8 to 10 ns a pixel; encoding with loss (method 4) 70 to 230 ns and 2 bytes a pixel
// (4:2:0 and tokens), 6 at quality 1; without loss 0.5 to 1 µs and 20 bytes.
extension WebPCodec {
    /// A few rows, or all pixels of a lossless image.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 5, secondsPerMegapixel: 0.02)
    }

    /// What libwebp keeps of the picture, and the file.
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
