public import Raster

/// Reads and writes GIF (CompuServe, 87a and 89a), still and animated.
public struct GIFCodec: ImageCodec {
    /// The codec.
    public init() {}

    static let signatures = [Array("GIF87a".utf8), Array("GIF89a".utf8)]

    /// GIF.
    public var format: ImageFormat { .gif }
    /// What it can do. Lossless it is only up to 256 colours, and there is no quality to trade for bytes.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha]
    }

    /// Whether the bytes begin with GIF's signature; animated where they show a second frame or how often it is played.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let matches = Self.signatures.map { probe.starts(with: $0) }
        guard matches.contains(true) else { return matches.contains(nil) ? .needMoreData(minimum: 6) : .unknown }
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
