/// Decodes the coefficients of a Huffman-coded DCT JPEG, one row of MCUs after the other, whatever its scans.
///
/// For sequential and progressive files (ITU-T T.81, F.2 and G.2) with 8 or 12 bits, any number of scans, and restart
/// intervals. Each scan has a cursor, and all cursors move together: after a row of MCUs its coefficients are final. So
/// memory depends on the width and the number of scans, never on the height. All bytes must be at hand.
///
/// Where a scan's data is damaged or ends, nothing more is read of that scan, and ``failure`` has the reason; other
/// scans go on.
package struct JPEGCoefficientRows: Sendable {
    /// Where the blocks lie.
    package let layout: JPEGCoefficientLayout
    /// For each component the quantisation steps in natural order; zeros where no scan has it.
    package let steps: [[UInt16]]
    /// Whether the scans hold every coefficient to its last bit, each in a legal order.
    package let isComplete: Bool
    /// The rows of MCUs that have been decoded.
    package private(set) var rowCount = 0
    /// The number of rows of MCUs that begin before the first damage in a scan without which there is no image; all if
    /// there is none.
    package private(set) var soundRowCount: Int
    /// The first damage found, or what is missing of the file.
    package private(set) var failure: JPEGBitstreamError?

    /// The last row's coefficients, 64 a block, in natural order.
    package private(set) var coefficients: [Int16]
    /// For each block of the last row, a bit for each AC coefficient, by its place in zigzag order, that isn't zero.
    package private(set) var masks: [UInt64]

    private var cursors: [JPEGScanCursor]
    private let entries: [UInt32]
    private let tables: [JPEGHuffmanTable]
    private let order = (0..<64).map { JPEGCoefficientReader.naturalOrder[$0] }

    /// Prepares to decode from the first row on.
    ///
    /// - Parameter omitted: For each component, whether only DC is needed: then the scans of its AC coefficients aren't read.
    package init(_ script: JPEGScanScript, omittingDetail omitted: [Bool]? = nil) {
        layout = script.layout
        steps = script.steps
        isComplete = script.isComplete
        failure = script.failure
        cursors = omitted.map { script.cursors(isDCAlone: $0) } ?? script.cursors
        entries = script.entries
        tables = script.tables
        soundRowCount = layout.mcusDown
        coefficients = [Int16](repeating: 0, count: layout.blockCount * 64)
        masks = [UInt64](repeating: 0, count: layout.blockCount)
    }

    /// Prepares to decode from a row of MCUs on, with the state of each of the script's scans there.
    package init(_ script: JPEGScanScript, from row: Int, states: [JPEGScanState]) {
        precondition(0...script.layout.mcusDown ~= row && states.count == script.cursors.count)
        self.init(script)
        rowCount = row
        for index in cursors.indices {
            cursors[index].resume(states[index], at: row, layout)
            if cursors[index].failure != nil, cursors[index].isNeeded { soundRowCount = min(soundRowCount, row) }
        }
    }

    /// Decodes the next row of MCUs; there must be one.
    /// - Parameters:
    ///   - data: The JPEG's bytes, at least those of the scans' data, to their ends.
    ///   - start: The byte of the JPEG at which they begin.
    package mutating func decodeRow(_ data: RawSpan, from start: Int) {
        _ = decodeRow(data, [JPEGScanPiece(start: start, range: start..<(start + data.byteCount))])
    }

    /// Decodes the next row of MCUs, unless it needs bytes after the pieces': then nothing changes, and it returns false.
    /// - Parameters:
    ///   - data: The bytes of the pieces.
    ///   - pieces: The piece for each scan that is read, or one for all of them.
    package mutating func decodeRow(_ data: RawSpan, _ pieces: [JPEGScanPiece]) -> Bool {
        precondition(rowCount < layout.mcusDown)
        clear()
        var before: [JPEGScanCursor] = []
        for piece in pieces where piece.isCut { before = cursors }
        read(data, pieces)
        for (cursor, piece) in zip(cursors, pieces) where piece.isCut && cursor.isDamagedIn(rowCount) {
            guard cursor.mayHaveLacked(bytesFrom: piece.range.upperBound) else { continue }
            cursors = before
            return false
        }
        for cursor in cursors where cursor.isDamagedIn(rowCount) {
            if let damage = cursor.failure, damage.offset < failure?.offset ?? .max { failure = damage }
            if cursor.isNeeded { soundRowCount = min(soundRowCount, rowCount + 1) }
        }
        rowCount += 1
        return true
    }

    /// Where each scan stands, after a row that was decoded from these pieces.
    package func states(_ data: RawSpan, _ pieces: [JPEGScanPiece]) -> [JPEGScanState] {
        var states: [JPEGScanState] = []
        for (index, cursor) in cursors.enumerated() {
            let piece = pieces[min(index, pieces.count - 1)]
            states.append(cursor.state(in: data.extracting(piece.place), from: piece.range.lowerBound))
        }
        return states
    }

    /// For each scan that is read the bytes that reading on needs first, to the end of its data.
    /// - Parameter fileEnd: The JPEG's end, for a scan that no marker ends.
    package func remainingRanges(fileEnd: Int) -> [Range<Int>] {
        cursors.map { $0.remainingRange(fileEnd: fileEnd) }
    }

    private mutating func clear() {
        var values = coefficients.mutableSpan
        values.update(repeating: 0)
        var bits = masks.mutableSpan
        bits.update(repeating: 0)
    }

    private mutating func read(_ data: RawSpan, _ pieces: [JPEGScanPiece]) {
        // Both spans below need exclusive access to a part of self, so that they are taken of variables.
        var (values, bits, cursors) = (coefficients, masks, cursors)
        (coefficients, masks, self.cursors) = ([], [], [])
        var row = JPEGScanCursor.Row(
            values.mutableSpan, bits.mutableSpan, entries: entries.span, tables: tables.span,
            order: order.span, layout: layout, number: rowCount)
        for index in cursors.indices {
            let piece = pieces[min(index, pieces.count - 1)]
            cursors[index].read(&row, from: data.extracting(piece.place), start: piece.range.lowerBound)
        }
        (coefficients, masks, self.cursors) = (values, bits, cursors)
    }
}

/// A scan's bytes within a larger span.
package struct JPEGScanPiece: Hashable, Sendable {
    /// The byte of the JPEG that a span's first byte would be, were all of the span contiguous with the piece.
    let start: Int
    /// The bytes of the JPEG.
    package let range: Range<Int>
    /// Whether the scan's data goes on after it.
    let isCut: Bool

    package init(start: Int, range: Range<Int>, isCut: Bool = false) {
        self.start = start
        self.range = range
        self.isCut = isCut
    }

    /// The bytes of the span.
    var place: Range<Int> { (range.lowerBound - start)..<(range.upperBound - start) }
}
