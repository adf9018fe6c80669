internal import Raster

/// Reads an X bitmap: two to four definitions, then an array of bytes (X11) or shorts (X10) whose lowest bit is the
/// leftmost pixel.
struct XBMParser {
    /// What the definitions say.
    struct Header {
        var width: Int
        var height: Int
        var hotSpot: ImageMetadata.Point?
        /// Bits of a number: 8, or 16 in the files of X10.
        var bitsPerNumber: Int

        /// Numbers that make a row.
        var numbersPerRow: Int { (width + bitsPerNumber - 1) / bitsPerNumber }
    }

    /// Known when the array begins.
    private(set) var header: Header?
    /// Bits of the rows, the leftmost pixel in the lowest bit; every row begins with a byte.
    private(set) var bits: [UInt8] = []
    /// Whether the array was closed, or has enough numbers.
    private(set) var isAtEnd = false
    /// Bytes taken.
    private(set) var byteCount = 0

    private var tokenizer = XBMTokenizer()
    private var stage = Stage.definition
    private var definitions: [String: Int] = [:]
    private var isShort = false
    private var numberCount = 0

    private enum Stage {
        /// Where a definition or the declaration begins.
        case definition
        case name
        case value(String)
        /// In the declaration, before its brace.
        case declaration
        case numbers
    }

    /// Takes a byte.
    /// - Throws: `corrupt` for what is no X bitmap.
    mutating func take(_ byte: UInt8) throws(ImageError) {
        guard !isAtEnd else { return }
        byteCount += 1
        let (first, second) = tokenizer.take(byte)
        if let first { try take(first) }
        if let second, !isAtEnd { try take(second) }
    }

    /// Says that there are no more bytes.
    mutating func finish() throws(ImageError) {
        guard !isAtEnd, let last = tokenizer.finish() else { return }
        try take(last)
    }

    /// Rows whose bits are all there.
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
            // What is defined is said by the name's end; other definitions are nobody's business.
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
            throw corrupt("stands something that has no place there")
        }
    }

    private mutating func makeHeader() throws(ImageError) {
        guard let width = definitions["width"], let height = definitions["height"], 1...Int(Int32.max) ~= width,
            1...Int(Int32.max) ~= height
        else { throw corrupt("no width and height are defined that a picture can have") }
        var hotSpot: ImageMetadata.Point?
        // Both are -1 where there is none.
        if let x = definitions["x_hot"], let y = definitions["y_hot"], x >= 0, y >= 0 {
            hotSpot = ImageMetadata.Point(x: x, y: y)
        }
        header = Header(width: width, height: height, hotSpot: hotSpot, bitsPerNumber: isShort ? 16 : 8)
    }

    private mutating func append(_ value: Int) {
        guard let header else { return }
        // A row takes as many bytes as its pixels do; a row of shorts may have one more.
        let column = numberCount % header.numbersPerRow * header.bitsPerNumber / 8
        let rowByteCount = (header.width + 7) / 8
        bits.append(UInt8(truncatingIfNeeded: value))
        if header.bitsPerNumber == 16, column + 1 < rowByteCount {
            bits.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        numberCount += 1
        if rowCount == header.height { isAtEnd = true }
    }

    /// Gives up bits that won't be asked for again.
    mutating func drop(_ byteCount: Int) { bits.removeFirst(byteCount) }
}
