#if TIFF
public import Raster

/// Reads and writes TIFF 6.0 and BigTIFF, by libtiff.
///
/// Reads strips and tiles, contiguous and planar: bilevel, grey, palette, RGB, YCbCr, CIE L*a*b*, CMYK and LogLuv, with
/// associated or unassociated alpha, in all compressions that the installed libtiff has but JBIG. Every directory of the
/// main chain is a page; one that is half as large as its page, a quarter and so on, serves small target sizes.
///
/// What becomes of values that aren't 8 or 16 bits of light:
/// - Fewer bits, or others than 8 and 16, are scaled so that the largest value is white.
/// - Signed integers: 0 is black, the largest value white; what is below 0 is black.
/// - Floating-point numbers: 0 is black, 1 is white; what lies outside, or isn't a number, is clamped (to black).
/// - Palettes give 8 bits; CMYK gives 8 bits, by the profile or the plain formula; L*a*b* (white of D50) and LogLuv
///   become sRGB.
///
/// Writes grey and RGB of 8 and 16 bits with straight alpha.
public struct TIFFCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// TIFF.
    public var format: ImageFormat { .tiff }
    /// What it can do.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodePages, .encodePages, .scaledDecoding, .alpha, .deepColor, .lossless, .lossy]
    }

    /// A match for a byte order mark and 42, or BigTIFF's 43 and its length of offsets.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        let signatures: [[UInt8]] = [
            [0x49, 0x49, 42, 0], [0x4D, 0x4D, 0, 42], [0x49, 0x49, 43, 0, 8, 0], [0x4D, 0x4D, 0, 43, 0, 8],
        ]
        var needed = 0
        for signature in signatures {
            switch probe.starts(with: signature) {
            case true: return .match(.tiff)
            case nil: needed = max(needed, signature.count)
            default: break
            }
        }
        return needed > 0 ? .needMoreData(minimum: needed) : .unknown
    }

    /// A session for a page of a TIFF file. It starts once all bytes are there: a directory may be anywhere.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        WholeInputDecoder(.tiff, limits: options.limits) { (bytes) throws(ImageError) in
            try TIFFPicture(TIFFBytes(bytes), options: options)
        }
    }
}

extension TIFFCodec: InPlaceCodec {
    func makePicture(in file: FileByteSource, options: DecodingOptions) throws(ImageError) -> (any WholePicture)? {
        guard let bytes = TIFFBytes(file) else { return nil }
        return try TIFFPicture(bytes, options: options)
    }
}
#endif
