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
        [.decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha, .lossless, .lossy]
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
#endif
