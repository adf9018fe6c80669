/// Codes for writing DC differences: for each component one for each number of bits that a difference can have.
struct JPEGDifferenceCodes: Sendable {
    /// A table with a code for each number of bits from 0 to 15: that of ITU-T T.81, table K.3, and four codes more.
    static let complete: JPEGHuffmanTable = {
        // Valid by its counts: each code is 1 bit longer than the one before, and none consists of ones only.
        try! JPEGHuffmanTable(counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0], symbols: Array(0...15))
    }()

    /// For each component and number of bits the code, and above 32 bits its length; 0 where there is none.
    let entries: [UInt64]

    /// - Parameter tables: Each component's.
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

    /// The code of a difference and its bits, at the top of a word, and how many they are; nil where there is no code for it.
    @inline(__always)
    static func code(
        of difference: Int, for component: Int, in entries: Span<UInt64>
    ) -> (word: UInt64, length: Int)? {
        let size = Int.bitWidth &- abs(difference).leadingZeroBitCount
        guard size <= 15 else { return nil }
        let entry = entries[16 &* component &+ size]
        guard entry != 0 else { return nil }
        // T.81, F.1.2.1: a negative difference is written less one.
        let extra = UInt64(truncatingIfNeeded: difference &+ difference &>> 63) & ((1 &<< UInt64(size)) &- 1)
        let length = Int(entry &>> 32) &+ size
        return (((entry & 0xFFFF_FFFF) &<< UInt64(size) | extra) &<< UInt64(64 &- length), length)
    }
}
