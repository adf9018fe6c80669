public import Raster

/// Reads and writes X bitmaps, C source of one bit per pixel: those of X11, and X10's of shorts.
///
/// A set bit is black. Writing takes the pixels that are darker than half for black, on the options' background, without
/// dithering.
public struct XBMCodec: ImageCodec {
    /// The codec.
    public init() {}

    /// XBM.
    public var format: ImageFormat { .xbm }
    /// What it can do.
    public var capabilities: ImageCapabilities { [.decode, .encode, .incremental] }

    /// A width and a height stand in the first bytes, or nowhere: between them is room for a long comment.
    private static let maximumHeadByteCount = 4096

    /// A match for definitions of a width and a height with nothing before them but comments and other definitions.
    public func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        var tokenizer = XBMTokenizer()
        var found: Set<String> = []
        var definition: [XBMTokenizer.Token] = []
        let count = min(probe.prefix.byteCount, Self.maximumHeadByteCount)
        for offset in 0..<count {
            // In bounds, and a byte is a number whatever it is.
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
        // Where a definition must begin, no other word may.
        guard !probe.isWhole, count < Self.maximumHeadByteCount,
            !definition.isEmpty || "#define".utf8.starts(with: tokenizer.word)
        else { return .unknown }
        return .needMoreData(minimum: count + 1)
    }

    /// A session for an X bitmap.
    public func makeDecoder(
        for probe: borrowing FormatProbe, options: DecodingOptions
    ) throws(ImageError) -> sending any IncrementalDecoder {
        XBMDecoder(options: options)
    }

    /// Grey of eight bits, in sRGB.
    public func encodableInfo(for info: BitmapInfo, options: EncodingOptions) -> BitmapInfo {
        BitmapInfo(size: info.size, format: .gray8)
    }

    /// A sink that writes rows as they come.
    public func makeEncoder(
        _ info: BitmapInfo, options: EncodingOptions, output: any ByteSink
    ) throws(ImageError) -> any RowSink {
        try XBMEncoder(info, options: options, output: output)
    }
}
