/// Looks up what the next bits begin with: a symbol's code, how many extra bits follow it, and how far it leads in the block.
///
/// Codes of more than ``windowBits`` bits are left to the Huffman table.
struct JPEGSymbolTable {
    static let windowBits = 10
    static let entryCount = 1 << windowBits
    /// What brings the window down from the top of 64 bits.
    static let shift = UInt64(64 - windowBits)
    /// What ending the block adds to a position in it, beyond any position.
    static let endOfBlock = 128

    /// An entry for each window: 0 where the code is longer.
    let entries: [UInt32]

    init(_ table: JPEGHuffmanTable, isDC: Bool) {
        entries = (0..<(1 << Self.windowBits)).map { window in
            let code = table.symbol(of: UInt16(window << (16 - Self.windowBits)))
            guard let code, code.length <= Self.windowBits else { return 0 }
            return Self.entry(code.symbol, length: code.length, isDC: isDC)
        }
    }

    /// From the low byte up: bits in all, positions to advance by, bits of the code, extra bits. 0 for what isn't in
    /// the standard.
    static func entry(_ symbol: UInt8, length: Int, isDC: Bool) -> UInt32 {
        let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
        let advance =
            switch (run, size) {
            case _ where isDC: 0
            case (15, 0): 16
            case (0, 0): endOfBlock
            case (_, 0): -1
            default: run + 1
            }
        guard advance >= 0 else { return 0 }
        return UInt32(length + size) | UInt32(advance) << 8 | UInt32(length) << 16 | UInt32(size) << 24
    }

    /// Whether a position is that of a block that was ended before its last coefficient.
    @inline(__always)
    static func isEnd(_ position: Int) -> Bool {
        position >= endOfBlock && position < endOfBlock + 64
    }

    /// The entry of a code that is longer than the table's window; 0 for none.
    @inline(never)
    static func longEntry(of bits: UInt64, in table: JPEGHuffmanTable, isDC: Bool) -> UInt32 {
        guard let code = table.symbol(of: UInt16(bits >> 48)) else { return 0 }
        return entry(code.symbol, length: code.length, isDC: isDC)
    }

    /// The number that an entry's extra bits stand for (T.81, F.2.2.1).
    @inline(__always)
    static func value(of bits: UInt64, _ entry: UInt32) -> Int {
        let size = UInt64(entry &>> 24)
        let extra = bits &<< UInt64(entry &>> 16 & 0xFF)
        let number = Int(truncatingIfNeeded: (extra &>> 1) &>> (63 &- size))
        let isPositive = Int(truncatingIfNeeded: Int64(bitPattern: extra) &>> 63)
        return number &+ (~isPositive & (1 &- (1 &<< Int(truncatingIfNeeded: size))))
    }
}
