public import Raster

/// Reads and writes PNG.
public struct PNGCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// PNG.
    public var format: ImageFormat { .png }
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
        throw ImageError(.unsupported, "PNG can't be read")
    }
}
