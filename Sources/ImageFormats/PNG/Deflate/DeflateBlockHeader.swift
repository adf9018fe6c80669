/// The code lengths at the head of a dynamic block, run-length coded (RFC 1951, 3.2.7).
struct DeflateBlockHeader {
    private struct Item {
        var symbol: UInt8
        var extra: UInt8
    }

    private var items: [Item] = []
    private var literalCount = DeflateTables.literalCount
    private var distanceCount = DeflateTables.distanceCount
    private var codeLengthCount = 19
    private(set) var bitCount = 0

    /// Codes the lengths of both codes as one sequence, and builds the code for that.
    init(literals: borrowing HuffmanCode, distances: borrowing HuffmanCode, code: inout HuffmanCode) {
        while literalCount > 257, literals.lengths[literalCount - 1] == 0 { literalCount -= 1 }
        while distanceCount > 1, distances.lengths[distanceCount - 1] == 0 { distanceCount -= 1 }
        var lengths: [UInt8] = []
        lengths.reserveCapacity(literalCount + distanceCount)
        for symbol in 0..<literalCount { lengths.append(literals.lengths[symbol]) }
        for symbol in 0..<distanceCount { lengths.append(distances.lengths[symbol]) }
        runLengthCode(lengths)
        countBits(&code)
    }

    private mutating func runLengthCode(_ lengths: [UInt8]) {
        var index = 0
        while index < lengths.count {
            let length = lengths[index]
            var run = 1
            while index + run < lengths.count, lengths[index + run] == length { run += 1 }
            index += run
            if length != 0 {
                items.append(Item(symbol: length, extra: 0))
                run -= 1
            }
            while run >= 3 {
                if length != 0 {
                    let taken = min(run, 6)
                    items.append(Item(symbol: 16, extra: UInt8(taken - 3)))
                    run -= taken
                } else if run <= 10 {
                    items.append(Item(symbol: 17, extra: UInt8(run - 3)))
                    run = 0
                } else {
                    let taken = min(run, 138)
                    items.append(Item(symbol: 18, extra: UInt8(taken - 11)))
                    run -= taken
                }
            }
            for _ in 0..<run { items.append(Item(symbol: length, extra: 0)) }
        }
    }

    private mutating func countBits(_ code: inout HuffmanCode) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 19) { frequencies in
            frequencies.initialize(repeating: 0)
            for item in items { frequencies[Int(item.symbol)] += 1 }
            guard let base = frequencies.baseAddress else { return }
            code.build(base)
        }
        while codeLengthCount > 4, code.lengths[DeflateTables.codeLengthOrder[codeLengthCount - 1]] == 0 {
            codeLengthCount -= 1
        }
        bitCount = 3 + 14 + 3 * codeLengthCount
        for item in items { bitCount += Int(code.lengths[Int(item.symbol)]) + Int(Self.extraBits(item.symbol)) }
    }

    private static func extraBits(_ symbol: UInt8) -> UInt8 {
        switch symbol {
        case 16: 2
        case 17: 3
        case 18: 7
        default: 0
        }
    }

    /// Writes the header after the block's first three bits.
    func write(code: borrowing HuffmanCode, into writer: inout DeflateBitWriter) {
        writer.add(UInt32(literalCount - 257), 5)
        writer.add(UInt32(distanceCount - 1), 5)
        writer.add(UInt32(codeLengthCount - 4), 4)
        writer.flush()
        for index in 0..<codeLengthCount {
            writer.add(UInt32(code.lengths[DeflateTables.codeLengthOrder[index]]), 3)
            writer.flush()
        }
        for item in items {
            let symbol = Int(item.symbol)
            writer.add(UInt32(code.words[symbol]), code.lengths[symbol])
            writer.add(UInt32(item.extra), Self.extraBits(item.symbol))
            writer.flush()
        }
    }
}
