/// Cuts C source into the few kinds of words that an X bitmap is made of, a byte at a time.
///
/// Comments are passed over. A word is known when what comes after it is, so that pieces of input make no difference.
struct XBMTokenizer {
    /// A word.
    enum Token: Equatable {
        /// A name or a key word, `#define` included.
        case word(String)
        /// A number, decimal, octal or hexadecimal.
        case number(Int)
        /// One of `[ ] = { } , ;`.
        case mark(UInt8)
        /// What has no place in an X bitmap.
        case other(UInt8)
    }

    private enum State {
        case between
        case word
        /// After a slash.
        case slash
        case comment
        /// After a star in a comment.
        case commentStar
        case lineComment
    }

    private var state = State.between
    /// The bytes of a word that may go on.
    private(set) var word: [UInt8] = []

    /// Names are longer than this in no file.
    private static let maximumWordByteCount = 1024

    /// Takes the next byte and gives the words that it completes, two at most.
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

    /// The last word, when no byte follows.
    mutating func finish() -> Token? { state == .word ? end() : nil }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "#"), UInt8(ascii: "-"), 0x80...:
            true
        default: false
        }
    }

    /// Takes a byte outside of words.
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

    /// The number that a word is, if it is one.
    private static func number(_ word: [UInt8]) -> Int? {
        guard let first = word.first, first == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= first
        else { return nil }
        // Numbers may say that they are unsigned or long.
        var digits = Substring(decoding: word, as: UTF8.self)
        while let last = digits.last, "uUlL".contains(last) { digits.removeLast() }
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") { return Int(digits.dropFirst(2), radix: 16) }
        if digits.count > 1, digits.hasPrefix("0") { return Int(digits, radix: 8) }
        return Int(digits)
    }
}
