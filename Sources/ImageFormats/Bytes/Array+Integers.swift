extension Array<UInt8> {
    /// Returns the unsigned little-endian integer of `byteCount` bytes at `offset`; nil if it is out of bounds.
    func littleEndian(at offset: Int, byteCount: Int) -> Int? {
        integer(at: offset, byteCount: byteCount, isLittleEndian: true)
    }

    /// Returns the unsigned big-endian integer of `byteCount` bytes at `offset`; nil if it is out of bounds.
    func bigEndian(at offset: Int, byteCount: Int) -> Int? {
        integer(at: offset, byteCount: byteCount, isLittleEndian: false)
    }

    /// Returns the unsigned integer of up to 8 bytes at `offset`; nil if it is out of bounds or exceeds `Int.max`.
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

    /// Appends the low `byteCount` bytes of an integer, least significant first; nil appends all.
    package mutating func append(littleEndian value: some FixedWidthInteger, byteCount: Int? = nil) {
        for index in 0..<(byteCount ?? value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    /// Appends the low `byteCount` bytes of an integer, most significant first; nil appends all.
    package mutating func append(bigEndian value: some FixedWidthInteger, byteCount: Int? = nil) {
        for index in (0..<(byteCount ?? value.bitWidth / 8)).reversed() {
            append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }
}

extension Int {
    /// Returns the low `count` bytes, least significant first.
    func littleEndianBytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }

    /// Returns the low `count` bytes, most significant first.
    func bigEndianBytes(_ count: Int) -> [UInt8] { littleEndianBytes(count).reversed() }
}

extension RawSpan {
    /// Returns the 32-bit big-endian integer at `offset`. Traps if it is out of bounds.
    func bigEndianUInt32(at offset: Int) -> UInt32 {
        // The load checks its bounds, and four bytes have no invalid value.
        UInt32(bigEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
