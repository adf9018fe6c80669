/// Cuts parts out of a JPEG of several scans as JPEGs of one, with the same coefficients: no pixel is changed.
///
/// ``byteRanges(of:in:)`` are the bytes that a part needs: of each line of each scan those of its columns.
package struct JPEGScanTileAssembler: Sendable {
    private let layout: JPEGScanTileLayout
    private let header: JPEGTileHeader
    private let differences: JPEGDifferenceCodes
    private let coefficients: JPEGCoefficientCodes
    private let order = (0..<64).map { JPEGCoefficientReader.naturalOrder[$0] }

    /// The most bytes that a block takes: 64 codes of 16 bits with 15 more, and as many stuffed zeros.
    private static let maximumBlockByteCount = 512

    /// An assembler for parts of the JPEG with the given layout.
    ///
    /// - Parameter segments: Whole marker segments to insert in each tile after those for its colour space.
    package init(_ layout: JPEGScanTileLayout, inserting segments: [UInt8] = []) {
        self.layout = layout
        header = JPEGTileHeader(layout.tile, segments: segments, isComplete: false)
        differences = JPEGDifferenceCodes(layout.tile.components.map { $0.dc })
        coefficients = JPEGCoefficientCodes(JPEGCoefficientCodes.complete)
    }

    /// Columns of a line of a scan.
    private struct Line {
        let scan: Int
        let row: Int
        let number: Int
        let units: Range<Int>
        let first: JPEGScanState
        let end: JPEGScanState

        /// The bytes with the columns' data. One more than it touches: an `FF` counts only with the zero after it.
        var bytes: Range<Int>? {
            guard end.position >> 3 < UInt64(Int.max) - 2 else { return nil }
            return Int(first.position >> 3)..<Int((end.position + 7) >> 3) + 1
        }
    }

    /// The lines of a row in a window.
    private func lines(
        _ row: Int, _ columns: Range<Int>, _ index: JPEGScanTileIndex
    ) throws(JPEGBitstreamError) -> [Line] {
        var lines: [Line] = []
        for (scan, cursor) in layout.script.cursors.enumerated() {
            for number in 0..<layout.lineCount(cursor) {
                let units = layout.units(cursor, row: row, line: number, columns: columns)
                guard !units.isEmpty else { continue }
                guard let (first, end) = index.states(scan: scan, row: row, line: number, columns: columns) else {
                    throw JPEGBitstreamError(
                        .windowNotIndexed, "row \(row) of MCUs isn't indexed", offset: layout.tile.dataOffset)
                }
                lines.append(Line(scan: scan, row: row, number: number, units: units, first: first, end: end))
            }
        }
        return lines
    }

    /// The bytes of the file for a window, in the order in which ``append(_:of:from:offsets:to:)`` uses them. The last may reach a
    /// byte beyond the file.
    /// - Throws: ``JPEGBitstreamError/Code/windowNotIndexed`` if the pages of the window aren't all restored.
    package func byteRanges(
        of window: JPEGTileWindow, in index: JPEGScanTileIndex
    ) throws(JPEGBitstreamError) -> [Range<Int>] {
        guard layout.tile.contains(window) else {
            throw JPEGBitstreamError(.windowNotIndexed, "the window is outside the picture", offset: 0)
        }
        var ranges: [Range<Int>] = []
        for row in window.rows {
            for line in try lines(row, window.columns, index) {
                guard let bytes = line.bytes else {
                    throw JPEGBitstreamError(.tooLarge, "the file is larger than 2 GB", offset: 0)
                }
                ranges.append(bytes)
            }
        }
        return ranges
    }

    /// Appends a window's JPEG to `output`, which is unchanged if the function throws.
    ///
    /// - Parameters:
    ///   - source: The bytes of the window's ranges, anywhere.
    ///   - offsets: For each of ``byteRanges(of:in:)`` the file offset minus the offset in `source` of its bytes.
    /// - Throws: ``JPEGBitstreamError/Code/windowNotIndexed``, ``JPEGBitstreamError/Code/truncated`` if the source is too short,
    ///   or ``JPEGBitstreamError/Code/invalidEntropyData`` if it doesn't match the index.
    package func append(
        _ window: JPEGTileWindow, of index: JPEGScanTileIndex, from source: RawSpan, offsets: [Int],
        to output: inout [UInt8]
    ) throws(JPEGBitstreamError) {
        guard layout.tile.contains(window) else {
            throw JPEGBitstreamError(.windowNotIndexed, "the window is outside the picture", offset: 0)
        }
        let start = output.count
        do throws(JPEGBitstreamError) {
            header.append(window, of: layout.tile, to: &output)
            try appendRows(window, index, source, offsets, to: &output)
            output += [0xFF, JPEGMarker.endOfImage.rawValue]
        } catch {
            output.removeLast(output.count - start)
            throw error
        }
    }

    private func appendRows(
        _ window: JPEGTileWindow, _ index: JPEGScanTileIndex, _ source: RawSpan, _ offsets: [Int],
        to output: inout [UInt8]
    ) throws(JPEGBitstreamError) {
        let mcus = layout.tile.mcus(of: window)
        let strip = layout.script.layout.strip(mcusAcross: mcus.count)
        var values = [Int16](repeating: 0, count: strip.blockCount * 64)
        var masks = [UInt64](repeating: 0, count: strip.blockCount)
        var buffer = [UInt8](repeating: 0, count: strip.blockCount * Self.maximumBlockByteCount + 64)
        var place = 0
        for row in window.rows {
            if row > window.rows.lowerBound {
                let number = UInt8((row - window.rows.lowerBound - 1) & 7)
                output += [0xFF, JPEGMarker.restart(number).rawValue]
                for block in masks.indices { masks[block] = 0 }
                for place in values.indices { values[place] = 0 }
            }
            for line in try lines(row, window.columns, index) {
                guard place < offsets.count else { throw Self.missing(line) }
                try read(line, window, strip, source, offset: offsets[place], &values, &masks)
                place += 1
            }
            let count = write(row, mcus, strip, values.span, masks.span, to: &buffer)
            output.append(contentsOf: buffer[0..<count])
        }
    }

    /// Reads the coefficients of a line's columns.
    private func read(
        _ line: Line, _ window: JPEGTileWindow, _ strip: JPEGCoefficientLayout, _ source: RawSpan, offset: Int,
        _ values: inout [Int16], _ masks: inout [UInt64]
    ) throws(JPEGBitstreamError) {
        // Offsets come from outside; so do positions, which the line has checked.
        guard let bytes = line.bytes, offset.magnitude < Int.max / 4, bytes.lowerBound < Int.max / 2,
            bytes.lowerBound >= offset, bytes.lowerBound - offset <= source.byteCount
        else { throw Self.missing(line) }
        let place = bytes.lowerBound - offset
        // The last byte may be beyond the file's end.
        let end = min(place + bytes.count, source.byteCount)
        guard end >= place + bytes.count - 1 else { throw Self.missing(line) }
        let data = source.extracting(place..<end)
        var cursor = layout.script.cursors[line.scan]
        cursor.enter(
            line.first, after: layout.unitCount(cursor, row: line.row, line: line.number, before: line.units.lowerBound)
        )
        var row = JPEGScanCursor.Row(
            values.mutableSpan, masks.mutableSpan, entries: layout.script.entries.span,
            tables: layout.script.tables.span,
            order: order.span, layout: strip, number: line.row)
        let part = JPEGScanCursor.Part(
            line: line.number, units: line.units, origin: layout.origin(cursor, column: window.columns.lowerBound))
        cursor.read(&row, part, from: data, start: bytes.lowerBound)
        if let failure = cursor.failure { throw failure }
        // Positions are those before a restart marker, which the last byte may be the first of.
        guard cursor.state(in: data, from: bytes.lowerBound) == line.end else {
            throw JPEGBitstreamError(
                .invalidEntropyData, "the data of scan \(line.scan + 1) doesn't match the index",
                offset: bytes.lowerBound)
        }
    }

    private static func missing(_ line: Line) -> JPEGBitstreamError {
        JPEGBitstreamError(
            .truncated, "bytes of scan \(line.scan + 1) are missing for a part of the image",
            offset: Int(clamping: line.first.position >> 3))
    }

    /// Writes a row's blocks as those of one scan; returns the number of bytes.
    private func write(
        _ row: Int, _ mcus: Range<Int>, _ strip: JPEGCoefficientLayout, _ values: Span<Int16>, _ masks: Span<UInt64>,
        to buffer: inout [UInt8]
    ) -> Int {
        var bytes = buffer.mutableSpan
        var writer = JPEGBitWriter(bytes.mutableBytes, from: 0)
        let (differences, coefficients) = (differences.entries.span, coefficients.entries.span)
        var predictions = InlineArray<4, Int>(repeating: 0)
        for mcu in 0..<mcus.count {
            for (index, component) in strip.components.enumerated() {
                for y in 0..<component.down {
                    let isInside = row * component.down + y < component.blocksDown
                    for x in 0..<component.across {
                        let block = component.start + y * component.stride + mcu * component.across + x
                        // A block beyond the image's edge repeats the one before.
                        let isPadding =
                            !isInside || (mcus.lowerBound + mcu) * component.across + x >= component.blocksAcross
                        let value = isPadding ? predictions[index] : Int(values[block * 64])
                        // Both have 15 bits at most, and so has the difference.
                        let difference = max(-32767, min(32767, value - predictions[index]))
                        predictions[index] += difference
                        if let code = JPEGDifferenceCodes.code(of: difference, for: index, in: differences) {
                            writer.put(code.word, code.length)
                        }
                        writeDetail(isPadding ? 0 : masks[block], values, block * 64, coefficients, to: &writer)
                    }
                }
            }
        }
        writer.finish()
        return writer.offset
    }

    @inline(__always)
    private func writeDetail(
        _ mask: UInt64, _ values: Span<Int16>, _ base: Int, _ codes: Span<UInt64>, to writer: inout JPEGBitWriter
    ) {
        var (left, last) = (mask, 0)
        while left != 0 {
            let place = left.trailingZeroBitCount
            left &= left &- 1
            // Only damaged data has coefficients of 16 bits.
            let value = max(-32767, Int(values[base &+ Int(JPEGCoefficientReader.naturalOrder[place])]))
            guard value != 0 else { continue }
            var run = place &- last &- 1
            while run > 15 {
                let code = JPEGCoefficientCodes.code(run: 15, value: 0, in: codes)
                writer.put(code.word, code.length)
                run &-= 16
            }
            let code = JPEGCoefficientCodes.code(run: run, value: value, in: codes)
            writer.put(code.word, code.length)
            last = place
        }
        guard last < 63 else { return }
        let code = JPEGCoefficientCodes.code(run: 0, value: 0, in: codes)
        writer.put(code.word, code.length)
    }
}
