public import Raster

/// Reads Radiance HDR (RGBE), with runs of both kinds or without.
///
/// A value of 1 is white. Pixels are delivered as 16-bit PQ in BT.2020's primaries, where white is 203 candela per square
/// metre; light of more than 49 times white is clipped. The primaries are those in the header, or else sRGB's. The exposure
/// in the header isn't undone, as in other viewers. Files in XYZ aren't read.
public struct HDRCodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The Radiance HDR format.
    public var format: ImageFormat { .hdr }
    /// Decodes deep colour.
    public var capabilities: ImageCapabilities { [.decode, .deepColor] }

    /// Matches the signatures "#?RADIANCE" and "#?RGBE".
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { probe.match(.hdr) }

    /// Makes a session that decodes the file once all bytes have arrived: the brightest pixel decides how the others are
    /// compressed.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        WholeInputDecoder(.hdr, limits: options.limits) { (bytes) throws(ImageError) in
            let header = try HDRHeader(bytes)
            try options.limits.check(header.size, format: .hdr)
            return LightPicture(
                LightPicture.header(
                    .hdr, header.size, hasAlpha: false, metadata: ImageMetadata(orientation: header.orientation)),
                primaries: .calibrated(gamma: 1, header.chromaticities), options: options
            ) { [bytes] (part, canvas) throws(ImageError) in
                var reader = HDRRowReader(header)
                try reader.read(bytes.span, part, to: &canvas)
            }
        }
    }

    // Estimated: three logarithms by tables and a matrix for each pixel.

    /// The memory of the pixels in 16 bits and in eight.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 16, secondsPerMegapixel: 0.05)
    }
}
