public import Raster

/// Reads and writes QOI, the Quite OK Image format 1.0 (qoiformat.org).
///
/// A file is lossless, has 8 bits a channel, with straight alpha or none, and takes one pass to write or to read. Colours are
/// sRGB's, or linear where the header says so. It carries no metadata.
public struct QOICodec: ImageCodec {
    /// The codec.
    public init() {}

    /// QOI.
    public var format: ImageFormat { .qoi }
    /// What it can do.
    public var capabilities: ImageCapabilities { [.decode, .encode, .incremental, .alpha, .lossless] }

    /// A match for "qoif".
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { probe.match(.qoi) }

    /// A session for a QOI file.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        QOIDecoder(options: options)
    }

    /// Eight bits a channel in sRGB and straight alpha, if any; grey becomes RGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// A sink that writes rows as they come.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try QOIEncoder(info, options: options, output: output)
    }

    // Measured: 3 to 5 ns a pixel both ways.

    /// The bytes of a few rows.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 0.5, secondsPerMegapixel: 0.01)
    }

    /// The file, at worst a byte larger for each pixel than its channels.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(of: info.size, bytesPerPixel: info.storedBytesPerPixel * 2.5, secondsPerMegapixel: 0.01)
    }
}

/// The fourteen bytes before a file's pixels.
struct QOIHeader {
    /// Bytes of a header.
    static let byteCount = 14
    /// What ends a file. No encoder writes it for pixels: the same index never comes twice in a row.
    static let endMarker: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    var size: PixelSize
    var hasAlpha: Bool
    /// Whether values are proportional to light.
    var isLinear = false

}

extension QOIHeader {
    /// The header that `bytes` begin with.
    /// - Throws: `truncated`, `corrupt`, and `limitExceeded` for a size beyond the limits.
    init(_ bytes: [UInt8], limits: DecodingLimits) throws(ImageError) {
        guard bytes.count >= Self.byteCount, let width = bytes.bigEndian(at: 4, byteCount: 4),
            let height = bytes.bigEndian(at: 8, byteCount: 4)
        else {
            throw ImageError(
                .truncated, "the QOI has \(bytes.count) bytes of the \(Self.byteCount) of its header",
                byteOffset: bytes.count)
        }
        guard bytes.starts(with: ImageFormat.qoi.signatures[0]) else {
            throw ImageError(.corrupt, "the QOI doesn't begin with \"qoif\"", byteOffset: 0)
        }
        guard bytes[12] == 3 || bytes[12] == 4 else {
            throw ImageError(.corrupt, "the QOI has \(bytes[12]) channels; there can be 3 or 4", byteOffset: 12)
        }
        guard bytes[13] <= 1 else {
            throw ImageError(.corrupt, "the QOI has colour space \(bytes[13]); there are 0 and 1", byteOffset: 13)
        }
        self.init(size: PixelSize(width: width, height: height), hasAlpha: bytes[12] == 4)
        isLinear = bytes[13] == 1
        try limits.check(size, format: .qoi)
    }

    /// As it stands in a file.
    var bytes: [UInt8] {
        var bytes = ImageFormat.qoi.signatures[0]
        bytes.append(bigEndian: size.width, byteCount: 4)
        bytes.append(bigEndian: size.height, byteCount: 4)
        return bytes + [hasAlpha ? 4 : 3, isLinear ? 1 : 0]
    }
}

extension RGBA8 {
    /// Where both sides keep a pixel that was seen, of 64 places.
    @inline(__always) var qoiIndex: Int {
        let (red, green) = (red &* 3, green &* 5)
        let (blue, alpha) = (blue &* 7, alpha &* 11)
        return Int((red &+ green &+ blue &+ alpha) & 63)
    }

    /// All channels at once, to be compared.
    @inline(__always) var qoiBits: UInt32 { unsafeBitCast(self, to: UInt32.self) }
}
