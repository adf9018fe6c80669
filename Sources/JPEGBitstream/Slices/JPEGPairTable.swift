/// Looks up up to two AC coefficients, with all their bits, and the end of the block if it follows them.
///
/// For each window an entry of two words. Where not even the first code and its bits fit, it advances by `unknown`.
struct JPEGPairTable {
    static let windowBits = 11
    /// The shift from the top of 64 bits down to the window.
    static let shift = UInt64(64 - windowBits)
    /// An advance to a position that no block reaches, and none ends at.
    private static let unknown = 255

    /// Each word has a coefficient in its upper half, and in its lowest byte the positions to advance to it, less one. The
    /// lower word has in its second byte the bits in all from bit 10 on, and the number of coefficients from bit 8 on; the
    /// upper word the positions to advance by in all. Words without a coefficient are behind those that count.
    let entries: [UInt64]

    init(_ table: JPEGHuffmanTable) {
        let windowCount = 1 << Self.windowBits
        let first = JPEGSymbolTable(table, isDC: false, windowBits: Self.windowBits).entries
        entries = (0..<windowCount).map { window in
            var (length, advance, count) = (0, 0, 0)
            var words: UInt64 = 0
            while count < 2, length < Self.windowBits, advance < JPEGSymbolTable.endOfBlock {
                let rest = (window << length) & (windowCount - 1)
                let next = first[rest]
                let total = Int(next & 0xFF)
                guard next != 0, length + total <= Self.windowBits else { break }
                // Beyond a block, which damaged data alone reaches, symbols are read one by one.
                let step = Int(next >> 8 & 0xFF)
                guard advance + step < 64 || step == JPEGSymbolTable.endOfBlock else { break }
                if next >> 24 != 0 {
                    let value = JPEGSymbolTable.value(of: UInt64(rest) << Self.shift, next)
                    let word = UInt64(UInt16(truncatingIfNeeded: value)) << 16 | UInt64(advance + step - 1)
                    words |= word << UInt64(32 * count)
                    count += 1
                }
                length += total
                advance += step
            }
            if length == 0 { advance = Self.unknown }
            return words | UInt64(length) << 10 | UInt64(count) << 8 | UInt64(advance) << 40
        }
    }

    /// Looks up the next bits.
    @inline(__always)
    static func entry(_ bits: UInt64, in entries: UnsafePointer<UInt64>) -> UInt64 {
        // There is an entry for each window of this many bits.
        entries[Int(truncatingIfNeeded: bits &>> shift)]
    }

    /// The bits of an entry, in all.
    @inline(__always)
    static func bitCount(_ entry: UInt64) -> UInt64 { entry &>> 10 & 63 }

    /// The positions that an entry advances by.
    @inline(__always)
    static func advance(_ entry: UInt64) -> Int { Int(truncatingIfNeeded: entry &>> 40 & 0xFF) }

    /// Writes an entry's words, with their places in zigzag order after a position, and returns where the next go. There must
    /// be room for two.
    @inline(__always)
    static func write(
        _ entry: UInt64, after position: Int, to words: UnsafeMutablePointer<UInt32>
    ) -> UnsafeMutablePointer<UInt32> {
        let pair = entry &+ UInt64(truncatingIfNeeded: position) &* 0x0000_0001_0000_0001
        UnsafeMutableRawPointer(words).storeBytes(of: pair.littleEndian, as: UInt64.self)
        return words + Int(truncatingIfNeeded: entry &>> 8 & 3)
    }
}
