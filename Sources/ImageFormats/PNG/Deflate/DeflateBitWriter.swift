/// Writes bits least significant first, as deflate packs them (RFC 1951, 3.1.1).
///
/// The caller owns the storage, which must have room for everything written and eight bytes more: a flush stores a
/// whole word. `DeflateCompressor.bound(for:)` gives the size.
struct DeflateBitWriter {
    private let base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var bits: UInt64 = 0
    private var bitCount: UInt64 = 0

    init(_ base: UnsafeMutablePointer<UInt8>) {
        self.base = base
    }

    /// Adds bits, at most 48 in all between two flushes.
    @inline(__always)
    mutating func add(_ value: UInt32, _ length: UInt8) {
        bits |= UInt64(value) &<< bitCount
        bitCount &+= UInt64(length)
    }

    /// Writes the whole bytes, and keeps at most seven bits.
    @inline(__always)
    mutating func flush() {
        // The storage has eight spare bytes, so a whole word always fits.
        UnsafeMutableRawPointer(base + count).storeBytes(of: bits.littleEndian, as: UInt64.self)
        let whole = bitCount & ~7
        count &+= Int(truncatingIfNeeded: whole &>> 3)
        bits &>>= whole
        bitCount &-= whole
    }

    /// Pads with zero bits to a whole byte.
    mutating func align() {
        bitCount = (bitCount + 7) & ~7
        flush()
    }

    /// Copies whole bytes; the writer must be aligned.
    mutating func append(_ bytes: UnsafePointer<UInt8>, count added: Int) {
        (base + count).update(from: bytes, count: added)
        count += added
    }
}

/// The alphabets of RFC 1951, 3.2.5, as look-up tables for writing.
enum DeflateTables {
    static let literalCount = 286
    static let distanceCount = 30
    static let endOfBlock = 256

    /// The length symbol, less 257, for each match length less 3.
    static let lengthSymbols: [UInt8] = (0..<256).map { value in
        UInt8(lengthBases.lastIndex { $0 <= value } ?? 0)
    }

    /// The match length, less 3, at which each length symbol begins. Length 258 has its own symbol.
    static let lengthBases: [Int] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 255,
    ]

    static let lengthExtraBits: [UInt8] = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]

    /// The order in which a block's header lists the lengths of the code for code lengths.
    static let codeLengthOrder: [Int] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// The symbol of a distance less 1, from its leading bits.
    @inline(__always)
    static func distanceSymbol(_ distance: UInt32) -> UInt32 {
        if distance < 2 { return distance }
        let top = 31 &- UInt32(truncatingIfNeeded: distance.leadingZeroBitCount)
        return 2 &* top &+ (distance &>> (top &- 1)) & 1
    }

    /// The number of extra bits after a distance symbol.
    @inline(__always)
    static func distanceExtraBits(_ symbol: UInt32) -> UInt32 {
        symbol < 2 ? 0 : symbol &>> 1 &- 1
    }
}

/// The code lengths at the beginning of a dynamic block, run-length coded (RFC 1951, 3.2.7).
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

    /// Codes the lengths of both codes as one sequence, and builds the code for it.
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
