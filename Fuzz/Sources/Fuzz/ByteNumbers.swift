import CZlibOracle

/// Numbers with the least significant byte first, by which targets make checksums right: no mutation would come past
/// them.
extension [UInt8] {
    /// The number of `count` bytes at `offset`; nil beyond the end, and for one that isn't an `Int`.
    func number(at offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, count <= self.count, offset <= self.count - count else { return nil }
        return Int(exactly: self[offset..<offset + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Writes a number of `count` bytes at `offset`, if there is room.
    mutating func set(_ number: UInt64, at offset: Int, _ count: Int) {
        guard offset >= 0, offset <= self.count - count else { return }
        for index in 0..<count { self[offset + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
    }

    /// The CRC-32 of a part, as far as there is one.
    func checksum(_ range: Range<Int>, after start: UInt32 = 0) -> UInt32 {
        let part = Array(self[range.clamped(to: 0..<count)])
        return part.isEmpty ? start : zlib_oracle_crc32(start, part, part.count)
    }
}
