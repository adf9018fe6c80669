internal import Raster

/// Reads a header byte by byte, since a comment may be of any length.
struct PNMHeaderParser {
    /// The bytes taken.
    private(set) var byteCount = 0
    /// The header's position in the file, for errors.
    private let start: Int
    /// The digit after "P".
    private var magic: UInt8 = 0
    private var isInComment = false
    /// The numbers of P1 to P6 so far.
    private var numbers: [Int] = []
    private var number: Int?
    /// The current line of P7.
    private var line: [UInt8] = []
    private var fields = PAMFields()

    /// No number in a header is larger; a greater one in a file counts as this, and exceeds every limit.
    private static let largestNumber = 1 << 40
    /// The longest line of a PAM header other than a comment.
    private static let maximumLineByteCount = 1024

    /// A parser of a header at byte `start` of the file.
    init(at start: Int) { self.start = start }

    private var offset: Int { start + byteCount }

    /// Takes the next byte, and returns the header with its last.
    /// - Throws: `corrupt` or `unsupported`, the same for every further byte.
    mutating func take(_ byte: UInt8) throws(ImageError) -> PNMHeader? {
        let header: PNMHeader?
        switch byteCount {
        case 0:
            guard byte == UInt8(ascii: "P") else { throw beginning }
            header = nil
        case 1:
            guard (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(byte) else { throw beginning }
            magic = byte - 48
            header = nil
        default: header = magic == 7 ? try takeLine(byte) : try takeNumber(byte)
        }
        byteCount += 1
        return header
    }

    private var beginning: ImageError {
        ImageError(.corrupt, "the PNM doesn't begin with \"P1\" to \"P7\"", byteOffset: start)
    }

    // MARK: PBM, PGM, PPM

    /// Takes a byte of the width, the height and, except in a PBM, the maximum value. A comment ends a number, and its
    /// line's end is the one byte of white space after the last, as in Netpbm.
    private mutating func takeNumber(_ byte: UInt8) throws(ImageError) -> PNMHeader? {
        if isInComment {
            guard byte == 10 || byte == 13 else { return nil }
            isInComment = false
        } else if byte == UInt8(ascii: "#") {
            isInComment = true
            return nil
        } else if byte.isDigit {
            number = min(Self.largestNumber, (number ?? 0) * 10 + Int(byte - 48))
            return nil
        } else if !byte.isPNMSpace {
            throw ImageError(.corrupt, "the PNM header has the byte \(byte) in place of a digit", byteOffset: offset)
        }
        guard let value = number else { return nil }
        number = nil
        numbers.append(value)
        let isBitmap = magic == 1 || magic == 4
        guard numbers.count == (isBitmap ? 2 : 3) else { return nil }
        return PNMHeader(
            size: PixelSize(width: numbers[0], height: numbers[1]), isPlain: magic <= 3, isBitmap: isBitmap,
            isGray: magic != 3 && magic != 6, hasAlpha: false,
            maximumValue: isBitmap ? 1 : try checkedMaximum(numbers[2]))
    }

    private func checkedMaximum(_ value: Int) throws(ImageError) -> Int {
        guard 1...65535 ~= value else {
            throw ImageError(
                .corrupt, "the PNM's maximum value is \(value); it can be 1 to 65535", byteOffset: offset)
        }
        return value
    }

    // MARK: PAM

    /// Takes a byte of PAM's lines, each a name and a value, up to "ENDHDR".
    private mutating func takeLine(_ byte: UInt8) throws(ImageError) -> PNMHeader? {
        if byteCount == 2, byte != 10 {
            throw ImageError(.corrupt, "the PAM's first line isn't \"P7\"", byteOffset: offset)
        }
        guard byte == 10 else {
            if line.isEmpty, byte == UInt8(ascii: "#") { isInComment = true }
            guard !isInComment, !(line.isEmpty && byte.isPNMSpace) else { return nil }
            guard line.count < Self.maximumLineByteCount else {
                throw ImageError(
                    .corrupt, "the PAM header has a line of more than \(Self.maximumLineByteCount) bytes",
                    byteOffset: offset)
            }
            line.append(byte)
            return nil
        }
        isInComment = false
        let words = line.split(maxSplits: 1) { $0.isPNMSpace }
        let text = words.map { String(decoding: $0, as: UTF8.self) }
        guard let name = text.first else { return nil }
        line = []
        guard name != "ENDHDR" else { return try header(of: fields) }
        let value = text.count > 1 ? Self.trimmed(text[1]) : ""
        guard name != "TUPLTYPE" else {
            // Several of these lines are one type.
            fields.tupleType += (fields.tupleType.isEmpty ? "" : " ") + value
            return nil
        }
        guard let path = PAMFields.numbers[name] else {
            throw ImageError(.corrupt, "the PAM header has an unknown line, \"\(name)\"", byteOffset: offset)
        }
        guard !value.isEmpty, value.utf8.allSatisfy(\.isDigit) else {
            throw ImageError(.corrupt, "the PAM's \(name) is \"\(value)\", not a number", byteOffset: offset)
        }
        fields[keyPath: path] = value.utf8.reduce(0) { min(Self.largestNumber, $0 * 10 + Int($1 - 48)) }
        return nil
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private func header(of fields: PAMFields) throws(ImageError) -> PNMHeader {
        guard let width = fields.width, let height = fields.height, let depth = fields.depth,
            let maximum = fields.maximumValue
        else {
            throw ImageError(
                .corrupt, "the PAM header needs WIDTH, HEIGHT, DEPTH and MAXVAL, and one is missing",
                byteOffset: offset)
        }
        let suffix = "_ALPHA"
        var color = fields.tupleType
        var hasAlpha = color.hasSuffix(suffix)
        if hasAlpha { color.removeLast(suffix.count) }
        if color.isEmpty, !hasAlpha, 1...4 ~= depth {
            hasAlpha = depth.isMultiple(of: 2)
            color = depth > 2 ? "RGB" : "GRAYSCALE"
        }
        guard ["BLACKANDWHITE", "GRAYSCALE", "RGB"].contains(color) else {
            throw ImageError(
                .unsupported,
                "the PAM has \(depth) samples a pixel of the type \"\(fields.tupleType)\"; "
                    + "BLACKANDWHITE, GRAYSCALE, RGB and these with _ALPHA can be read", byteOffset: offset)
        }
        let header = PNMHeader(
            size: PixelSize(width: width, height: height), isPlain: false, isBitmap: false, isGray: color != "RGB",
            hasAlpha: hasAlpha, maximumValue: try checkedMaximum(maximum))
        guard depth == header.channelCount else {
            throw ImageError(
                .corrupt, "the PAM has \(depth) samples a pixel; \(fields.tupleType) has \(header.channelCount)",
                byteOffset: offset)
        }
        return header
    }
}

/// The values in the header of a PAM; nil where a line is missing.
private struct PAMFields {
    var width: Int?
    var height: Int?
    var depth: Int?
    var maximumValue: Int?
    var tupleType = ""

    /// The lines with a number, by name.
    static var numbers: [String: WritableKeyPath<PAMFields, Int?>] {
        ["WIDTH": \.width, "HEIGHT": \.height, "DEPTH": \.depth, "MAXVAL": \.maximumValue]
    }
}
