/// Reads a lossless scan a row of MCUs at a time, from bytes that arrive in pieces.
///
/// Memory is a row of MCUs' differences and samples, and one piece of the file.
struct JPEGLosslessScanReader: Sendable {
    let scan: JPEGLosslessScan
    /// The rows of MCUs read so far.
    private(set) var rowCount = 0
    /// The next byte of the file to read.
    private(set) var nextByte: Int

    /// The first byte of entropy-coded data, and the byte after it where that is known.
    private let dataOffset: Int
    private let endOffset: Int?
    private var data: JPEGFlatData
    /// The first bit that wasn't read, counted from the data's first without stuffed zeros and restart markers.
    private var position = 0
    /// The next MCU in the current row.
    private var column = 0
    private var rowsUntilRestart: Int
    private var restarts = 0
    /// The differences of the current row of MCUs.
    private var differences: [UInt16]

    /// - Parameter stored: The scan as the file has it, for its offsets.
    init(_ scan: JPEGLosslessScan, stored: JPEGScan) {
        self.scan = scan
        (dataOffset, endOffset) = (stored.dataOffset, stored.endOffset)
        nextByte = stored.dataOffset
        data = JPEGFlatData(margin: scan.margin)
        rowsUntilRestart = scan.rowsPerRestart ?? .max
        differences = [UInt16](repeating: 0, count: scan.sampleCount)
        samples = [UInt16](repeating: 0, count: scan.sampleCount)
    }

    /// The samples of the last row of MCUs, without the point transform; their places are the scan's components'.
    private(set) var samples: [UInt16]

    /// Reads the next row of MCUs.
    ///
    /// - Parameters:
    ///   - bytes: Bytes of the file from the one at `start`, which isn't after ``nextByte``.
    ///   - isWhole: Whether no bytes follow.
    /// - Returns: False if the row needs more bytes.
    mutating func readRow(
        _ bytes: RawSpan, from start: Int, isWhole: Bool
    ) throws(JPEGBitstreamError) -> Bool {
        let end = min(start + bytes.byteCount, endOffset ?? .max)
        while try !decodeRow() {
            if nextByte < end {
                let pieceEnd = min(nextByte + JPEGFlatData.pieceByteCount, end)
                data.take(bytes.extracting((nextByte - start)..<(pieceEnd - start)), droppingBefore: position >> 3)
                nextByte = pieceEnd
            } else if end == endOffset || isWhole {
                data.finish(isTruncated: endOffset == nil)
            } else {
                return false
            }
        }
        return true
    }

    /// Reads the rest of a row of MCUs from the data; returns false if it needs more.
    private mutating func decodeRow() throws(JPEGBitstreamError) -> Bool {
        if rowsUntilRestart == 0 {
            guard try passRestart() else { return false }
        }
        while column < scan.mcusAcross {
            let done = Self.read(scan.mcusAcross - column, from: column, scan, data, &position, &differences)
            column += done.count
            if let place = done.failure { throw failure(reaching: place) }
            guard data.pass(to: position >> 3) else { throw failure(reaching: position) }
            if done.count == 0 { return false }
        }
        try makeSamples()
        column = 0
        rowCount += 1
        rowsUntilRestart -= 1
        return true
    }

    /// Continues after the expected restart marker; false if it hasn't arrived.
    private mutating func passRestart() throws(JPEGBitstreamError) -> Bool {
        let place = (position + 7) >> 3
        if !data.hasRestart, data.end == place, !data.isEnded { return false }
        guard data.passRestart(UInt8(restarts & 7), at: place) else { throw failure(reaching: position) }
        restarts += 1
        position = place * 8
        rowsUntilRestart = scan.rowsPerRestart ?? .max
        return true
    }

    /// Makes the current row's samples from its differences.
    private mutating func makeSamples() throws(JPEGBitstreamError) {
        let isFirst = rowCount == 0 || rowsUntilRestart == scan.rowsPerRestart
        let seen = Self.add(differences, to: &samples, scan, row: rowCount, isFirst: isFirst)
        guard seen & scan.excessBits == 0 else {
            throw JPEGBitstreamError(
                .invalidEntropyData, "row \(rowCount) of MCUs has samples beyond the frame's precision",
                offset: filePosition)
        }
    }

    /// The byte of the file with the first bit that wasn't read.
    private var filePosition: Int { dataOffset + data.skipped + position >> 3 }

