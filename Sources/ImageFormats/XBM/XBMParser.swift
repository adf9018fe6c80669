internal import Raster

/// Parses an X bitmap: two to four definitions, then an array of bytes (X11) or shorts (X10). The lowest bit is the
/// leftmost pixel.
struct XBMParser {
    /// The values of the definitions.
    struct Header {
        var width: Int
        var height: Int
        var hotSpot: ImageMetadata.Point?
        /// Bits per number: 8, or 16 in X10 files.
        var bitsPerNumber: Int

        /// The number of numbers that a row takes.
        var numbersPerRow: Int { (width + bitsPerNumber - 1) / bitsPerNumber }
    }

    /// The header; nil until the array begins.
    private(set) var header: Header?
    /// The bits of all rows so far, the leftmost pixel in the lowest bit; every row starts at a byte.
    private(set) var bits: [UInt8] = []
    /// Whether the array was closed or has all its numbers.
    private(set) var isAtEnd = false
    /// The number of bytes parsed.
    private(set) var byteCount = 0

    private var tokenizer = XBMTokenizer()
    private var stage = Stage.definition
    private var definitions: [String: Int] = [:]
    private var isShort = false
    private var numberCount = 0

    private enum Stage {
        /// At the start of a definition or the declaration.
        case definition
        case name
        case value(String)
        /// In the declaration, before its brace.
        case declaration
        case numbers
    }

    /// Parses one byte.
    /// - Throws: `corrupt` if the input isn't an X bitmap.
    mutating func take(_ byte: UInt8) throws(ImageError) {
        guard !isAtEnd else { return }
        byteCount += 1
        let (first, second) = tokenizer.take(byte)
        if let first { try take(first) }
        if let second, !isAtEnd { try take(second) }
    }

    /// Ends the input.
    mutating func finish() throws(ImageError) {
        guard !isAtEnd, let last = tokenizer.finish() else { return }
        try take(last)
    }

    /// The number of complete rows.
    var rowCount: Int {
        guard let header else { return 0 }
        return min(header.height, numberCount / header.numbersPerRow)
    }

    private func corrupt(_ message: String) -> ImageError {
        ImageError(.corrupt, "in the XBM \(message)", byteOffset: byteCount - 1)
    }

    private mutating func take(_ token: XBMTokenizer.Token) throws(ImageError) {
        switch (stage, token) {
        case (.definition, .word("#define")):
            stage = .name
        case (.name, .word(let name)):
            stage = .value(name)
        case (.value(let name), .number(let value)):
            // The end of the name identifies the value; other definitions are ignored.
            for known in ["width", "height", "x_hot", "y_hot"] where name == known || name.hasSuffix("_" + known) {
                definitions[known] = value
            }
            stage = .definition
        case (.definition, .word("static")), (.definition, .word("const")), (.definition, .word("unsigned")),
            (.definition, .word("char")):
            stage = .declaration
        case (.definition, .word("short")), (.declaration, .word("short")):
            isShort = true
            stage = .declaration
        case (.declaration, .mark(UInt8(ascii: "{"))):
            try makeHeader()
            stage = .numbers
        case (.declaration, .word), (.declaration, .mark), (.declaration, .number):
            break
        case (.numbers, .number(let value)):
            append(value)
        case (.numbers, .mark(UInt8(ascii: ","))):
            break
        case (.numbers, .mark(UInt8(ascii: "}"))):
            isAtEnd = true
        default:
            throw corrupt("there is an unexpected character or number")
        }
    }

    private mutating func makeHeader() throws(ImageError) {
        guard let width = definitions["width"], let height = definitions["height"], 1...Int(Int32.max) ~= width,
            1...Int(Int32.max) ~= height
        else { throw corrupt("no width and height are defined that an image can have") }
        var hotSpot: ImageMetadata.Point?
        // X writes -1 for both if there is no hot spot.
        if let x = definitions["x_hot"], let y = definitions["y_hot"], x >= 0, y >= 0 {
            hotSpot = ImageMetadata.Point(x: x, y: y)
        }
        header = Header(width: width, height: height, hotSpot: hotSpot, bitsPerNumber: isShort ? 16 : 8)
    }

    private mutating func append(_ value: Int) {
        guard let header else { return }
        // A row takes the bytes that its pixels need; the last short of a row may have one more, which is dropped.
        let column = numberCount % header.numbersPerRow * header.bitsPerNumber / 8
        let rowByteCount = (header.width + 7) / 8
        bits.append(UInt8(truncatingIfNeeded: value))
        if header.bitsPerNumber == 16, column + 1 < rowByteCount {
            bits.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        numberCount += 1
        if rowCount == header.height { isAtEnd = true }
    }

    /// Drops the first `byteCount` bytes of `bits`, which aren't needed again.
    mutating func drop(_ byteCount: Int) { bits.removeFirst(byteCount) }
}
