extension Array<UInt8> {
    /// The unsigned number of up to 4 bytes at `offset`, the least significant first; nil where it isn't all there.
    func littleEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= count - byteCount else { return nil }
        var value = 0
        for index in 0..<byteCount { value |= Int(self[offset + index]) << (8 * index) }
        return value
    }

    /// Appends the lowest `byteCount` bytes of `value`, all unless given, the least significant first.
    package mutating func append(littleEndian value: some FixedWidthInteger, byteCount: Int? = nil) {
        for index in 0..<(byteCount ?? value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
