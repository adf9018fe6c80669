public import Raster

/// Reads the merged image of Photoshop's PSD and PSB files, which Photoshop writes unless told not to.
///
/// Reads bitmaps, grey, duotones (as grey), palettes, RGB, CMYK and L*a*b* of 8 and 16 bits, without compression or with
/// runs. Alpha is that of the merged layers; the white that Photoshop mixes into transparent colours is removed. Other
/// channels are ignored. Grey and RGB of 32 bits are linear light, and become PQ as Radiance HDR does. Layers and
/// multichannel documents aren't read.
public struct PSDCodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The PSD format.
    public var format: ImageFormat { .psd }
    /// Decodes deep colour and alpha.
    public var capabilities: ImageCapabilities { [.decode, .alpha, .deepColor] }

    /// Matches the signature "8BPS".
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { probe.match(.psd) }

    /// Makes a session that decodes the file once all bytes have arrived: the merged image is at its end.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        WholeInputDecoder(.psd, limits: options.limits) { (bytes) throws(ImageError) in
            try PSDDocument(Source(bytes), limits: options.limits).picture(options)
        }
    }

    /// The memory of a few rows; of a document of 32 bits, all pixels.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(
            of: header.storedSize, bytesPerPixel: header.bitsPerChannel > 16 ? 16 : 0.1, secondsPerMegapixel: 0.05)
    }
}

extension PSDCodec: InPlaceDecoding {
    func makePicture(in source: Source, options: DecodingOptions) throws(ImageError) -> (any WholePicture)? {
        guard source.allowsRandomAccess(options.limits) else { return nil }
        return try PSDDocument(source, limits: options.limits).picture(options)
    }
}
