internal import Raster

/// Iterates over the boxes in a range of bytes (ISO/IEC 14496-12, 4.2), and reads the numbers in them.
///
/// All lengths come from the file, so every read is checked: incomplete data returns nil, and a box that extends beyond
/// the range ends the iteration.
struct ISOBoxReader {
    /// A box's type and the range of its contents.
    struct Box {
        let type: FourCharacterCode
        let contents: Range<Int>
    }

    private let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int

    /// A reader of `range`, which must lie within `bytes`.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// A reader of the contents of `box`.
    func contents(of box: Box) -> ISOBoxReader { ISOBoxReader(bytes, box.contents) }

    /// Whether all bytes have been read.
    var isAtEnd: Bool { offset >= end }

    /// Reads an unsigned number of `byteCount` bytes, at most 8; nil if it exceeds `Int`.
    mutating func number(_ byteCount: Int) -> Int? {
        guard byteCount <= end - offset, let number = bytes.bigEndian(at: offset, byteCount: byteCount) else {
            return nil
        }
        offset += byteCount
        return number
    }

    /// Skips `byteCount` bytes; false if there are fewer.
    mutating func skip(_ byteCount: Int) -> Bool {
        guard byteCount <= end - offset else { return false }
        offset += byteCount
        return true
    }

    /// Reads a four-character code.
    mutating func code() -> FourCharacterCode? { number(4).map { FourCharacterCode(rawValue: UInt32($0)) } }

    /// Reads a version and flags.
    mutating func versionAndFlags() -> (version: Int, flags: Int)? {
        guard let version = number(1), let flags = number(3) else { return nil }
        return (version, flags)
    }

    /// Reads the contents of an `ispe` box. Sides are clamped to 2³⁰, which exceeds all limits, to keep sums and
    /// products within `Int`.
    mutating func size() -> PixelSize? {
        guard versionAndFlags() != nil, let width = number(4), let height = number(4) else { return nil }
        return PixelSize(width: min(width, 1 << 30), height: min(height, 1 << 30))
    }

    /// Reads the next box, skipping its contents.
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

    /// The first box of `type` from the current position on.
    func first(_ type: FourCharacterCode) -> Box? {
        var reader = self
        while let box = reader.box() {
            if box.type == type { return box }
        }
        return nil
    }
}

/// Writes boxes (ISO/IEC 14496-12, 4.2).
enum ISOBoxWriter {
    /// A box with these contents, which must be shorter than 4 GiB.
    static func box(_ type: FourCharacterCode, _ contents: [UInt8]) -> [UInt8] {
        (contents.count + 8).bigEndianBytes(4) + Int(type.rawValue).bigEndianBytes(4) + contents
    }

    /// A box that begins with a version and flags.
    static func box(_ type: FourCharacterCode, version: UInt8, flags: Int = 0, _ contents: [UInt8]) -> [UInt8] {
        box(type, [version] + flags.bigEndianBytes(3) + contents)
    }
}

/// Four bytes that identify a box, a brand or an item type (ISO/IEC 14496-12, 4.2).
package struct FourCharacterCode: Hashable, ExpressibleByStringLiteral {
    /// The bytes in big-endian order.
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Traps unless the literal has four bytes.
    package init(stringLiteral text: String) {
        precondition(text.utf8.count == 4)
        rawValue = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension FourCharacterCode: CustomStringConvertible {
    /// The four characters, with a full stop for each unprintable one.
    package var description: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) }
        return String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}
