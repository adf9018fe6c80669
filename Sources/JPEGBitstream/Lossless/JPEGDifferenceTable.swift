/// Looks up the next difference of a lossless scan: its code, and the number of bits after it (ITU-T T.81, H.1.2.2).
///
/// Unlike a DC table, it has a bit length of 16. Codes of more than ``windowBits`` bits are left to the Huffman table.
struct JPEGDifferenceTable {
    static let windowBits = 11
    /// The number of entries.
    static let count = 1 << windowBits
    /// The shift from the top of 64 bits down to the window.
    static let shift = UInt64(64 - windowBits)
    /// The most bits that a difference takes: a code of 16 bits, and 15 extra bits. The length 16 has no extra bits.
    static let maximumBitCount = 31

    /// An entry for each window: 0 for longer codes, and for those that aren't in the table.
    let entries: [UInt32]

    init(_ table: JPEGHuffmanTable) {
        entries = table.entries(windowBits: Self.windowBits) { Self.entry($0, length: $1) }
    }

    /// From the low byte up: bits in all, bits of the code, extra bits, and the difference's high byte for the length
    /// 16, which stands for 32768 alone. 0 for a symbol that isn't a bit length.
    private static func entry(_ symbol: UInt8, length: Int) -> UInt32 {
        switch symbol {
        case 0...15: UInt32(length + Int(symbol)) | UInt32(length) << 8 | UInt32(symbol) << 16
        case 16: UInt32(length) | UInt32(length) << 8 | 0x80 << 24
        default: 0
        }
    }

    /// The entry of a code longer than the window; 0 if invalid.
    @inline(never)
    static func longEntry(of bits: UInt64, in table: JPEGHuffmanTable) -> UInt32 {
        table.symbol(of: UInt16(bits >> 48)).map { entry($0.symbol, length: $0.length) } ?? 0
    }

    /// The difference modulo 65536 of an entry and the bits that it was looked up for (T.81, F.2.2.1).
    @inline(__always)
    static func difference(of bits: UInt64, _ entry: UInt32) -> UInt16 {
        let size = UInt64(entry &>> 16 & 0xFF)
        let extra = bits &<< UInt64(entry &>> 8 & 0xFF)
        let number = (extra &>> 1) &>> (63 &- size)
        let isPositive = UInt64(bitPattern: Int64(bitPattern: extra) &>> 63)
        let value = number &+ (~isPositive & (1 &- (1 &<< size)))
        return UInt16(truncatingIfNeeded: value) &+ UInt16(truncatingIfNeeded: (entry &>> 24) &<< 8)
    }
}
