/// The tables for reading the one scan of a sequential JPEG from any byte, as plain memory that threads share.
final class JPEGSliceTables: @unchecked Sendable {
    // Unchecked: the memory is written by `init` only.

    /// A block of an MCU.
    struct Block {
        /// Its component among the scan's, and in the frame.
        let member: Int
        let component: Int
        /// Its place in the component's blocks of the MCU.
        let x: Int
        let y: Int
        /// The first entries of its tables, and the tables that these were made of.
        let dcStart: Int
        let acStart: Int
        let skipStart: Int
        let dc: Int
        let ac: Int
        /// Whether its AC coefficients aren't needed.
        let isFlat: Bool
    }

    /// The windows of entries of AC codes.
    static let windowBits = 10
    /// The shift from the top of 64 bits down to the window.
    static let shift = UInt64(64 - windowBits)
    /// Set in an entry whose top 16 bits are a coefficient, with all its bits.
    static let hasValue: UInt32 = 0x80

    let blocks: UnsafeMutableBufferPointer<Block>
    /// Entries as `JPEGSymbolTable` has them.
    let dc: UnsafeMutableBufferPointer<UInt32>
    /// Entries with a value: the low byte is the bits in all and `hasValue`, the next the positions to advance by.
    /// Others are as `JPEGSymbolTable` has them.
    let ac: UnsafeMutableBufferPointer<UInt32>
    /// Entries as `JPEGSkippingTable` has them.
    let skips: UnsafeMutableBufferPointer<UInt16>
    /// The place in natural order of each coefficient in zigzag order.
    let order: UnsafeMutablePointer<UInt8>
    let tables: [JPEGHuffmanTable]
    let restartInterval: Int
    /// The most bytes that an MCU can take, and the reader's look-ahead.
    let margin: Int

    /// - Parameter isFlat: For each component of the frame, whether only DC is needed.
    init(_ script: JPEGScanScript, _ cursor: JPEGScanCursor, isFlat: [Bool]) {
        var (dcEntries, acEntries, skipEntries): ([UInt32], [UInt32], [UInt16]) = ([], [], [])
        var (dcStarts, acStarts): ([Int: Int], [Int: Int]) = ([:], [:])
        var blocks: [Block] = []
        for (index, member) in cursor.members.enumerated() {
            if dcStarts[member.dc.index] == nil {
                dcStarts[member.dc.index] = dcEntries.count
                dcEntries += JPEGSymbolTable(script.tables[member.dc.index], isDC: true).entries
            }
            if acStarts[member.ac.index] == nil {
                // There are four times as many windows of 12 bits.
                acStarts[member.ac.index] = acEntries.count
                acEntries += Self.entries(script.tables[member.ac.index])
                skipEntries += JPEGSkippingTable(script.tables[member.ac.index]).entries
            }
            let component = script.layout.components[member.component]
            let acStart = acStarts[member.ac.index]!
            for y in 0..<component.down {
                for x in 0..<component.across {
                    blocks.append(
                        Block(
                            member: index, component: member.component, x: x, y: y,
                            dcStart: dcStarts[member.dc.index]!, acStart: acStart,
                            skipStart: acStart << (JPEGSkippingTable.windowBits - Self.windowBits),
                            dc: member.dc.index, ac: member.ac.index, isFlat: isFlat[member.component]))
                }
            }
        }
        self.blocks = .allocate(capacity: blocks.count)
        dc = .allocate(capacity: dcEntries.count)
        ac = .allocate(capacity: acEntries.count)
        skips = .allocate(capacity: skipEntries.count)
        _ = self.blocks.initialize(from: blocks)
        _ = dc.initialize(from: dcEntries)
        _ = ac.initialize(from: acEntries)
        _ = skips.initialize(from: skipEntries)
        order = .allocate(capacity: 64)
        for place in 0..<64 { order[place] = JPEGCoefficientReader.naturalOrder[place] }
        tables = script.tables
        restartInterval = cursor.restartInterval
        margin = blocks.count * JPEGBlockTables.maximumBlockByteCount + 16
    }

    deinit {
        blocks.deallocate()
        dc.deallocate()
        ac.deallocate()
        skips.deallocate()
        order.deallocate()
    }

    private static func entries(_ table: JPEGHuffmanTable) -> [UInt32] {
        (0..<(1 << windowBits)).map { window in
            let code = table.symbol(of: UInt16(window << (16 - windowBits)))
            guard let code, code.length <= windowBits else { return 0 }
            let entry = JPEGSymbolTable.entry(code.symbol, length: code.length, isDC: false)
            let total = Int(entry & 0xFF)
            guard entry >> 24 != 0, total <= windowBits else { return entry }
            let value = JPEGSymbolTable.value(of: UInt64(window) << shift, entry)
            return UInt32(total) | hasValue | entry & 0xFF00 | UInt32(UInt16(truncatingIfNeeded: value)) << 16
        }
    }
}
