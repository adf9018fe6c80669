/// Makes the ``JPEGScanTileIndex`` of a JPEG of several scans from its bytes as they arrive, in pieces of any size, and an
/// eighth-size image from its DC values.
///
/// Reads the bytes once and keeps none of them: memory is 2 bytes for each block's DC value, 1 to 9 for which of its other
/// coefficients aren't zero, by which later scans are read, and 8 or 16 for each state.
package struct JPEGScanTileIndexer: Sendable {
    /// The layout with the scans so far.
    package private(set) var layout: JPEGScanTileLayout
    /// Why indexing stopped, if it did.
    package private(set) var failure: JPEGBitstreamError?
    /// Whether the JPEG's end was found.
    package private(set) var isComplete = false
    /// The rows of MCUs whose DC values are known.
    package var eighthRowCount: Int { eighthRows.min() ?? 0 }

    private let columnWidth: Int
    private let maximumByteCount: Int
    private var headers: JPEGScanHeaders
    /// The blocks of a column in a row of MCUs; those of all follow each other, row by row.
    private let strip: JPEGCoefficientLayout
    /// For each block its DC value.
    private var means: [Int16]
    /// For each component which of its blocks' other coefficients aren't zero, as the scan before left them and where in them
    /// the current scan is; and as it leaves them.
    private var masks: [JPEGMaskQueue]
    private var nextMask = JPEGMaskQueue.Place()
    private var newMasks = JPEGMaskQueue()
    /// The components of which no further scan is possible but of DC: masks of their blocks aren't kept.
    private var finishedComponents: Set<Int> = []
    /// The rows of MCUs of which each component's first DC scan has been read.
    private var eighthRows: [Int]
    /// For each scan the states of each line.
    private var states: [JPEGScanStateList] = []
    private var stateByteCount = 0

    /// The scan that is being read; nil between two.
    private var cursor: JPEGScanCursor?
    private var (row, line, column) = (0, 0, 0)
    /// Bytes that haven't been read, and a few more; their first's offset in the JPEG; and the next marker's between two scans.
    private var data: [UInt8] = []
    private var dataStart: Int
    private var place: Int
    // For one column.
    private var scratch: [Int16]
    private let order = (0..<64).map { JPEGCoefficientReader.naturalOrder[$0] }

    private static let pieceByteCount = 1 << 16
    /// The most memory for a block, in bytes.
    private static let largestBlock = 2 + JPEGMaskQueue.largestMask

    /// An indexer for the JPEG whose first bytes are given, at least to its first scan's data.
    ///
    /// - Parameter maximumByteCount: The most memory to take.
    /// - Throws: ``JPEGTileObstacle``: why the JPEG's parts can't be read.
    package init(
        header: RawSpan, columnWidth: Int = 256, maximumByteCount: Int
    ) throws(JPEGTileObstacle) {
        headers = try JPEGScanHeaders(header, hasData: true)
        let structure = JPEGTileLayout.structure(of: header)
        guard let scan = structure.scans.first else { throw .incompleteHeader }
        self.columnWidth = columnWidth
        self.maximumByteCount = maximumByteCount
        do throws(JPEGBitstreamError) {
            layout = try JPEGScanTileLayout(headers, columnWidth: columnWidth, dataOffset: scan.dataOffset)
            strip = layout.script.layout.strip(mcusAcross: layout.tile.mcusPerColumn)
            let blockCount = layout.tile.columnCount * layout.tile.mcusDown * strip.blockCount
            guard blockCount <= maximumByteCount / Self.largestBlock else {
                throw JPEGBitstreamError(
                    .tooLarge,
                    """
                    indexing a progressive JPEG of \(layout.tile.width)x\(layout.tile.height) takes \
                    \(blockCount * Self.largestBlock / 1_000_000) MB of memory; the limit is \(maximumByteCount / 1_000_000) MB
                    """, offset: 0)
            }
            means = [Int16](repeating: 0, count: blockCount)
        } catch {
            throw .damagedHeader(error)
        }
        masks = layout.script.layout.components.map { _ in JPEGMaskQueue() }
        eighthRows = Array(repeating: 0, count: layout.tile.componentCount)
        scratch = [Int16](repeating: 0, count: strip.blockCount * 64)
        (dataStart, place) = (scan.dataOffset, scan.dataOffset)
        beginScan()
    }

    /// Whether further bytes are ignored.
    package var isFinished: Bool { isComplete || failure != nil }

    /// Adds the next bytes; the first is the one at the layout's data offset.
    package mutating func append(_ bytes: RawSpan) {
        var offset = 0
        while offset < bytes.byteCount, !isFinished {
            let end = min(offset + Self.pieceByteCount, bytes.byteCount)
            bytes.extracting(offset..<end).withUnsafeBytes { data.append(contentsOf: $0) }
            offset = end
            advance(isAtEnd: false)
        }
    }

    /// Marks the end of the bytes. A missing end-of-image marker alone isn't an error.
    package mutating func finish() {
        guard !isFinished else { return }
        advance(isAtEnd: true)
        guard !isFinished else { return }
        if cursor == nil, layout.script.isComplete {
            isComplete = true
        } else {
            failure = JPEGBitstreamError(
                .truncated, "the JPEG ends within scan \(states.count) or before its last",
                offset: dataStart + data.count)
        }
    }

    /// The page of the given rows and columns, once the index is complete.
    package func page(rows: Range<Int>, columns: Range<Int>) -> [UInt8] {
        precondition(isComplete)
        return JPEGScanTileIndex.page(layout, states, rows: rows, columns: columns)
    }

    /// The sample of a component at an eighth of its size, for a column and row of the image at that size.
    package func eighthSample(_ component: Int, x: Int, y: Int) -> UInt8 {
        let (layout, part) = (layout.script.layout, strip.components[component])
        let (block, line) = (x * part.across / layout.horizontalSampling, y * part.down / layout.verticalSampling)
        let perColumn = part.stride
        let cell = line / part.down * self.layout.tile.columnCount + block / perColumn
        let place = cell * strip.blockCount + part.start + line % part.down * part.stride + block % perColumn
        // libjpeg's rounding: a block's mean is an eighth of its DC coefficient.
        let mean = (Int(means[place]) * Int(self.layout.script.steps[component][0]) + 4) >> 3 + 128
        return UInt8(truncatingIfNeeded: min(max(mean, 0), 255))
    }

    // MARK: Reading

    private mutating func advance(isAtEnd: Bool) {
        while !isFinished {
            guard cursor == nil ? takeSegment() : readScan(isAtEnd: isAtEnd) else { break }
        }
        let needed = (cursor?.firstByte ?? place) - dataStart
        if needed > 0 {
            data.removeFirst(min(needed, data.count))
            dataStart += needed
        }
    }

    private mutating func beginScan() {
        var next = layout.script.cursors[layout.script.cursors.count - 1]
        if next.holdsDetail {
            let component = next.members[0].component
            guard !finishedComponents.contains(component) else {
                return fail(
                    JPEGBitstreamError(
                        .invalidScan, "scan \(next.number) codes coefficients that earlier scans have completed",
                        offset: place))
            }
            if layout.script.hasAllDetail(of: component) { finishedComponents.insert(component) }
        }
        next.enter(JPEGScanState(position: UInt64(place) * 8, carry: 0), after: 0)
        let count = layout.lineCount(next) * layout.tile.mcusDown * (layout.tile.columnCount + 1)
        stateByteCount += JPEGScanStateList.byteCount(next) * count
        guard stateByteCount + means.count * Self.largestBlock <= maximumByteCount else {
            return fail(
                JPEGBitstreamError(
                    .tooLarge,
                    "the index of the JPEG's scans takes more than \(maximumByteCount / 1_000_000) MB of memory",
                    offset: place))
        }
        states.append(JPEGScanStateList(next, count: count))
        (row, line, column) = (0, 0, 0)
        (nextMask, newMasks) = (JPEGMaskQueue.Place(), JPEGMaskQueue())
        cursor = next
    }

    private mutating func fail(_ error: JPEGBitstreamError) {
        cursor = nil
        failure = error
    }

    /// Takes the segment at the next marker; false if it hasn't arrived.
    private mutating func takeSegment() -> Bool {
        let (data, start) = (self.data, place - dataStart)
        func byte(_ offset: Int) -> Int? { start + offset < data.count ? Int(data[start + offset]) : nil }
        guard let first = byte(0), let code = byte(1) else { return false }
        let marker = JPEGMarker(rawValue: UInt8(code))
        guard first == 0xFF, code >= 0xC0 else {
            // Decoders skip what is no marker.
            place += 1
            return true
        }
        if marker == .endOfImage {
            isComplete = layout.script.failure == nil
            if let error = layout.script.failure { fail(error) }
            return true
        }
        guard marker != .startOfImage, !marker.isStartOfFrame else {
            fail(JPEGBitstreamError(.unexpectedMarker, "\(marker) comes between two scans", offset: place))
            return true
        }
        if marker.isStandalone || code == 0xFF {
            place += code == 0xFF ? 1 : 2
            return true
        }
        guard let high = byte(2), let low = byte(3) else { return false }
        let length = high << 8 | low
        guard length >= 2 else {
            fail(JPEGBitstreamError(.invalidSegmentLength, "\(marker) gives its length as \(length)", offset: place))
            return true
        }
        guard start + 2 + length <= data.count else { return false }
        let payload = (start + 4)..<(start + 2 + length)
        headers.append(marker, data.span.bytes.extracting(payload))
        place += 2 + length
        guard marker == .startOfScan else { return true }
        do throws(JPEGBitstreamError) {
            layout = try JPEGScanTileLayout(headers, columnWidth: columnWidth, dataOffset: layout.tile.dataOffset)
            beginScan()
        } catch {
            fail(JPEGBitstreamError(error.code, error.message, offset: place - 2 - length))
        }
        return true
    }

    /// Reads as much of the scan as has arrived; false if there is more of it.
    private mutating func readScan(isAtEnd: Bool) -> Bool {
        guard var cursor else { return true }
        // Spans need exclusive access, so that they are taken of variables.
        let (data, script, order) = (self.data, layout.script, self.order)
        var (scratch, lists) = (self.scratch, self.states[self.states.count - 1])
        self.scratch = []
        states[states.count - 1] = JPEGScanStateList(cursor, count: 0)
        var bits = [UInt64](repeating: 0, count: strip.blockCount)
        var isShort = false
        do {
            var part = JPEGScanCursor.Row(
                scratch.mutableSpan, bits.mutableSpan, entries: script.entries.span,
                tables: script.tables.span, order: order.span, layout: strip, number: row)
            let lineCount = layout.lineCount(cursor)
            while row < layout.tile.mcusDown {
                if lists.count == ((row * lineCount + line) * (layout.tile.columnCount + 1)) + column {
                    lists.append(cursor.state(in: data.span.bytes, from: dataStart))
                }
                part.number = row
                let before = cursor
                let next = load(&part, cursor)
                let units = layout.units(cursor, row: row, line: line, columns: column..<column + 1)
                cursor.read(
                    &part, JPEGScanCursor.Part(line: line, units: units, origin: layout.origin(cursor, column: column)),
                    from: data.span.bytes, start: dataStart)
                if let error = cursor.failure {
                    let end = dataStart + data.count
                    if cursor.mayHaveLacked(bytesFrom: end) {
                        isShort = true
                        cursor = before
                        if isAtEnd {
                            failure = JPEGBitstreamError(
                                .truncated, "the JPEG ends within scan \(cursor.number), in MCU row \(row + 1)",
                                offset: end)
                        }
                    } else {
                        failure = JPEGBitstreamError(error.code, error.message, offset: error.offset)
                    }
                    break
                }
                store(part, cursor, next)
                column += 1
                guard column == layout.tile.columnCount else { continue }
                lists.append(cursor.state(in: data.span.bytes, from: dataStart))
                (column, line) = (0, line + 1)
                guard line == lineCount else { continue }
                (line, row) = (0, row + 1)
                if cursor.isNeeded {
                    for member in cursor.members {
                        eighthRows[member.component] = max(eighthRows[member.component], row)
                    }
                }
            }
        }
        self.scratch = scratch
        states[states.count - 1] = lists
        self.cursor = failure == nil ? cursor : nil
        guard row == layout.tile.mcusDown, failure == nil else { return failure != nil || !isShort }
        if cursor.holdsDetail { swap(&masks[cursor.members[0].component], &newMasks) }
        newMasks = JPEGMaskQueue()
        // The rest of the last byte is filled up with ones.
        place = Int(clamping: (lists[lists.count - 1].position + 7) >> 3)
        self.cursor = nil
        return true
    }

    /// The first block of a line of the current cell, and of a scan of one component the number that it has there.
    private func blocks(_ cursor: JPEGScanCursor, _ member: Int, line: Int) -> (cell: Int, blocks: Range<Int>) {
        let part = strip.components[cursor.members[member].component]
        let start = part.start + line * part.stride
        return ((row * layout.tile.columnCount + column) * strip.blockCount, start..<start + part.stride)
    }

    /// Gives a part what the scans before have left of it; returns the place of the next part's masks.
    private func load(_ part: inout JPEGScanCursor.Row, _ cursor: JPEGScanCursor) -> JPEGMaskQueue.Place {
        var next = nextMask
        if cursor.holdsDetail {
            let component = cursor.members[0].component
            let isFirst = masks[component].isEmpty
            for block in blocks(cursor, 0, line: line).blocks {
                part.masks[block] = isFirst ? 0 : masks[component].mask(at: &next)
            }
        } else if cursor.content == .dcBit {
            for member in cursor.members.indices {
                for line in lines(cursor, member) {
                    let (cell, blocks) = blocks(cursor, member, line: line)
                    for block in blocks { part.coefficients[block * 64] = means[cell + block] }
                }
            }
        }
        return next
    }

    /// Takes what the scan has made of a part; the next part's masks are at `next`.
    private mutating func store(
        _ part: borrowing JPEGScanCursor.Row, _ cursor: JPEGScanCursor, _ next: JPEGMaskQueue.Place
    ) {
        if cursor.holdsDetail {
            let component = cursor.members[0].component
            nextMask = next
            masks[component].drop(before: next)
            guard !finishedComponents.contains(component) else { return }
            for block in blocks(cursor, 0, line: line).blocks { newMasks.append(part.masks[block]) }
            return
        }
        for member in cursor.members.indices {
            for line in lines(cursor, member) {
                let (cell, blocks) = blocks(cursor, member, line: line)
                for block in blocks { means[cell + block] = part.coefficients[block * 64] }
            }
        }
    }

    /// The lines of a component's blocks that are read with the current line.
    private func lines(_ cursor: JPEGScanCursor, _ member: Int) -> Range<Int> {
        cursor.members.count == 1 ? line..<line + 1 : 0..<strip.components[cursor.members[member].component].down
    }
}
