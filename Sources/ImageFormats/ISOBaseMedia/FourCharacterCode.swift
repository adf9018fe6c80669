/// Four bytes that name a box, a brand or a kind of item (ISO/IEC 14496-12, 4.2).
package struct FourCharacterCode: Hashable, ExpressibleByStringLiteral {
    /// The bytes, the first one on top.
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Traps unless there are four bytes.
    package init(stringLiteral text: String) {
        precondition(text.utf8.count == 4)
        rawValue = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension FourCharacterCode: CustomStringConvertible {
    /// The characters; what can't be printed as a full stop.
    package var description: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) }
        return String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}
