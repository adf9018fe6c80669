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
        /// Its tables, and those that these were made of.
        let dcEntries: UnsafePointer<UInt32>
        let acEntries: UnsafePointer<UInt32>
        let pairs: UnsafePointer<UInt64>
        let skips: UnsafePointer<UInt16>
        let dc: Int
        let ac: Int
        /// The coefficients that are needed, in zigzag order.
        let neededCount: Int
    }

    let blocks: UnsafeMutableBufferPointer<Block>
    /// By the index of its Huffman table: entries as `JPEGSymbolTable` has them, and for AC also as `JPEGPairTable` and
    /// `JPEGSkippingTable` have them.
    private let dc: [Int: UnsafeMutableBufferPointer<UInt32>]
    private let ac: [Int: UnsafeMutableBufferPointer<UInt32>]
    private let pairs: [Int: UnsafeMutableBufferPointer<UInt64>]
    private let skips: [Int: UnsafeMutableBufferPointer<UInt16>]
    /// The place in natural order of each coefficient in zigzag order.
    let order: UnsafeMutablePointer<UInt8>
    let tables: [JPEGHuffmanTable]
    let restartInterval: Int
    /// The most bytes that an MCU can take, and the reader's look-ahead.
    let margin: Int

    /// - Parameter neededCounts: For each component of the frame, how many coefficients are needed, in zigzag order.
    init(_ script: JPEGScanScript, _ cursor: JPEGScanCursor, neededCounts: [Int]) {
        var dc: [Int: UnsafeMutableBufferPointer<UInt32>] = [:]
        var ac: [Int: UnsafeMutableBufferPointer<UInt32>] = [:]
        var pairs: [Int: UnsafeMutableBufferPointer<UInt64>] = [:]
        var skips: [Int: UnsafeMutableBufferPointer<UInt16>] = [:]
        func memory<Entry>(_ entries: [Entry]) -> UnsafeMutableBufferPointer<Entry> {
            let memory = UnsafeMutableBufferPointer<Entry>.allocate(capacity: entries.count)
            _ = memory.initialize(from: entries)
            return memory
        }
        func first<Entry>(_ memory: UnsafeMutableBufferPointer<Entry>) -> UnsafePointer<Entry> {
            UnsafePointer(memory.baseAddress!)
        }
        var blocks: [Block] = []
        for (index, member) in cursor.members.enumerated() {
            let (dcTable, acTable) = (member.dc.index, member.ac.index)
            if dc[dcTable] == nil { dc[dcTable] = memory(JPEGSymbolTable(script.tables[dcTable], isDC: true).entries) }
            if ac[acTable] == nil {
                ac[acTable] = memory(JPEGSymbolTable(script.tables[acTable], isDC: false).entries)
                pairs[acTable] = memory(JPEGPairTable(script.tables[acTable]).entries)
                skips[acTable] = memory(JPEGSkippingTable(script.tables[acTable]).entries)
            }
            let component = script.layout.components[member.component]
            for y in 0..<component.down {
                for x in 0..<component.across {
                    blocks.append(
                        Block(
                            member: index, component: member.component, x: x, y: y,
                            dcEntries: first(dc[dcTable]!), acEntries: first(ac[acTable]!),
                            pairs: first(pairs[acTable]!), skips: first(skips[acTable]!),
                            dc: dcTable, ac: acTable, neededCount: neededCounts[member.component]))
                }
            }
        }
        self.blocks = memory(blocks)
        (self.dc, self.ac, self.pairs, self.skips) = (dc, ac, pairs, skips)
        order = .allocate(capacity: 64)
        for place in 0..<64 { order[place] = JPEGCoefficientReader.naturalOrder[place] }
        tables = script.tables
        restartInterval = cursor.restartInterval
        margin = blocks.count * JPEGBlockTables.maximumBlockByteCount + 16
    }

    deinit {
        blocks.deallocate()
        for memory in dc.values { memory.deallocate() }
        for memory in ac.values { memory.deallocate() }
        for memory in pairs.values { memory.deallocate() }
        for memory in skips.values { memory.deallocate() }
        order.deallocate()
    }
}
