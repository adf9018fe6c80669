public import Raster

/// Reads and writes QOI, the Quite OK Image format 1.0 (qoiformat.org).
///
/// QOI is lossless, stores 8 bits per channel with straight alpha or none, and is read and written in one pass. Colours
/// are sRGB, or linear light where the header sets that flag. QOI has no metadata.
public struct QOICodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The QOI format.
    public var format: ImageFormat { .qoi }
    /// Decodes, also incrementally, and encodes losslessly with alpha.
    public var capabilities: ImageCapabilities { [.decode, .encode, .incremental, .alpha, .lossless] }

    /// Matches the signature "qoif".
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch { probe.match(.qoi) }

    /// Makes a session that decodes a QOI file row by row.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        QOIDecoder(options: options)
    }

    /// Eight bits per channel in sRGB, with straight alpha or none; grey becomes RGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .rgba8, alpha: info.alpha.hasAlpha ? .straight : .none)
    }

    /// Makes a sink that writes each row when it arrives.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try QOIEncoder(info, options: options, output: output)
    }

    // Measured: 3 to 5 ns per pixel for decoding and for encoding.

    /// The memory of a few rows.
    public func decodingCost(of header: ImageHeader) -> CodingCost {
        CodingCost(of: header.storedSize, bytesPerPixel: 0.5, secondsPerMegapixel: 0.01)
    }

    /// The memory of the file, whose worst case is one byte more per pixel than the channels take.
    public func encodingCost(of info: BitmapInfo, options: EncodingOptions) -> CodingCost {
        CodingCost(of: info.size, bytesPerPixel: info.storedBytesPerPixel * 2.5, secondsPerMegapixel: 0.01)
    }
}

/// The 14 bytes before the pixels.
struct QOIHeader {
    /// The length of a header in bytes.
    static let byteCount = 14
    /// The end of a file. Pixels never encode to it: the same index never occurs twice in a row.
    static let endMarker: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    var size: PixelSize
    var hasAlpha: Bool
    /// Whether the channels store linear light.
    var isLinear = false

}

extension QOIHeader {
    /// Parses the header at the start of `bytes`.
    /// - Throws: `truncated`, `corrupt`, or `limitExceeded` for dimensions beyond the limits.
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

    /// The encoded header.
    var bytes: [UInt8] {
        var bytes = ImageFormat.qoi.signatures[0]
        bytes.append(bigEndian: size.width, byteCount: 4)
        bytes.append(bigEndian: size.height, byteCount: 4)
        return bytes + [hasAlpha ? 4 : 3, isLinear ? 1 : 0]
    }
}

extension RGBA8 {
    /// The pixel's index in the table of 64 recent pixels, by the specification's hash.
    @inline(__always) var qoiIndex: Int {
        let (red, green) = (red &* 3, green &* 5)
        let (blue, alpha) = (blue &* 7, alpha &* 11)
        return Int((red &+ green &+ blue &+ alpha) & 63)
    }

    /// All four channels in one integer, for comparison.
    @inline(__always) var qoiBits: UInt32 { unsafeBitCast(self, to: UInt32.self) }
}
