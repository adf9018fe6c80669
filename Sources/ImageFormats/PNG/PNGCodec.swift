public import Raster

/// Reads and writes PNG (ISO/IEC 15948; PNG, third edition).
public struct PNGCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// PNG.
    public var format: ImageFormat { .png }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        [
            .decode, .encode, .decodeAnimation, .encodeAnimation, .incremental, .alpha, .deepColor, .lossless,
        ]
    }

    /// Whether the bytes begin with PNG's signature, and as far as can be seen are an animation's.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: PNGChunkReader.signature) {
        case true: .match(.png, PNGAnimationControl.stands(in: probe.prefix) ? .animated : [])
        case nil: .needMoreData(minimum: PNGChunkReader.signature.count)
        default: .unknown
        }
    }

    /// A session for a PNG file.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        PNGDecoder(options: options)
    }
}
