public import Raster

/// Reads and writes the formats of Netpbm: PBM, PGM and PPM, plain and raw, and PAM.
///
/// Samples of 1 to 16 bits are scaled from their maximum value to 8 bits, or to 16 where there are more than 8. PAM's
/// tuple types are BLACKANDWHITE, GRAYSCALE, RGB and each of them with `_ALPHA`; a missing type follows from the depth.
/// Colours are sRGB. A raw file may hold several images, which ``DecodingOptions/imageIndex`` selects. PNM has no
/// metadata, and PFM, its form for floating-point numbers, is another format.
///
/// Writes grey as PGM (P5), colours as PPM (P6) and colours with alpha as PAM (P7), whatever the file's extension.
public struct PNMCodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The PNM format.
    public var format: ImageFormat { .pnm }
    /// Decodes, also incrementally and by index, and encodes losslessly with alpha and deep colour.
    public var capabilities: ImageCapabilities {
        [.decode, .encode, .decodePages, .incremental, .alpha, .deepColor, .lossless]
    }

    /// The most bytes of white space between the magic number and the width that identification looks through.
    private static let maximumGap = 16

    /// Matches "P7" and a line feed; or "P1" to "P6", white space, and a digit or a comment.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        for offset in 0..<min(probe.prefix.byteCount, 2 + Self.maximumGap) {
            // The offset is in bounds, and every byte is a valid value.
            let byte = probe.prefix.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            switch offset {
            case 0: guard byte == UInt8(ascii: "P") else { return .unknown }
            case 1: guard (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(byte) else { return .unknown }
            default:
                if probe.starts(with: Array("P7".utf8)) == true { return byte == 10 ? .match(.pnm) : .unknown }
                if byte == UInt8(ascii: "#") || offset > 2 && byte.isDigit { return .match(.pnm) }
                guard byte.isPNMSpace else { return .unknown }
            }
        }
        if probe.prefix.byteCount >= 2 + Self.maximumGap || probe.isWhole { return .unknown }
        return .needMoreData(minimum: max(4, probe.prefix.byteCount + 1))
    }

    /// Makes a session that decodes a PNM file row by row.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        try PNMDecoder(options: options)
    }

    /// The same grey or RGB of 8 or 16 bits in sRGB, with straight alpha or none.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: info.format, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// Makes a sink that writes each row when it arrives.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try PNMEncoder(info, options: options, output: output)
    }

    // Estimated: a raw row is copied through a table; each sample of a plain one has up to six characters.

    /// The memory of a few rows.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 0.5, secondsPerMegapixel: 0.05)
    }

    /// The memory of the file.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(of: info.size, bytesPerPixel: info.storedBytesPerPixel * 1.5, secondsPerMegapixel: 0.01)
    }
}

extension UInt8 {
    /// Whether the byte is white space in a PNM's header.
    var isPNMSpace: Bool { self == 32 || (9...13).contains(self) }

    /// Whether the byte is a decimal digit in ASCII.
    var isDigit: Bool { (48...57).contains(self) }
}
