/// Little-endian integers at an offset.
extension [UInt8] {
    /// Stores `value` at `offset`. Traps if it doesn't fit.
    package mutating func set<T: FixedWidthInteger>(littleEndian value: T, at offset: Int) {
        precondition(offset >= 0 && offset + T.bitWidth / 8 <= count)
        for index in 0..<T.bitWidth / 8 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
    }

    /// Returns the integer at `offset`; nil if the array ends before it does.
    package func field<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T? {
        guard offset >= 0, offset <= count - T.bitWidth / 8 else { return nil }
        var value: T = 0
        for index in 0..<T.bitWidth / 8 { value |= T(truncatingIfNeeded: self[offset + index]) << (8 * index) }
        return value
    }
}
