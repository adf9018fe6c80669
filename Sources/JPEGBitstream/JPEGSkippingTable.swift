/// Looks up how many bits to drop so as to pass over AC coefficients: as many at once as have their codes in a window.
///
/// A coefficient's extra bits may reach beyond the window.
struct JPEGSkippingTable {
    static let windowBits = 12
    static let entryCount = 1 << windowBits
    /// What brings the window down from the top of 64 bits.
    static let shift = UInt64(64 - windowBits)
    /// Advances by more than a block has, which tells that the step has to be taken symbol by symbol.
    static let unknown = UInt16(64 << 8)

    /// For each window, from the low byte up: bits to drop, positions to advance by.
    let entries: [UInt16]

    init(_ table: JPEGHuffmanTable) {
        let windowCount = 1 << Self.windowBits
        let first: [UInt32] = (0..<windowCount).map { window in
            let code = table.symbol(of: UInt16(window << (16 - Self.windowBits)))
            guard let code, code.length <= Self.windowBits else { return 0 }
            return JPEGSymbolTable.entry(code.symbol, length: code.length, isDC: false)
        }
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