    /// - Parameter place: The bit at which reading stopped.
    private mutating func failure(reaching place: Int) -> JPEGBitstreamError {
        let row = rowCount
        // A code that needs bits from beyond the end isn't invalid: it is cut.
        let isCut = data.isEnded || data.hasRestart ? place + JPEGHuffmanTable.longestCode > data.limit * 8 : false
        if isCut, data.isTruncated, !data.hasRestart {
            return JPEGBitstreamError(
                .truncated, "the JPEG ends within row \(row) of MCUs",
                offset: dataOffset + data.byteCount)
        }
        position = isCut ? min(place, data.limit * 8) : place
        _ = data.pass(to: position >> 3)
        let message =
            if rowsUntilRestart == 0 {
                "\(JPEGMarker.restart(UInt8(restarts & 7))) is missing before row \(row) of MCUs"
            } else if isCut {
                "a marker stands where the data of row \(row) of MCUs was expected"
            } else {
                "row \(row) of MCUs has an invalid code"
            }
        return JPEGBitstreamError(.invalidEntropyData, message, offset: filePosition)
    }
}

extension JPEGLosslessScanReader {
    /// Reads consecutive MCUs of a row, as many as are certainly complete.
    ///
    /// Takes everything it writes as parameters, so that the loop looks up nothing.
    /// - Returns: The number read; and if one was invalid, the bit at which reading stopped.
    private static func read(
        _ count: Int, from column: Int, _ scan: JPEGLosslessScan, _ data: JPEGFlatData, _ position: inout Int,
        _ differences: inout [UInt16]
    ) -> (count: Int, failure: Int?) {
        let start = data.start * 8
        let limit = data.limit * 8 - start
        // After each MCU that is begun there is a margin: the data's, or the one after its end.
        let last = data.isEnded ? limit : (data.end - scan.margin) * 8 - start
        var reader = JPEGFlatReader(data.span, at: position - start)
        let (units, entries, tables) = (scan.units.span, scan.entries.span, scan.tables.span)
        let bitsPerMCU = units.count * JPEGDifferenceTable.maximumBitCount
        var target = differences.mutableSpan
        var done = 0
        while done < count, reader.position <= last {
            // The last of these begins at `last` at the latest, however many bits those before it take.
            let end = min(count, done + (last - reader.position) / bitsPerMCU + 1)
            for mcu in (column + done)..<(column + end) {
                for index in units.indices {
                    let unit = units[unchecked: index]
                    reader.fill()
                    let window = Int(truncatingIfNeeded: reader.bits &>> JPEGDifferenceTable.shift)
                    // Each table has an entry for each window.
                    var entry = entries[unchecked: unit.table &+ window]
                    if entry == 0 {
                        entry = JPEGDifferenceTable.longEntry(of: reader.bits, in: tables[unit.component])
                        if entry == 0 { return (done, reader.position + start) }
                    }
                    target[unit.start &+ mcu &* unit.step] = JPEGDifferenceTable.difference(of: reader.bits, entry)
                    reader.drop(Int(entry & 63))
                }
            }
            guard reader.position <= limit else { return (done, reader.position + start) }
            position = reader.position + start
            done = end
        }
        return (done, nil)
    }

    /// Makes the samples of a row of MCUs from differences.
    /// - Parameter isFirst: Whether the row is the first of the scan, or after a restart marker.
    /// - Returns: All samples combined by OR.
    private static func add(
        _ differences: [UInt16], to samples: inout [UInt16], _ scan: JPEGLosslessScan, row: Int, isFirst: Bool
    ) -> UInt16 {
        var seen: UInt16 = 0
        var target = samples.mutableSpan
        for component in scan.components {
            // Rows below the image are padding, which no row of the image depends on.
            let count = min(component.rowsPerMCU, component.height - row * component.rowsPerMCU)
            for y in 0..<count {
                let place = component.start + y * component.stride
                let row = differences.span.extracting(place..<(place + component.width))
                if isFirst, y == 0 {
                    seen |= JPEGPredictor.addFirstRow(row, to: &target, at: place, first: scan.firstPrediction)
                } else {
                    let prior = component.start + (y == 0 ? component.rowsPerMCU - 1 : y - 1) * component.stride
                    seen |= scan.predictor.add(row, to: &target, at: place, prior: prior)
                }
            }
        }
        return seen
    }
}
