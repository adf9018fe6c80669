/// Numbers in bytes, the least significant first.
extension [UInt8] {
    /// Writes the bytes of `value` from `offset` on. Traps where they aren't all within.
    package mutating func set<T: FixedWidthInteger>(littleEndian value: T, at offset: Int) {
        precondition(offset >= 0 && offset + T.bitWidth / 8 <= count)
        for index in 0..<T.bitWidth / 8 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    /// The number from `offset` on; nil where it isn't all there.
    package func field<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T? {
        guard offset >= 0, offset <= count - T.bitWidth / 8 else { return nil }
        var value: T = 0
        for index in 0..<T.bitWidth / 8 { value |= T(truncatingIfNeeded: self[offset + index]) << (8 * index) }
        return value
    }
}
