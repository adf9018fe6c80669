/// Walks the boxes in a range of bytes (ISO/IEC 14496-12, 4.2), and reads the numbers in them.
///
/// Every length comes from the file, so every read is checked: what isn't wholly there is nil, and a box that reaches
/// beyond the range ends the walk.
struct ISOBoxReader {
    /// A box: its name and where its contents are.
    struct Box {
        let type: FourCharacterCode
        let contents: Range<Int>
    }

    private let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int

    /// A reader of `range`, which lies within `bytes`.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// A reader of what is in `box`.
    func contents(of box: Box) -> ISOBoxReader { ISOBoxReader(bytes, box.contents) }

    /// Whether there is nothing left.
    var isAtEnd: Bool { offset >= end }

    /// The unsigned number of `byteCount` bytes, at most 8, that comes next; one beyond `Int` is refused.
    mutating func number(_ byteCount: Int) -> Int? {
        guard byteCount <= end - offset else { return nil }
        var value: UInt64 = 0
        for index in 0..<byteCount { value = value << 8 | UInt64(bytes[offset + index]) }
        guard let number = Int(exactly: value) else { return nil }
        offset += byteCount
        return number
    }

    /// Passes over `byteCount` bytes: whether they were there.
    mutating func skip(_ byteCount: Int) -> Bool {
        guard byteCount <= end - offset else { return false }
        offset += byteCount
        return true
    }

    /// The name that comes next.
    mutating func code() -> FourCharacterCode? { number(4).map { FourCharacterCode(rawValue: UInt32($0)) } }

    /// The version and the flags that come next.
    mutating func versionAndFlags() -> (version: Int, flags: Int)? {
        guard let version = number(1), let flags = number(3) else { return nil }
        return (version, flags)
    }

    /// The box that comes next.
    mutating func box() -> Box? {
        var reader = self
        guard var length = reader.number(4), let type = reader.code() else { return nil }
        if length == 1 {
            guard let long = reader.number(8) else { return nil }
            length = long
        } else if length == 0 {
            length = end - offset
        }
        guard length >= reader.offset - offset, length <= end - offset else { return nil }
        let contents = reader.offset..<(offset + length)
        offset += length
        return Box(type: type, contents: contents)
    }

    /// The first box of `type` from here on.
    func first(_ type: FourCharacterCode) -> Box? {
        var reader = self
        while let box = reader.box() {
            if box.type == type { return box }
        }
        return nil
    }
}
