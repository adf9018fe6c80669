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
        let pairStart: Int
        let skipStart: Int
        let dc: Int
        let ac: Int
        /// Whether its AC coefficients aren't needed.
        let isFlat: Bool
    }

    let blocks: UnsafeMutableBufferPointer<Block>
    /// Entries as `JPEGSymbolTable` has them.
    let dc: UnsafeMutableBufferPointer<UInt32>
    let ac: UnsafeMutableBufferPointer<UInt32>
    /// Entries as `JPEGPairTable` has them.
    let pairs: UnsafeMutableBufferPointer<UInt64>
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
        var (dcEntries, acEntries): ([UInt32], [UInt32]) = ([], [])
        var (pairEntries, skipEntries): ([UInt64], [UInt16]) = ([], [])
        var (dcStarts, acStarts): ([Int: Int], [Int: Int]) = ([:], [:])
        var blocks: [Block] = []
        for (index, member) in cursor.members.enumerated() {
            if dcStarts[member.dc.index] == nil {
                dcStarts[member.dc.index] = dcEntries.count
                dcEntries += JPEGSymbolTable(script.tables[member.dc.index], isDC: true).entries
            }
            if acStarts[member.ac.index] == nil {
                acStarts[member.ac.index] = acEntries.count
                acEntries += JPEGSymbolTable(script.tables[member.ac.index], isDC: false).entries
                pairEntries += JPEGPairTable(script.tables[member.ac.index]).entries
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
                            pairStart: acStart << (JPEGPairTable.windowBits - JPEGSymbolTable.windowBits),
                            skipStart: acStart << (JPEGSkippingTable.windowBits - JPEGSymbolTable.windowBits),
                            dc: member.dc.index, ac: member.ac.index, isFlat: isFlat[member.component]))
                }
            }
        }
        self.blocks = .allocate(capacity: blocks.count)
        dc = .allocate(capacity: dcEntries.count)
        ac = .allocate(capacity: acEntries.count)
        pairs = .allocate(capacity: pairEntries.count)
        skips = .allocate(capacity: skipEntries.count)
        _ = self.blocks.initialize(from: blocks)
        _ = dc.initialize(from: dcEntries)
        _ = ac.initialize(from: acEntries)
        _ = pairs.initialize(from: pairEntries)
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
        pairs.deallocate()
        skips.deallocate()
        order.deallocate()
    }
}
