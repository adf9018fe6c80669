/// The rows of a tile, ready to be written from its source's.
struct JPEGTileRows: ~Escapable {
    let window: JPEGTileWindow
    private let layout: JPEGTileLayout
    private let tables: JPEGBlockTables
    private let index: JPEGTileIndex
    private let source: RawSpan
    /// For each row, the file offset minus the offset in the source of its bytes.
    private let offsets: [Int]
    private let mcus: Range<Int>

    /// There is an offset for each of the window's rows.
    @_lifetime(copy source)
    init(
        _ assembler: borrowing JPEGTileAssembler, _ index: JPEGTileIndex, _ window: JPEGTileWindow, _ source: RawSpan,
        _ offsets: [Int]
    ) {
        self.window = window
        layout = assembler.layout
        tables = assembler.tables
        self.index = index
        self.source = source
        self.offsets = offsets
        mcus = layout.mcus(of: window)
    }

    private func offset(of row: Int) -> Int { offsets[row - window.rows.lowerBound] }

    /// The bits of a row in the source; their file positions are checked.
    private func bits(of row: Int) throws(JPEGBitstreamError) -> Range<Int> {
        let first = index.entry(row: row, column: window.columns.lowerBound).position
        let last = index.entry(row: row, column: window.columns.upperBound).position
        let offset = offset(of: row)
        // A restored index may hold any positions.
        guard first <= last, last < UInt64(Int64.max / 4), offset.magnitude < Int64.max / 32 else {
            throw Self.damaged(at: layout.dataOffset)
        }
        // Bits of a large file may exceed an Int of 32 bits; those of the source don't.
        let start = Int64(first) - 8 * Int64(offset)
        let end = Int64(last) - 8 * Int64(offset)
        guard start >= 0, end <= 8 * Int64(source.byteCount), end <= Int64(Int.max) else {
            throw JPEGBitstreamError(
                .truncated, "bytes \(first / 8) to \((last + 7) / 8) hold a row of the window but are missing",
                offset: Int(clamping: first / 8))
        }
        return Int(start)..<Int(end)
    }

    private func damaged(at bits: Range<Int>, of row: Int) -> JPEGBitstreamError {
        Self.damaged(at: offset(of: row) + bits.lowerBound >> 3)
    }

    private static func damaged(at offset: Int) -> JPEGBitstreamError {
        JPEGBitstreamError(.invalidEntropyData, "the scan's data doesn't match the index", offset: offset)
    }

    /// How many MCUs of a row have all their DC differences recoded: at least the first.
    ///
    /// All of them, if there is a restart marker in the row or right after it in the source.
    private func recodedCount(of row: Int, isComplete: Bool) -> Int {
        if isComplete { return mcus.count }
        guard layout.restartInterval > 0 else { return 1 }
        let first = row * layout.mcusAcross + mcus.lowerBound
        let next = (first / layout.restartInterval + 1) * layout.restartInterval
        let end = first + mcus.count
        return next < end || (next == end && mcus.upperBound < layout.mcusAcross) ? mcus.count : 1
    }

    /// An upper bound of the bytes of the rows and the end, plus a word.
    ///
    /// Also touches each of their cache lines: rows are far apart in the file and usually not cached, so the misses
    /// overlap here.
    func byteLimit(isComplete: Bool) throws(JPEGBitstreamError) -> Int {
        var count = 16
        var end: Int64 = 0
        var seen: UInt8 = 0
        for row in window.rows {
            let bits = try bits(of: row)
            var place = bits.lowerBound >> 3
            while place < bits.upperBound >> 3 {
                seen |= source.byte(at: place)
                place &+= 64
            }
            let position = Int64(bits.lowerBound) + 8 * Int64(offset(of: row))
            guard position >= end else { throw Self.damaged(at: Int(clamping: position >> 3)) }
            end = position + Int64(bits.count)
            let blocks = recodedCount(of: row, isComplete: isComplete) * layout.blocksPerMCU
            // A recoded block grows by less than four bytes. Each byte may need stuffing.
            count += 2 * (bits.count / 8 + 2 + 4 * blocks) + 2
        }
        // The bytes read must have an effect, or the compiler removes the reads.
        return seen == 0 ? count + 1 : count
    }

    /// Checks a row's index entries against the data.
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
                guard copier.restart(number / layout.restartInterval - 1) else { throw damaged(at: bits, of: row) }
            }
            guard copier.passMCU() else { throw damaged(at: bits, of: row) }
        }
        let next = first + mcus.upperBound
        // The end of a row of MCUs is before a marker, every other position after it.
        if mcus.upperBound < layout.mcusAcross, isBehindMarker(next) {
            guard copier.restart(next / layout.restartInterval - 1) else { throw damaged(at: bits, of: row) }
        }
        guard copier.ends(at: bits.upperBound, like: index.entry(row: row, column: window.columns.upperBound)) else {
            throw damaged(at: bits, of: row)
        }
    }

    /// Writes the rows and the end; returns the offset after them, or nil if there is no code for a difference.
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
                        throw damaged(at: bits, of: row)
                    }
                }
                switch copier.copyMCU(recodesAll: isComplete || count > 1, to: &writer) {
                case .done: break
                case .damaged: throw damaged(at: bits, of: row)
                case .noCode: return nil
                }
            }
            let isCopied =
                count < mcus.count ? copier.copyBits(until: bits.upperBound, to: &writer) : copier.copyBits(to: &writer)
            guard isCopied else { throw damaged(at: bits, of: row) }
            writer.finish()
        }
        writer.putMarker(.endOfImage)
        return writer.offset
    }
}
