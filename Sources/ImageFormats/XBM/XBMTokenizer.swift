/// Splits C source into the few kinds of tokens in an X bitmap, one byte at a time.
///
/// Comments are skipped. A token is complete when the next byte arrives, so the result doesn't depend on how input is
/// divided.
struct XBMTokenizer {
    /// A token.
    enum Token: Equatable {
        /// A name or keyword, including `#define`.
        case word(String)
        /// A decimal, octal or hexadecimal number.
        case number(Int)
        /// One of `[ ] = { } , ;`.
        case mark(UInt8)
        /// A character that has no meaning in an X bitmap.
        case other(UInt8)
    }

    private enum State {
        case between
        case word
        /// After a slash outside a comment.
        case slash
        case comment
        /// After an asterisk in a comment.
        case commentStar
        case lineComment
    }

    private var state = State.between
    /// The bytes of the current word.
    private(set) var word: [UInt8] = []

    /// The longest word that is accepted.
    private static let maximumWordByteCount = 1024

    /// Takes the next byte and returns the tokens that it completes, at most two.
    mutating func take(_ byte: UInt8) -> (first: Token?, second: Token?) {
        switch state {
        case .comment:
            if byte == UInt8(ascii: "*") { state = .commentStar }
            return (nil, nil)
        case .commentStar:
            state = byte == UInt8(ascii: "/") ? .between : byte == UInt8(ascii: "*") ? .commentStar : .comment
            return (nil, nil)
        case .lineComment:
            if byte == 10 { state = .between }
            return (nil, nil)
        case .slash:
            switch byte {
            case UInt8(ascii: "*"): state = .comment
            case UInt8(ascii: "/"): state = .lineComment
            default:
                state = .between
                return (.other(UInt8(ascii: "/")), begin(byte))
            }
            return (nil, nil)
        case .word:
            if Self.isWordByte(byte) {
                word.append(byte)
                guard word.count <= Self.maximumWordByteCount else {
                    word = []
                    state = .between
                    return (.other(byte), nil)
                }
                return (nil, nil)
            }
            return (end(), begin(byte))
        case .between:
            return (begin(byte), nil)
        }
    }

    /// Returns the last token, at the end of the input.
    mutating func finish() -> Token? { state == .word ? end() : nil }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "#"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    /// Handles a byte outside a word.
    private mutating func begin(_ byte: UInt8) -> Token? {
        state = .between
        switch byte {
        case UInt8(ascii: " "), 9...13: return nil
        case UInt8(ascii: "/"):
            state = .slash
            return nil
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "="), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: ","), UInt8(ascii: ";"):
            return .mark(byte)
        case _ where Self.isWordByte(byte):
            word = [byte]
            state = .word
            return nil
        default: return .other(byte)
        }
    }

    private mutating func end() -> Token {
        state = .between
        defer { word = [] }
        return Self.number(word).map { .number($0) } ?? .word(String(decoding: word, as: UTF8.self))
    }

    /// Parses a word as a number; nil if it isn't one.
    private static func number(_ word: [UInt8]) -> Int? {
        guard let first = word.first, first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first
        else { return nil }
        // Numbers may have the suffixes of unsigned and long.
        var digits = Substring(decoding: word, as: UTF8.self)
        while let last = digits.last, "uUlL".contains(last) { digits.removeLast() }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { return Int(digits.dropFirst(2), radix: 16) }
        if digits.count > 1, digits.hasPrefix("0") { return Int(digits, radix: 8) }
        return Int(digits)
    }
}
