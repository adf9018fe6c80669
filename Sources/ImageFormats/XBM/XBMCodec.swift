public import Raster

extension ImageFormat {
    /// X bitmaps: C source with one bit per pixel.
    public static let xbm = ImageFormat(
        typeIdentifier: "public.xbitmap-image", name: "XBM", mimeTypes: ["image/x-xbitmap", "image/x-xbm"],
        filenameExtensions: ["xbm"])
}

extension BuiltInFormat {
    /// XBM, always available.
    static let xbm = BuiltInFormat(.xbm) { _ in XBMCodec() }
}

/// Reads and writes X bitmaps, C source with one bit per pixel, in the formats of X11 (bytes) and X10 (shorts).
///
/// A set bit is black. Writing flattens onto the options' background and thresholds at half, without dithering.
public struct XBMCodec: ImageCodec {
    /// A codec without settings.
    public init() {}

    /// The XBM format.
    public var format: ImageFormat { .xbm }
    /// Decodes, also incrementally, and encodes.
    public var capabilities: ImageCapabilities { [.decode, .encode, .incremental] }

    /// The number of bytes searched for a width and a height: enough for a long comment between them.
    private static let maximumHeadByteCount = 4096

    /// Matches definitions of a width and a height, preceded only by comments and other definitions.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        var tokenizer = XBMTokenizer()
        var found: Set<String> = []
        var definition: [XBMTokenizer.Token] = []
        let count = min(probe.prefix.byteCount, Self.maximumHeadByteCount)
        for offset in 0..<count {
            // The offset is in bounds, and every byte is a valid value.
            let (first, second) = tokenizer.take(probe.prefix.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            for token in [first, second].compactMap({ $0 }) {
                definition.append(token)
                switch (definition.count, token) {
                case (1, .word("#define")): continue
                case (2, .word(let name)):
                    if let known = ["width", "height"].first(where: { name == $0 || name.hasSuffix("_" + $0) }) {
                        found.insert(known)
                    }
                case (3, .number):
                    definition = []
                    if found.count == 2 { return .match(.xbm) }
                default: return .unknown
                }
            }
        }
        // Only `#define` may begin a definition.
        guard !probe.isWhole, count < Self.maximumHeadByteCount,
            !definition.isEmpty || "#define".utf8.starts(with: tokenizer.word)
        else { return .unknown }
        return .needMoreData(minimum: count + 1)
    }

    /// Makes a session that decodes an X bitmap row by row.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        XBMDecoder(options: options)
    }

    /// Eight-bit grey in sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .gray8)
    }

    /// Makes a sink that writes each row when it arrives.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try XBMEncoder(info, options: options, output: output)
    }
}

/// Writes each row as C source when it arrives.
final class XBMEncoder: RowSink {
    private let output: any ByteSink
    private var remaining: RemainingRows
    /// The number of bytes on the current line.
    private var column = 0

    /// The number of values per line, as X's own programs write it.
    private static let numbersPerLine = 12
    private static let digits = Array("0123456789abcdef".utf8)

    /// - Throws: `invalidParameter` for pixels that aren't 8-bit grey, or a hot spot outside the image.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        guard info.format == .gray8, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "an XBM takes grey pixels of 8 bits")
        }
        self.output = output
        remaining = RemainingRows(info, in: .xbm)
        var head = "#define image_width \(info.size.width)\n#define image_height \(info.size.height)\n"
        if let hotSpot = options.metadata.hotSpot {
            guard 0..<info.size.width ~= hotSpot.x, 0..<info.size.height ~= hotSpot.y else {
                throw ImageError(
                    .invalidParameter, "the hot spot (\(hotSpot.x), \(hotSpot.y)) lies outside of \(info.size)")
            }
            head += "#define image_x_hot \(hotSpot.x)\n#define image_y_hot \(hotSpot.y)\n"
        }
        try output.write(Array((head + "static unsigned char image_bits[] = {").utf8))
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        for y in 0..<rows.count {
            let row = rows.row(y, as: Gray8.self)
            var text: [UInt8] = []
            for start in stride(from: 0, to: row.count, by: 8) {
                var bits: UInt8 = 0
                for x in start..<min(row.count, start + 8) where row[x].value < 128 { bits |= 1 << UInt8(x - start) }
                text += Array((column == 0 ? "\n   " : " ").utf8)
                text += [48, 120, Self.digits[Int(bits >> 4)], Self.digits[Int(bits & 15)]]
                column = (column + 1) % Self.numbersPerLine
                let isLast = remaining.count == 1 && start + 8 >= row.count
                text += Array((isLast ? "};\n" : ",").utf8)
            }
            try output.write(text)
            remaining.count -= 1
        }
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
    }
}
