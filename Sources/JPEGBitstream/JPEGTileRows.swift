/// The rows of a tile, to be written from its source's.
struct JPEGTileRows: ~Escapable {
    let window: JPEGTileWindow
    private let layout: JPEGTileLayout
    private let tables: JPEGBlockTables
    private let index: JPEGTileIndex
    private let source: RawSpan
    private let offset: Int
    private let mcus: Range<Int>

    /// The window's byte range must lie inside of the source, which begins at `offset` of the file.
    @_lifetime(copy source)
    init(
        _ assembler: borrowing JPEGTileAssembler, _ index: JPEGTileIndex, _ window: JPEGTileWindow, _ source: RawSpan,
        _ offset: Int
    ) {
        self.window = window
        layout = assembler.layout
        tables = assembler.tables
        self.index = index
        self.source = source
        self.offset = offset
        mcus = layout.mcus(of: window)
    }

    /// The bits of a row in the source; what they are in the file is checked.
    private func bits(of row: Int) throws(JPEGBitstreamError) -> Range<Int> {
        let first = index.entry(row: row, column: window.columns.lowerBound).position
        let last = index.entry(row: row, column: window.columns.upperBound).position
        let start = UInt64(offset) * 8
        guard start <= first, first <= last, last - start <= UInt64(source.byteCount) * 8 else {
            throw Self.damaged(at: offset)
        }
        return Int(first - start)..<Int(last - start)
    }

    private static func damaged(at offset: Int) -> JPEGBitstreamError {
        JPEGBitstreamError(.invalidEntropyData, "the scan's data isn't what was indexed", offset: offset)
    }

    /// How many MCUs of a row have all their DC differences coded anew: the first at least.
    ///
    /// Where a restart marker stands in the row, or between it and what follows in the source, all are.
    private func recodedCount(of row: Int, isComplete: Bool) -> Int {
        if isComplete { return mcus.count }
        guard layout.restartInterval > 0 else { return 1 }
        let first = row * layout.mcusAcross + mcus.lowerBound
        let next = (first / layout.restartInterval + 1) * layout.restartInterval
        let end = first + mcus.count
        return next < end || (next == end && mcus.upperBound < layout.mcusAcross) ? mcus.count : 1
    }

    /// The most bytes that the rows and the end take, and a word more.
    ///
    /// All of their bytes are read here, one in each 64: rows are far apart in the file, and their first bytes, which aren't in
    /// the processor's cache as a rule, are thus awaited together.
    func byteLimit(isComplete: Bool) throws(JPEGBitstreamError) -> Int {
        var count = 16
        var end = 0
        var seen: UInt8 = 0
        for row in window.rows {
            let bits = try bits(of: row)
            var place = bits.lowerBound >> 3
            while place < bits.upperBound >> 3 {
                seen |= source.byte(at: place)
                place &+= 64
            }
            guard bits.lowerBound >= end else { throw Self.damaged(at: offset) }
            end = bits.upperBound
            let blocks = recodedCount(of: row, isComplete: isComplete) * layout.blocksPerMCU
            // A block coded anew grows by less than four bytes. Each byte may have to be stuffed.
            count += 2 * (bits.count / 8 + 2 + 4 * blocks) + 2
        }
        // What was read has to have an effect, or the compiler leaves it out.
        return seen == 0 ? count + 1 : count
    }

    /// Holds what the index says of a row against the data.
    private func check(_ row: Int, _ codes: JPEGDifferenceCodes) throws(JPEGBitstreamError) {
        let bits = try bits(of: row)
        var copier = JPEGBlockCopier(
            tables, source, at: bits.lowerBound, index.entry(row: row, column: window.columns.lowerBound),
            codes.entries.span)
        let first = row * layout.mcusAcross
        func isBehindMarker(_ mcu: Int) -> Bool {
            layout.restartInterval > 0 && mcu % layout.restartInterval == 0
        }
        for mcu in mcus {
            let number = first + mcu
            if mcu > mcus.lowerBound, isBehindMarker(number) {
                guard copier.restart(number / layout.restartInterval - 1) else { throw Self.damaged(at: offset) }
            }
            guard copier.passMCU() else { throw Self.damaged(at: offset + bits.lowerBound >> 3) }
        }
        let next = first + mcus.upperBound
        // The end of a row of MCUs is before a marker, every other place behind it.
        if mcus.upperBound < layout.mcusAcross, isBehindMarker(next) {
            guard copier.restart(next / layout.restartInterval - 1) else { throw Self.damaged(at: offset) }
        }
        guard copier.ends(at: bits.upperBound, like: index.entry(row: row, column: window.columns.upperBound)) else {
            throw Self.damaged(at: offset + bits.lowerBound >> 3)
        }
    }

    /// Writes the rows and the end; gives the place behind them, or nil where there is no code for a difference.
    func write(
        to target: consuming MutableRawSpan, from start: Int, with codes: JPEGDifferenceCodes, isComplete: Bool
    ) throws(JPEGBitstreamError) -> Int? {
        var writer = JPEGBitWriter(target, from: start)
        for row in window.rows {
            if row > window.rows.lowerBound {
                writer.putMarker(.restart(UInt8((row - window.rows.lowerBound - 1) & 7)))
            }
            let bits = try bits(of: row)
            let count = recodedCount(of: row, isComplete: isComplete)
            let entry = index.entry(row: row, column: window.columns.lowerBound)
            if index.isStored { try check(row, codes) }
            var copier = JPEGBlockCopier(tables, source, at: bits.lowerBound, entry, codes.entries.span)
            for mcu in 0..<count {
                let number = row * layout.mcusAcross + mcus.lowerBound + mcu
                if mcu > 0, layout.restartInterval > 0, number % layout.restartInterval == 0 {
                    guard copier.copyBits(to: &writer), copier.restart(number / layout.restartInterval - 1) else {
                        throw Self.damaged(at: offset + bits.lowerBound >> 3)
                    }
                }
                switch copier.copyMCU(recodesAll: isComplete || count > 1, to: &writer) {
                case .done: break
                case .damaged: throw Self.damaged(at: offset + bits.lowerBound >> 3)
                case .noCode: return nil
                }
            }
            let isCopied =
                count < mcus.count ? copier.copyBits(until: bits.upperBound, to: &writer) : copier.copyBits(to: &writer)
            guard isCopied else { throw Self.damaged(at: offset + bits.lowerBound >> 3) }
            writer.finish()
        }
        writer.putMarker(.endOfImage)
        return writer.offset
    }
}
