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
    /// The byte of the JPEG at which the data begins.
    private let dataStart: Int
    private let order = (0..<64).map { JPEGCoefficientReader.naturalOrder[$0] }

    /// Prepares to decode.
    ///
    /// - Parameters:
    ///   - structure: The JPEG's structure. Where it is truncated or damaged, the scans before that are decoded.
    ///   - head: The JPEG's first bytes, at least to the first scan's data.
    ///   - data: The JPEG from byte `dataStart` on, at most the first scan's first byte of data, to its end.
    /// - Throws: `invalidFrame` for a frame without such coefficients, `invalidScan` for an impossible script or more
    ///   scans or segments than the structure has, `invalidHuffmanTable` or `invalidQuantizationTable` for tables that are damaged or missing.
    package init(
        _ structure: JPEGStructure, head: RawSpan, data: RawSpan, from dataStart: Int
    ) throws(JPEGBitstreamError) {
        guard let frame = structure.frame, let first = structure.scans.first else {
            throw structure.failure ?? JPEGBitstreamError(.truncated, "the JPEG has no scan", offset: head.byteCount)
        }
        guard dataStart <= first.dataOffset, head.byteCount >= first.dataOffset else {
            throw JPEGBitstreamError(
                .invalidScan, "the first scan begins at byte \(first.dataOffset), not at byte \(dataStart)",
                offset: first.offset)
        }
        layout = try JPEGCoefficientLayout(frame)
        guard structure.scanCount == structure.scans.count, structure.segmentCount == structure.segments.count else {
            throw JPEGBitstreamError(
                .invalidScan,
                """
                the JPEG has \(structure.segmentCount) segments; the limit is \(JPEGMarkerWalker.defaultRecordLimit)
                """, offset: structure.scans.last?.offset ?? 0)
        }
        var script = JPEGScanScript(frame, layout)
        for segment in structure.segments {
            if segment.marker == .startOfScan {
                try script.begin(structure.scans[script.cursors.count], dataStart: dataStart)
            } else if segment.payload.upperBound <= head.byteCount {
                try script.read(segment, in: head, from: 0)
            } else {
                try script.read(segment, in: data, from: dataStart)
            }
        }
        self.dataStart = dataStart
        cursors = script.cursors
        entries = script.entries
        tables = script.tables
        steps = script.steps
        isComplete = script.isComplete
        failure = structure.failure ?? script.missingComponent
        soundRowCount = layout.mcusDown
        coefficients = [Int16](repeating: 0, count: layout.blockCount * 64)
        masks = [UInt64](repeating: 0, count: layout.blockCount)
    }

    /// Decodes the next row of MCUs; there must be one.
    /// - Parameter data: The bytes that the initialiser was given.
    package mutating func decodeRow(_ data: RawSpan) {
        precondition(rowCount < layout.mcusDown)
        clear()
        read(data)
        for cursor in cursors where cursor.isDamagedIn(rowCount) {
            if let damage = cursor.failure, damage.offset < failure?.offset ?? .max { failure = damage }
            if cursor.content == .blocks || cursor.content == .dc { soundRowCount = min(soundRowCount, rowCount + 1) }
        }
        rowCount += 1
    }

    private mutating func clear() {
        var values = coefficients.mutableSpan
        values.update(repeating: 0)
        var bits = masks.mutableSpan
        bits.update(repeating: 0)
    }

    private mutating func read(_ data: RawSpan) {
        // Both spans below need exclusive access to a part of self, so that they are taken of variables.
        var (values, bits, cursors) = (coefficients, masks, cursors)
        (coefficients, masks, self.cursors) = ([], [], [])
        var row = JPEGScanCursor.Row(
            values.mutableSpan, bits.mutableSpan, entries: entries.span, tables: tables.span,
            order: order.span, layout: layout, number: rowCount)
        for index in cursors.indices { cursors[index].read(&row, from: data, start: dataStart) }
        (coefficients, masks, self.cursors) = (values, bits, cursors)
    }
}
