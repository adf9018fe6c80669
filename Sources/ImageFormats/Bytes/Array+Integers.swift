extension Array<UInt8> {
    /// The unsigned number of `byteCount` bytes at `offset`, the least significant first; nil where it doesn't fit.
    func littleEndian(at offset: Int, byteCount: Int) -> Int? {
        integer(at: offset, byteCount: byteCount, isLittleEndian: true)
    }

    /// The unsigned number of `byteCount` bytes at `offset`, the most significant first; nil where it doesn't fit.
    func bigEndian(at offset: Int, byteCount: Int) -> Int? {
        integer(at: offset, byteCount: byteCount, isLittleEndian: false)
    }

    /// The unsigned number of `byteCount` bytes at `offset` in either order; nil where it isn't in the array or in an Int.
    func integer(at offset: Int, byteCount: Int, isLittleEndian: Bool) -> Int? {
        guard offset >= 0, byteCount >= 0, byteCount <= 8, byteCount <= count, offset <= count - byteCount else {
            return nil
        }
        var value: UInt64 = 0
        for index in 0..<byteCount {
            value = value << 8 | UInt64(self[offset + (isLittleEndian ? byteCount - 1 - index : index)])
        }
        return Int(exactly: value)
    }

    /// Appends the low `byteCount` bytes of a number, the least significant first.
    package mutating func append(littleEndian value: some FixedWidthInteger, byteCount: Int? = nil) {
        for index in 0..<(byteCount ?? value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    /// Appends the low `byteCount` bytes of a number, the most significant first.
    package mutating func append(bigEndian value: some FixedWidthInteger, byteCount: Int? = nil) {
        for index in (0..<(byteCount ?? value.bitWidth / 8)).reversed() {
            append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }
}

extension Int {
    /// The low `count` bytes, the least significant first.
    func littleEndianBytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }

    /// The low `count` bytes, the most significant first.
    func bigEndianBytes(_ count: Int) -> [UInt8] { littleEndianBytes(count).reversed() }
}

extension RawSpan {
    /// The number of four bytes at `offset`, the most significant first. Traps where they aren't there.
    func bigEndianUInt32(at offset: Int) -> UInt32 {
        // Four bytes are a number whatever they are, and the load is checked.
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
