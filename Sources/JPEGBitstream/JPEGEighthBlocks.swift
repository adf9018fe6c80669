/// Reads the blocks of a ``JPEGEighthScan`` one after the other.
struct JPEGEighthBlocks: ~Escapable {
    var reader: JPEGBitReader
    private let symbols: Span<UInt32>
    private let skips: Span<UInt16>
    /// Sums of a block that becomes 2 × 2 samples, see ``JPEGQuarterWeights``.
    private var sums: InlineArray<11, Int> = .init(repeating: 0)

    @_lifetime(copy data, borrow scan)
    init(_ scan: borrowing JPEGEighthScan, data: RawSpan) {
        reader = JPEGBitReader(data)
        symbols = scan.symbols.span
        skips = scan.skips.span
    }

    /// Reads an MCU's blocks of a component, each into one sample; false for what can't be one.
    @inline(__always)
    mutating func readMeans(
        _ index: Int, _ component: JPEGEighthScan.Component, _ tables: [JPEGEighthScan.Tables],
        _ prediction: inout Int, into target: inout MutableSpan<UInt8>, at place: Int
    ) -> Bool {
        for y in 0..<component.down {
            for x in 0..<component.across {
                guard readDC(index, tables, &prediction), skipAC(index, tables),
                    let sample = JPEGQuarterWeights.sample((prediction &* component.dcStep &+ 4) &>> 3)
                else { return false }
                target[place &+ y &* component.stride &+ x] = sample
            }
        }
        return true
    }

    /// Reads an MCU's one block of a component into 2 × 2 samples; false for what can't be one.
    @inline(__always)
    mutating func readQuarters(
        _ index: Int, _ component: JPEGEighthScan.Component, _ tables: [JPEGEighthScan.Tables],
        _ prediction: inout Int, into target: inout MutableSpan<UInt8>, at place: Int
    ) -> Bool {
        guard readDC(index, tables, &prediction) else { return false }
        let dc = prediction &* component.dcStep
        var isFlat = true
        guard -32768...32767 ~= dc, readSums(index, tables, dc, &isFlat) else { return false }
        var means: (UInt8, UInt8, UInt8, UInt8)?
        if isFlat {
            means = JPEGQuarterWeights.sample((dc &+ 4) &>> 3).map { ($0, $0, $0, $0) }
        } else {
            means = JPEGQuarterWeights.means(of: sums)
        }
        guard let means else { return false }
        target[place] = means.0
        target[place &+ 1] = means.1
        target[place &+ component.stride] = means.2
        target[place &+ component.stride &+ 1] = means.3
        return true
    }

    /// Reads the DC difference that comes next into the prediction; false for no code.
    @inline(__always)
    private mutating func readDC(_ index: Int, _ tables: [JPEGEighthScan.Tables], _ prediction: inout Int) -> Bool {
        reader.fill()
        let start = 2 &* index &* JPEGSymbolTable.entryCount
        var entry = symbols[start &+ Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)]
        if entry == 0 {
            entry = Self.longEntry(of: reader.bits, in: tables[index].dc, isDC: true)
            if entry == 0 { return false }
        }
        prediction &+= Self.value(of: reader.bits, entry)
        reader.drop(Int(entry & 63))
        // Sixteen bits hold every coefficient of a sound file.
        return -32768...32767 ~= prediction
    }

    /// Passes over a block's AC coefficients; false for what can't be one.
    @inline(__always)
    private mutating func skipAC(_ index: Int, _ tables: [JPEGEighthScan.Tables]) -> Bool {
        // Holds for every index below: as many entries as windows of this many bits follow the first.
        let skips = skips.extracting((index &* JPEGSkippingTable.entryCount)...)
            .extracting(first: JPEGSkippingTable.entryCount)
        var position = 1
        while true {
            reader.fill()
            let entry = skips[unchecked: Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)]
            let next = position &+ Int(entry &>> 8)
            if next < 64 {
                reader.drop(Int(entry & 63))
                position = next
            } else if next == 64 || Self.isEnd(next) {
                reader.drop(Int(entry & 63))
                return true
            } else {
                // A long code, or the next block's bits would be taken for this one's.
                let step = Self.longEntry(of: reader.bits, in: tables[index].ac, isDC: false)
                guard step != 0 else { return false }
                position &+= Int(step &>> 8 & 0xFF)
                reader.drop(Int(step & 63))
                if position >= 64 { return position == 64 || Self.isEnd(position) }
            }
        }
    }

    /// Reads a block's AC coefficients into its sums; false for what can't be one.
    @inline(__always)
    private mutating func readSums(
        _ index: Int, _ tables: [JPEGEighthScan.Tables], _ dc: Int, _ isFlat: inout Bool
    ) -> Bool {
        let start = (2 &* index &+ 1) &* JPEGSymbolTable.entryCount
        var beyond = 0
        var position = 1
        while position < 64 {
            reader.fill()
            var entry = symbols[start &+ Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)]
            if entry == 0 {
                entry = Self.longEntry(of: reader.bits, in: tables[index].ac, isDC: false)
                if entry == 0 { return false }
            }
            position &+= Int(entry &>> 8 & 0xFF)
            if entry &>> 24 != 0 {
                if isFlat {
                    sums = .init(repeating: 0)
                    sums[0] = dc
                    isFlat = false
                }
                let weight = tables[index].quarters.weights[position &- 1]
                let coefficient = Self.value(of: reader.bits, entry) &* weight.step
                beyond |= coefficient &+ 32768
                sums[weight.place] &+= coefficient &* weight.weight
            }
            reader.drop(Int(entry & 63))
        }
        return (position == 64 || Self.isEnd(position)) && beyond >> 16 == 0
    }

    /// Whether a position is that of a block that was ended before its last coefficient.
    @inline(__always)
    private static func isEnd(_ position: Int) -> Bool {
        position >= JPEGSymbolTable.endOfBlock && position < JPEGSymbolTable.endOfBlock + 64
    }

    /// The entry of a code that is longer than the table's window; 0 for none.
    @inline(never)
    private static func longEntry(of bits: UInt64, in table: JPEGHuffmanTable, isDC: Bool) -> UInt32 {
        guard let code = table.symbol(of: UInt16(bits >> 48)) else { return 0 }
        return JPEGSymbolTable.entry(code.symbol, length: code.length, isDC: isDC)
    }

    /// The number that an entry's extra bits stand for (T.81, F.2.2.1).
    @inline(__always)
    private static func value(of bits: UInt64, _ entry: UInt32) -> Int {
        let size = UInt64(entry &>> 24)
        let extra = bits &<< UInt64(entry &>> 16 & 0xFF)
        let number = Int(truncatingIfNeeded: (extra &>> 1) &>> (63 &- size))
        let isPositive = Int(truncatingIfNeeded: Int64(bitPattern: extra) &>> 63)
        return number &+ (~isPositive & (1 &- (1 &<< Int(truncatingIfNeeded: size))))
    }
}
