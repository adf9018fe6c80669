/// Codes for writing AC coefficients of any size.
struct JPEGCoefficientCodes: Sendable {
    /// A table with a code for each run of zeros and bit length: the commonest codes of ITU-T T.81, table K.5, and codes of 16
    /// bits for all others.
    static let complete: JPEGHuffmanTable = {
        let common: [UInt8] = [
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
            0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1,
        ]
        // Runs of 1 to 14 zeros with no coefficient are ends of several blocks, which one scan doesn't have.
        let others = (UInt8(0)...255).filter { ($0 & 15 != 0 || $0 == 0xF0) && !common.contains($0) }
        // Valid by its counts: the common codes leave 320 of 16 bits.
        return try! JPEGHuffmanTable(
            counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 0, 0, 0, 0, 0, UInt8(others.count)], symbols: common + others)
    }()

    /// For each symbol of the table its code, and above 32 bits its length; 0 if there is none.
    let entries: [UInt64]

    init(_ table: JPEGHuffmanTable) {
        var entries = [UInt64](repeating: 0, count: 256)
        var (code, place) = (UInt64(0), 0)
        for (index, count) in table.counts.enumerated() {
            code <<= 1
            for _ in 0..<count {
                entries[Int(table.symbols[place])] = UInt64(index + 1) << 32 | code
                code += 1
                place += 1
            }
        }
        self.entries = entries
    }

    /// The code of a run of zeros, at most 15, and a coefficient of at most 15 bits, at the top of a word, and their number.
    @inline(__always)
    static func code(run: Int, value: Int, in entries: Span<UInt64>) -> (word: UInt64, length: Int) {
        let size = Int.bitWidth &- abs(value).leadingZeroBitCount
        let entry = entries[run &<< 4 | size]
        let extra = UInt64(truncatingIfNeeded: value &+ value &>> 63) & ((1 &<< UInt64(size)) &- 1)
        let length = Int(entry &>> 32) &+ size
        return (((entry & 0xFFFF_FFFF) &<< UInt64(size) | extra) &<< UInt64(64 &- length), length)
    }
}
