/// Looks up the next bits: a symbol's code, the number of extra bits after it, and the advance within the block.
///
/// Codes of more than ``windowBits`` bits are left to the Huffman table.
struct JPEGSymbolTable {
    static let windowBits = 10
    /// The shift from the top of 64 bits down to the window.
    static let shift = UInt64(64 - windowBits)
    /// The advance that ends the block, beyond any position.
    static let endOfBlock = 128

    /// An entry for each window: 0 for longer codes.
    let entries: [UInt32]

    /// - Parameter hasRuns: Whether an end of block may stand for several blocks (T.81, G.1.2.2).
    init(_ table: JPEGHuffmanTable, isDC: Bool, hasRuns: Bool = false, windowBits: Int = Self.windowBits) {
        entries = table.entries(windowBits: windowBits) {
            Self.entry($0, length: $1, isDC: isDC, hasRuns: hasRuns)
        }
    }

    /// From the low byte up: bits in all, positions to advance by, bits of the code, extra bits. 0 for symbols outside
    /// the standard.
    ///
    /// An end of several blocks advances by ``endOfBlock`` and the number of bits that follow for the run's length,
    /// which aren't counted.
    static func entry(_ symbol: UInt8, length: Int, isDC: Bool, hasRuns: Bool = false) -> UInt32 {
        let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
        let advance =
            switch (run, size) {
            case _ where isDC: 0
            case (15, 0): 16
            case (_, 0) where hasRuns: endOfBlock + run
            case (0, 0): endOfBlock
            case (_, 0): -1
            default: run + 1
            }
        guard advance >= 0 else { return 0 }
        return UInt32(length + size) | UInt32(advance) << 8 | UInt32(length) << 16 | UInt32(size) << 24
    }

    /// Whether a position is that of a block that ended before its last coefficient.
    @inline(__always)
    static func isEnd(_ position: Int) -> Bool {
        position >= endOfBlock && position < endOfBlock + 64
    }

    /// The entry of a code longer than the window; 0 if invalid.
    @inline(never)
    static func longEntry(
        of bits: UInt64, in table: JPEGHuffmanTable, isDC: Bool, hasRuns: Bool = false
    ) -> UInt32 {
        guard let code = table.symbol(of: UInt16(bits >> 48)) else { return 0 }
        return entry(code.symbol, length: code.length, isDC: isDC, hasRuns: hasRuns)
    }

    /// The value of an entry's extra bits (T.81, F.2.2.1).
    @inline(__always)
    static func value(of bits: UInt64, _ entry: UInt32) -> Int {
        let size = UInt64(entry &>> 24)
        let extra = bits &<< UInt64(entry &>> 16 & 0xFF)
        let number = Int(truncatingIfNeeded: (extra &>> 1) &>> (63 &- size))
        let isPositive = Int(truncatingIfNeeded: Int64(bitPattern: extra) &>> 63)
        return number &+ (~isPositive & (1 &- (1 &<< Int(truncatingIfNeeded: size))))
    }
}

/// Looks up how many bits to drop to skip AC coefficients: several at once if their codes fit into a window.
///
/// A coefficient's extra bits may reach beyond the window.
struct JPEGSkippingTable {
    static let windowBits = 12
    /// The shift from the top of 64 bits down to the window.
    static let shift = UInt64(64 - windowBits)
    /// An advance larger than a block, which means that this step must be taken symbol by symbol.
    static let unknown = UInt16(64 << 8)

    /// For each window, from the low byte up: bits to drop, positions to advance by.
    let entries: [UInt16]

    init(_ table: JPEGHuffmanTable) {
        let windowCount = 1 << Self.windowBits
        let first = JPEGSymbolTable(table, isDC: false, windowBits: Self.windowBits).entries
        entries = (0..<windowCount).map { window in
            var (length, advance) = (0, 0)
            while length < Self.windowBits, advance < JPEGSymbolTable.endOfBlock {
                let next = first[(window << length) & (windowCount - 1)]
                let step = Int(next >> 8 & 0xFF)
                let isWithin = Int(next >> 16 & 0xFF) + length <= Self.windowBits
                guard next != 0, isWithin, (advance + step) % JPEGSymbolTable.endOfBlock < 64 else { break }
                length += Int(next & 0xFF)
                advance += step
            }
            return length == 0 ? Self.unknown : UInt16(length | advance << 8)
        }
    }
}

/// Codes for writing DC differences: for each component, one code for each bit length of a difference.
struct JPEGDifferenceCodes: Sendable {
    /// A table with a code for each bit length from 0 to 15: that of ITU-T T.81, table K.3, and four codes more.
    static let complete: JPEGHuffmanTable = {
        // Valid by its counts: each code is 1 bit longer than the one before, and none consists of ones only.
        try! JPEGHuffmanTable(counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0], symbols: Array(0...15))
    }()

    /// For each component and bit length the code, and above 32 bits its length; 0 if there is none.
    let entries: [UInt64]

    /// - Parameter tables: Each component's table.
    init(_ tables: [JPEGHuffmanTable]) {
        var entries = [UInt64](repeating: 0, count: 16 * tables.count)
        for (component, table) in tables.enumerated() {
            var (code, place) = (UInt64(0), 0)
            for (index, count) in table.counts.enumerated() {
                code <<= 1
                for _ in 0..<count {
                    let symbol = Int(table.symbols[place])
                    if symbol <= 15 { entries[16 * component + symbol] = UInt64(index + 1) << 32 | code }
                    code += 1
                    place += 1
                }
            }
        }
        self.entries = entries
    }

    /// The code of a difference and its bits, at the top of a word, and their number; nil if there is no code for it.
    @inline(__always)
    static func code(
        of difference: Int, for component: Int, in entries: Span<UInt64>
    ) -> (word: UInt64, length: Int)? {
        let size = Int.bitWidth &- abs(difference).leadingZeroBitCount
        guard size <= 15 else { return nil }
        let entry = entries[16 &* component &+ size]
        guard entry != 0 else { return nil }
        // T.81, F.1.2.1: a negative difference is written minus one.
        let extra = UInt64(truncatingIfNeeded: difference &+ difference &>> 63) & ((1 &<< UInt64(size)) &- 1)
        let length = Int(entry &>> 32) &+ size
        return (((entry & 0xFFFF_FFFF) &<< UInt64(size) | extra) &<< UInt64(64 &- length), length)
    }
}
