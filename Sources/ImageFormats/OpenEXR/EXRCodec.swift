#if OpenEXR
internal import CTesseraEXR
public import Raster

/// Reads OpenEXR with OpenEXRCore: scanlines and tiles at full size, of halves, floats and integers.
///
/// The image is the data window of the first part with the channels R, G and B, or Y alone; A is alpha. Other channels,
/// parts and levels are ignored. A value of 1 is white. Pixels are delivered as 16-bit PQ in BT.2020's primaries, where
/// white is 203 candela per square metre; light of more than 49 times white is clipped. Deep images, luminance with
/// subsampled chroma, DWA compression, and B44 of other than halves aren't read.
///
/// The library is loaded when a file is first read.
public struct EXRCodec: ImageCodec {
    /// Creates a codec without loading OpenEXR.
    public init() {}

    /// Always `exr`.
    public var format: ImageFormat { .exr }
    /// Decodes deep colour and alpha.
    public var capabilities: ImageCapabilities { [.decode, .alpha, .deepColor] }

    /// Matches the magic number.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { probe.match(.exr) }

    /// Makes a session that decodes the file once all bytes have arrived: the brightest pixel decides how the others are
    /// compressed.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        guard tessera_exr_load() else {
            throw ImageError(
                .unsupported, "OpenEXR needs OpenEXRCore, which isn't installed (Debian's package: libopenexr-3-1-30)")
        }
        return WholeInputDecoder(.exr, limits: options.limits) { (bytes) throws(ImageError) in
            try EXRFile(bytes, options: options).picture()
        }
    }

    // Estimated: two passes over floats, three logarithms by tables and a matrix for each pixel.

    /// The memory of the pixels in 16 bits and in eight.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 16, secondsPerMegapixel: 0.1)
    }
}
#endif
