extension RawSpan {
    /// The byte at an offset, which must be in bounds.
    func byte(at offset: Int) -> UInt8 {
        // A byte has no invalid bit pattern and no alignment, and the load checks its bounds.
        unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self)
    }

    /// Whether the bytes at a range begin with the given ones.
    func starts(with prefix: [UInt8], in range: Range<Int>) -> Bool {
        guard range.count >= prefix.count else { return false }
        return prefix.indices.allSatisfy { byte(at: range.lowerBound + $0) == prefix[$0] }
    }

    /// The offset of the first `FF` at or after the given one, or the number of bytes.
    ///
    /// Nearly all bytes walked are entropy-coded data, with an `FF` once in some two hundred bytes, so bytes are compared
    /// 32 at a time.
    package func firstFF(from start: Int) -> Int {
        var offset = start
        while offset + 32 <= byteCount {
            let found =
                Self.marks(of: word(at: offset)) | Self.marks(of: word(at: offset + 8))
                | Self.marks(of: word(at: offset + 16)) | Self.marks(of: word(at: offset + 24))
            if found != 0 { break }
            offset += 32
        }
        while offset + 8 <= byteCount {
            let found = Self.marks(of: word(at: offset))
            if found != 0 { return offset + found.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < byteCount, byte(at: offset) != 0xFF { offset += 1 }
        return offset
    }

    /// Eight bytes, the first lowest; they must be in bounds.
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Zero if no byte is `FF`; else the lowest bit set is the top bit of the first byte that is.
    ///
    /// The zero-byte test on the complement: subtracting 1 from each byte borrows into a clear top bit first at the lowest zero.
    static func marks(of word: UInt64) -> UInt64 {
        (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080
    }
}
