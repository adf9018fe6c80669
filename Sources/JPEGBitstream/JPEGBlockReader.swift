/// Reads the blocks of a scan in order, for their DC values.
///
/// Each block takes at most ``JPEGBlockTables/maximumBlockByteCount`` bytes, which must be available.
struct JPEGBlockReader: ~Escapable {
    var reader: JPEGFlatReader
    /// Whether all samples so far are within the range in which libjpeg's arithmetic is known.
    var isExact = true
    private let symbols: Span<UInt32>
    private let skips: Span<UInt16>
    private let tables: Span<JPEGBlockTables.Tables>
    /// Sums for a block that becomes 2 × 2 samples, see ``JPEGQuarterWeights``.
    private var sums: InlineArray<11, Int> = .init(repeating: 0)

    @_lifetime(copy data, borrow tables)
    init(_ tables: borrowing JPEGBlockTables, data: RawSpan, at position: Int) {
        reader = JPEGFlatReader(data, at: position)
        symbols = tables.symbols.span
        skips = tables.skips.span
        self.tables = tables.tables.span
    }

    /// Reads an MCU's blocks of a component for the prediction alone; false if they are invalid.
    @inline(__always)
    mutating func readPredictions(
        _ index: Int, _ component: JPEGBlockTables.Component, _ prediction: inout Int
    ) -> Bool {
        for _ in 0..<(component.across &* component.down) {
            guard readDC(index, component, &prediction), skipAC(index, component) else { return false }
        }
        return true
    }

    /// Reads an MCU's blocks of a component, each into one sample; false if they are invalid.
    @inline(__always)
    mutating func readMeans(
        _ index: Int, _ component: JPEGBlockTables.Component, _ prediction: inout Int,
        into target: inout MutableSpan<UInt8>, at place: Int
    ) -> Bool {
        for y in 0..<component.down {
            for x in 0..<component.across {
                guard readDC(index, component, &prediction), skipAC(index, component) else { return false }
                let level = (prediction &* component.dcStep &+ 4) &>> 3
                isExact = isExact && JPEGQuarterWeights.isExact(level)
                target[place &+ y &* component.stride &+ x] = JPEGQuarterWeights.clampedSample(level)
            }
        }
        return true
    }

    /// Reads an MCU's one block of a component into 2 × 2 samples; false if it is invalid.
    @inline(__always)
    mutating func readQuarters(
        _ index: Int, _ component: JPEGBlockTables.Component, _ prediction: inout Int,
        into target: inout MutableSpan<UInt8>, at place: Int
    ) -> Bool {
        guard readDC(index, component, &prediction) else { return false }
        let dc = prediction &* component.dcStep
        var isFlat = true
        guard readSums(index, component, dc, &isFlat) else { return false }
        let level = (dc &+ 4) &>> 3
        let mean = JPEGQuarterWeights.clampedSample(level)
        var means = (mean, mean, mean, mean)
        if !isFlat, let quarters = JPEGQuarterWeights.means(of: sums) {
            means = quarters
        } else {
            isExact = isExact && isFlat && JPEGQuarterWeights.isExact(level)
        }
        target[place] = means.0
        target[place &+ 1] = means.1
        target[place &+ component.stride] = means.2
        target[place &+ component.stride &+ 1] = means.3
        return true
    }

    /// Reads the next DC difference and updates the prediction; false for an invalid code.
    @inline(__always)
    private mutating func readDC(
        _ index: Int, _ component: JPEGBlockTables.Component, _ prediction: inout Int
    ) -> Bool {
        reader.fill()
        // Like every index here: each component has one entry for each window of this many bits.
        let window = Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)
        var entry = symbols[unchecked: component.dcStart &+ window]
        if entry == 0 {
            entry = JPEGSymbolTable.longEntry(of: reader.bits, in: tables[index].dc, isDC: true)
            if entry == 0 { return false }
        }
        prediction &+= JPEGSymbolTable.value(of: reader.bits, entry)
        reader.drop(Int(entry & 63))
        // Sixteen bits hold every coefficient of a valid file.
        return -32767...32767 ~= prediction
    }

    /// Skips a block's AC coefficients; false if they are invalid.
    @inline(__always)
    private mutating func skipAC(_ index: Int, _ component: JPEGBlockTables.Component) -> Bool {
        var position = 1
        while true {
            reader.fill()
            let window = Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)
            let entry = skips[unchecked: component.skipStart &+ window]
            let next = position &+ Int(entry &>> 8)
            if next < 64 {
                reader.drop(Int(entry & 63))
                position = next
            } else if next == 64 || JPEGSymbolTable.isEnd(next) {
                reader.drop(Int(entry & 63))
                return true
            } else {
                // A long code; without this the next block's bits would be read as this one's.
                let step = JPEGSymbolTable.longEntry(of: reader.bits, in: tables[index].ac, isDC: false)
                guard step != 0 else { return false }
                position &+= Int(step &>> 8 & 0xFF)
                reader.drop(Int(step & 63))
                if position >= 64 { return position == 64 || JPEGSymbolTable.isEnd(position) }
            }
        }
    }

    /// Reads a block's AC coefficients into its sums; false if they are invalid.
    @inline(__always)
    private mutating func readSums(
        _ index: Int, _ component: JPEGBlockTables.Component, _ dc: Int, _ isFlat: inout Bool
    ) -> Bool {
        var beyond = dc &+ 32768
        var position = 1
        while position < 64 {
            reader.fill()
            let window = Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)
            var entry = symbols[unchecked: component.acStart &+ window]
            if entry == 0 {
                entry = JPEGSymbolTable.longEntry(of: reader.bits, in: tables[index].ac, isDC: false)
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
                let coefficient = JPEGSymbolTable.value(of: reader.bits, entry) &* weight.step
                beyond |= coefficient &+ 32768
                sums[weight.place] &+= coefficient &* weight.weight
            }
            reader.drop(Int(entry & 63))
        }
        isExact = isExact && beyond >> 16 == 0
        return position == 64 || JPEGSymbolTable.isEnd(position)
    }
}
