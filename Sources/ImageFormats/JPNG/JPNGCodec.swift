public import Raster

/// Reads and writes JPNG.
public struct JPNGCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// JPNG.
    public var format: ImageFormat { .jpng }
    /// Not yet.
    public var canDecode: Bool { false }
    /// Not yet.
    public var canEncode: Bool { false }

    /// Not yet.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { .unknown }

    /// Not yet.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        throw ImageError(.unsupported, "JPNG can't be read")
    }
}
