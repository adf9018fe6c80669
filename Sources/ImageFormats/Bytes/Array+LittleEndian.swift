extension Array<UInt8> {
    /// The unsigned number of up to 4 bytes at `offset`, the least significant first; nil where it isn't all there.
    func littleEndian(at offset: Int, byteCount: Int) -> Int? {
        guard offset >= 0, offset <= count - byteCount else { return nil }
        var value = 0
        for index in 0..<byteCount { value |= Int(self[offset + index]) << (8 * index) }
        return value
    }

    /// Appends the lowest `byteCount` bytes of `value`, the least significant first.
    mutating func appendLittleEndian(_ value: Int, byteCount: Int) {
        for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
