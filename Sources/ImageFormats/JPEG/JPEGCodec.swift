public import Raster

/// Reads and writes JPEG.
public struct JPEGCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// JPEG.
    public var format: ImageFormat { .jpeg }
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
        throw ImageError(.unsupported, "JPEG can't be read")
    }
}
