/// Copies the MCUs of a row: DC differences coded anew, the first of each component as if nothing came before it, and all other
/// bits as they are.
struct JPEGBlockCopier: ~Escapable {
    /// What became of an MCU.
    enum Outcome { case done, damaged, noCode }

    private let source: RawSpan
    private var reader: JPEGBitReader
    /// The first bit of the source that wasn't copied, of those that the reader has passed.
    private var copiedEnd: Int
    private let tables: Span<JPEGBlockTables.Tables>
    private let components: Span<JPEGBlockTables.Component>
    private let symbols: Span<UInt32>
    private let skips: Span<UInt16>
    private let codes: Span<UInt64>
    /// For each component the last DC, by the source's differences and by the copy's.
    private var predictions: InlineArray<3, Int>
    private var copied: InlineArray<3, Int> = .init(repeating: 0)

    /// A copier of the MCUs from a bit of the source on, whose predictions the entry has.
    @_lifetime(copy source, borrow tables, copy codes)
    init(
        _ tables: borrowing JPEGBlockTables, _ source: RawSpan, at position: Int, _ entry: JPEGTileIndex.Entry,
        _ codes: Span<UInt64>
    ) {
        self.source = source
        self.tables = tables.tables.span
        components = tables.components.span
        symbols = tables.symbols.span
        skips = tables.skips.span
        self.codes = codes
        copiedEnd = position
        reader = JPEGBitReader(source, from: position >> 3)
        reader.fill()
        reader.drop(position & 7)
        predictions = [entry.prediction(0), entry.prediction(1), entry.prediction(2)]
    }

    /// Goes on behind the restart marker with the given number; false if there is none. All bits before it must have been copied.
    @_lifetime(self: copy self)
    mutating func restart(_ number: Int) -> Bool {
        predictions = .init(repeating: 0)
        guard reader.restart(number & 7) else { return false }
        copiedEnd = reader.position
        return true
    }

    /// Passes over the MCU that comes next; codes all its DC differences anew, or the first of each component.
    ///
    /// What comes after the last of them isn't copied yet.
    @_lifetime(self: copy self)
    mutating func copyMCU(recodesAll: Bool, to writer: inout JPEGBitWriter) -> Outcome {
        for index in components.indices {
            let component = components[index]
            for block in 0..<(component.across &* component.down) {
                let recodes = block == 0 || recodesAll
                if recodes, !copyBits(to: &writer) { return .damaged }
                guard let difference = readDifference(index, component) else { return .damaged }
                predictions[index] &+= difference
                guard -32767...32767 ~= predictions[index] else { return .damaged }
                if recodes {
                    guard reader.count >= 0 else { return .damaged }
                    let change = predictions[index] &- copied[index]
                    guard let code = JPEGDifferenceCodes.code(of: change, for: index, in: codes) else { return .noCode }
                    writer.put(code.word, code.length)
                    copied[index] = predictions[index]
                    copiedEnd = reader.position
                }
                guard skipAC(index, component) else { return .damaged }
            }
        }
        return reader.count >= 0 ? .done : .damaged
    }

    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func readDifference(_ index: Int, _ component: JPEGBlockTables.Component) -> Int? {
        reader.fill()
        var entry = symbols[component.dcStart &+ Int(truncatingIfNeeded: reader.bits &>> JPEGSymbolTable.shift)]
        if entry == 0 { entry = JPEGSymbolTable.longEntry(of: reader.bits, in: tables[index].dc, isDC: true) }
        guard entry != 0 else { return nil }
        let difference = JPEGSymbolTable.value(of: reader.bits, entry)
        reader.drop(Int(entry & 63))
        return difference
    }

    /// Passes over a block's AC coefficients; false for what can't be one.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func skipAC(_ index: Int, _ component: JPEGBlockTables.Component) -> Bool {
        var position = 1
        while position < 64 {
            reader.fill()
            let entry = skips[component.skipStart &+ Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)]
            var (length, next) = (Int(entry & 63), position &+ Int(entry &>> 8))
            if next > 64, !JPEGSymbolTable.isEnd(next) {
                // A long code, or the next block's bits would be taken for this one's.
                let step = JPEGSymbolTable.longEntry(of: reader.bits, in: tables[index].ac, isDC: false)
                guard step != 0 else { return false }
                (length, next) = (Int(step & 63), position &+ Int(step &>> 8 & 0xFF))
            }
            reader.drop(length)
            position = next
        }
        return position == 64 || JPEGSymbolTable.isEnd(position)
    }

    /// Copies the bits that were passed over; false where a marker stands among them.
    @_lifetime(self: copy self)
    mutating func copyBits(to writer: inout JPEGBitWriter) -> Bool {
        guard reader.count >= 0 else { return false }
        return copyBits(until: reader.position, to: &writer)
    }

    /// Copies all bits up to one of the source, which lies inside; false where a marker stands among them.
    @_lifetime(self: copy self)
    mutating func copyBits(until end: Int, to writer: inout JPEGBitWriter) -> Bool {
        var place = copiedEnd
        copiedEnd = end
        guard place <= end else { return false }
        while place < end {
            if place & 7 == 0 {
                place = writer.putWords(of: source, from: place >> 3, until: end >> 3) &* 8
                if place == end { break }
            }
            let (offset, partial) = (place >> 3, place & 7)
            var length = 0
            if offset &+ 8 <= source.byteCount {
                let word = source.word(at: offset)
                let marks = RawSpan.marks(of: word)
                // The bits before the first FF, which are all as a rule.
                length = min((marks == 0 ? 64 : marks.trailingZeroBitCount & ~7) &- partial, end &- place)
                if length > 0 {
                    let bits = word.byteSwapped &<< UInt64(truncatingIfNeeded: partial)
                    writer.put(bits & ~(UInt64.max >> UInt64(truncatingIfNeeded: length)), length)
                    place &+= length
                }
            }
            if length <= 0 {
                let byte = source.byte(at: offset)
                length = min(8 &- partial, end &- place)
                let bits = UInt64(byte) &<< UInt64(truncatingIfNeeded: 56 &+ partial)
                writer.put(bits & ~(UInt64.max &>> UInt64(truncatingIfNeeded: length)), length)
                place &+= length
                if byte == 0xFF, place & 7 == 0 {
                    // The zero behind it, which is part of the file's position but not of the data.
                    guard offset + 1 < source.byteCount, source.byte(at: offset + 1) == 0 else { return false }
                    place &+= 8
                }
            }
        }
        return place == end
    }
}
