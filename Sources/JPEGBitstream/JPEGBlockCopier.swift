/// Copies the MCUs of a row: recodes DC differences, the first of each component without a prediction, and copies all other
/// bits unchanged.
struct JPEGBlockCopier: ~Escapable {
    /// The result of reading an MCU.
    enum Outcome { case done, damaged, noCode }

    private let source: RawSpan
    private var reader: JPEGBitReader
    /// The first bit of the source that wasn't copied, of those already read.
    private var copiedEnd: Int
    private let tables: Span<JPEGBlockTables.Tables>
    private let components: Span<JPEGBlockTables.Component>
    private let symbols: Span<UInt32>
    private let skips: Span<UInt16>
    private let codes: Span<UInt64>
    /// Each component's last DC value, by the source's differences and by the copy's.
    private var predictions: InlineArray<3, Int>
    private var copied: InlineArray<3, Int> = .init(repeating: 0)

    /// A copier of the MCUs from the given bit of the source on, with an entry's predictions.
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

    /// Continues after the restart marker with the given number; false if there is none. All bits before it must have been copied.
    @_lifetime(self: copy self)
    mutating func restart(_ number: Int) -> Bool {
        predictions = .init(repeating: 0)
        guard reader.restart(number & 7) else { return false }
        copiedEnd = reader.position
        return true
    }

    /// Reads the next MCU and recodes all its DC differences, or the first of each component.
    ///
    /// The bits after the last of them aren't copied yet.
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

    /// Reads the next MCU without recoding; false if it is invalid.
    @_lifetime(self: copy self)
    mutating func passMCU() -> Bool {
        for index in components.indices {
            let component = components[index]
            for _ in 0..<(component.across &* component.down) {
                guard let difference = readDifference(index, component) else { return false }
                predictions[index] &+= difference
                guard -32767...32767 ~= predictions[index], skipAC(index, component) else { return false }
            }
        }
        return reader.count >= 0
    }

    /// Whether the bits read end at the given bit of the source, with an entry's predictions.
    func ends(at position: Int, like entry: JPEGTileIndex.Entry) -> Bool {
        reader.count >= 0 && reader.position == position
            && components.indices.allSatisfy { predictions[$0] == entry.prediction($0) }
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

    /// Skips a block's AC coefficients; false if they are invalid.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func skipAC(_ index: Int, _ component: JPEGBlockTables.Component) -> Bool {
        var position = 1
        while position < 64 {
            reader.fill()
            let entry = skips[component.skipStart &+ Int(truncatingIfNeeded: reader.bits &>> JPEGSkippingTable.shift)]
            var (length, next) = (Int(entry & 63), position &+ Int(entry &>> 8))
            if next > 64, !JPEGSymbolTable.isEnd(next) {
                // A long code; without this the next block's bits would be read as this one's.
                let step = JPEGSymbolTable.longEntry(of: reader.bits, in: tables[index].ac, isDC: false)
                guard step != 0 else { return false }
                (length, next) = (Int(step & 63), position &+ Int(step &>> 8 & 0xFF))
            }
            reader.drop(length)
            position = next
        }
        return position == 64 || JPEGSymbolTable.isEnd(position)
    }

    /// Copies the bits read so far; false if there is a marker among them.
    @_lifetime(self: copy self)
    mutating func copyBits(to writer: inout JPEGBitWriter) -> Bool {
        guard reader.count >= 0 else { return false }
        return copyBits(until: reader.position, to: &writer)
    }

    /// Copies all bits up to the given one of the source; false if there is a marker among them.
    @_lifetime(self: copy self)
    mutating func copyBits(until end: Int, to writer: inout JPEGBitWriter) -> Bool {
        var place = copiedEnd
        copiedEnd = end
        guard place <= end else { return false }
        if place & 7 != 0, place < end, !copyPart(from: &place, until: end, to: &writer) { return false }
        if place < end {
            guard let next = writer.putBytes(of: source, from: place >> 3, until: end >> 3) else { return false }
            place = next * 8
        }
        if place < end, !copyPart(from: &place, until: end, to: &writer) { return false }
        return place == end
    }

    /// Copies bits of one byte, up to its last or to `end`; false if it is an `FF` without a stuffed zero.
    @inline(__always)
    private func copyPart(from place: inout Int, until end: Int, to writer: inout JPEGBitWriter) -> Bool {
        let byte = source.byte(at: place >> 3)
        let length = min(8 - place & 7, end - place)
        let bits = UInt64(byte) &<< UInt64(truncatingIfNeeded: 56 + place & 7)
        writer.put(bits & ~(UInt64.max &>> UInt64(truncatingIfNeeded: length)), length)
        place += length
        guard byte == 0xFF, place & 7 == 0 else { return true }
        // The stuffed zero counts in the file's offsets but isn't data.
        guard place >> 3 < source.byteCount, source.byte(at: place >> 3) == 0 else { return false }
        place += 8
        return true
    }
}
