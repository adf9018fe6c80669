internal import CTesseraJPEG
package import JPEGBitstream
package import Raster

/// Decodes any rows of a JPEG of several scans, such as a progressive one, without the rows above them: all scans in step,
/// from a row of MCUs whose states a `JPEGScanIndex` has.
///
/// Reads the parts of the scans that it needs, and keeps no coefficients.
package struct JPEGScanReader: Sendable {
    /// The file's header.
    package let header: ImageHeader
    private let source: Source
    private let layout: JPEGCoefficientLayout
    /// Whether three components are YCbCr, not RGB.
    private let isYCC: Bool
    private let limits: DecodingLimits

    /// The working memory of a reader, without pixels, in bytes.
    package var workingByteCount: Int { JPEGSampleRows.byteCount(layout) }

    /// The length of the file.
    package var byteCount: Int { source.length }

    /// Reads the header of the JPEG in `source`.
    /// - Throws: `unsupported` unless it is grey, YCbCr or RGB, of several Huffman-coded scans and 8 bits.
    package init(_ source: Source, options: DecodingOptions) throws(ImageError) {
        let decoder = try JPEGDecoder(options: options)
        let bytes = source.reader()
        while decoder.header == nil, try bytes.nextBytes({ (piece) throws(ImageError) in try decoder.append(piece) }) {}
        guard let header = decoder.header else { throw ImageError(.truncated, "the JPEG ends before its header does") }
        guard header.colorModel != .cmyk, let frame = decoder.framesInStep() else {
            throw ImageError(.unsupported, "only the rows of a grey, YCbCr or RGB JPEG of several scans can be entered")
        }
        self.header = header
        self.source = source
        layout = frame.layout
        isYCC = Int(decoder.stored.space) == TESSERA_JPEG_SPACE_YCBCR
        limits = options.limits
        try limits.checkWorkingMemory(workingByteCount, for: "decoding rows of the JPEG's scans")
    }

    /// Reads all markers, and the tables of all scans.
    /// - Throws: `limitExceeded` for more scans than `DecodingLimits.maximumScanCount`, or the error of the first scan.
    package func makeScript() throws(ImageError) -> JPEGScanScript {
        var walker = JPEGMarkerWalker()
        let reader = source.reader()
        while !walker.isAtEnd, walker.structure.failure == nil,
            try reader.nextBytes({ piece in try? walker.append(piece) })
        {}
        try? walker.finish()
        let structure = walker.structure
        guard structure.scanCount <= limits.maximumScanCount else {
            throw ImageError(
                .limitExceeded, "the JPEG has \(structure.scanCount) scans; the limit is \(limits.maximumScanCount)")
        }
        var script: JPEGScanScript
        do throws(JPEGBitstreamError) {
            script = try JPEGScanScript(structure)
        } catch {
            throw ImageError(error)
        }
        for segment in structure.segments {
            // A segment's length has 16 bits.
            let range = segment.offset..<min(segment.payload.upperBound, source.length)
            guard segment.marker.matters, !range.isEmpty else { continue }
            try source.withBytes(in: [range]) { (bytes, offsets) throws(ImageError) in
                do throws(JPEGBitstreamError) {
                    try script.takeIfSound(segment, in: bytes, from: offsets[0])
                } catch {
                    throw ImageError(error)
                }
            }
        }
        script.finish(structure)
        return script
    }

    /// Rows of MCUs that were passed while a part was decoded.
    package struct Passed: Sendable {
        /// The states at rows of MCUs that the index lacked, or has from a file.
        package var starts: [JPEGScanIndex.Start] = []
        /// The first damage in them.
        package var failure: JPEGBitstreamError?
    }

    /// The image at an eighth of its size, by the scans that it needs: DC, and of subsampled components some detail.
    package func makeEighth(_ script: JPEGScanScript) throws(ImageError) -> Bitmap {
        let coefficients = JPEGCoefficientRows(
            script, omittingDetail: JPEGSampleRows.needsOnlyDC(script.layout, side: 1))
        let samples = JPEGSampleRows(coefficients, bits: 8, side: 1, from: 0)
        let rect = PixelRect(PixelSize(width: samples.width, height: samples.height))
        return try decode(rect, samples) { _, _, _ in }
    }

    /// The pixels of a part of the image at `side` eighths of its size, as stored.
    /// - Parameters:
    ///   - rect: The part, in pixels at that size.
    ///   - side: Pixels on a block's side: 8, 4, 2 or 1.
    ///   - index: The states so far.
    /// - Throws: `truncated` or `corrupt` where the part has no data, and the error of reading the file.
    package func decode(
        _ rect: PixelRect, side: Int, _ script: JPEGScanScript, _ index: JPEGScanIndex
    ) throws(ImageError) -> (bitmap: Bitmap, passed: Passed) {
        let first = JPEGSampleRows.firstRow(rect.y, script.layout, side: side)
        var start = index.start(for: first)
        var passed = Passed()
        func isNoted(_ row: Int) -> Bool { index.needsStates(at: row) || index.isStored && row % index.rowStep == 0 }
        func note(_ failure: JPEGBitstreamError?) {
            if let failure, failure.offset < passed.failure?.offset ?? .max { passed.failure = failure }
        }
        while start.row < first, let next = try pass(start, to: first, script) {
            passed.starts += next.starts.filter { isNoted($0.row) }
            note(next.failure)
            start = next.starts[next.starts.count - 1]
        }
        let coefficients = JPEGCoefficientRows(script, from: start.row, states: start.states)
        let samples = JPEGSampleRows(coefficients, bits: 8, side: side, from: rect.y)
        let bitmap = try decode(rect, samples, earlier: passed.failure ?? index.failure) { rows, bytes, pieces in
            if isNoted(rows.rowCount) {
                passed.starts.append(JPEGScanIndex.Start(row: rows.rowCount, states: rows.states(bytes, pieces)))
            }
            note(rows.failure)
        }
        return (bitmap, passed)
    }

    /// The most bytes of the scans, and of their states, that passing rows takes at once.
    private static let passedByteCount = 2 << 20

    /// Passes rows of MCUs on several threads, as far as that goes at once; nil where one thread does as well.
    private func pass(
        _ start: JPEGScanIndex.Start, to end: Int, _ script: JPEGScanScript
    ) throws(ImageError) -> (starts: [JPEGScanIndex.Start], failure: JPEGBitstreamError?)? {
        let layout = script.layout
        let threadCount = JPEGSlices.threadCount
        let rowCount = min(end - start.row, Self.passedByteCount / (32 * max(1, script.scanCount)))
        guard threadCount > 1, rowCount * 8 * layout.verticalSampling * layout.width >= JPEGSlices.leastPixelCount
        else { return nil }
        let plan = JPEGSteppedScans.Plan(rowsAtOnce: 1, isConcurrent: true, keepsAll: false)
        let byteCount = plan.byteCount(script, isDCAlone: layout.components.map { _ in false })
        guard byteCount + 3 * Self.passedByteCount <= limits.maximumWorkingByteCount else { return nil }
        let memory = try ScratchMemory(bytesPerRow: byteCount, rowCount: 1)
        let scans = JPEGSteppedScans(
            passing: start.row..<(start.row + rowCount), of: script, states: start.states, plan,
            memory: JPEGSteppedScans.Memory(memory.base, owner: memory))
        let whole = scans.remainingRanges(fileEnd: source.length)
        // As many as these rows have on average, and a little more.
        let left = whole.reduce(1) { $0 + $1.count }
        let share =
            1.1
            * min(
                Double(rowCount) / Double(layout.mcusDown - start.row), Double(Self.passedByteCount) / Double(left))
        let byteCounts = whole.map { 4096 + Int(share * Double($0.count)) }
        try withPieces(of: whole, byteCounts) { (bytes, pieces) throws(ImageError) in
            scans.withData(bytes, pieces) { scans.readAll(threadCount: threadCount) }
        }
        let passed = scans.passed
        return passed.starts.isEmpty ? nil : passed
    }

    /// Lends `body` the first bytes of ranges, one for each scan, as many as are given.
    private func withPieces(
        of whole: [Range<Int>], _ byteCounts: [Int],
        _ body: (RawSpan, [JPEGScanPiece]) throws(ImageError) -> Void
    ) throws(ImageError) {
        let ranges = zip(whole, byteCounts).map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + $1) }
        try source.withBytes(in: ranges) { (bytes, offsets) throws(ImageError) in
            let pieces = ranges.indices.map {
                JPEGScanPiece(
                    start: offsets[$0], range: ranges[$0], isCut: ranges[$0].upperBound < whole[$0].upperBound)
            }
            try body(bytes, pieces)
        }
    }

    /// Decodes a part, calling `note` after each row of MCUs.
    /// - Parameter failure: Damage that was found above.
    private func decode(
        _ rect: PixelRect, _ samples: consuming JPEGSampleRows, earlier failure: JPEGBitstreamError? = nil,
        note: (JPEGCoefficientRows, RawSpan, [JPEGScanPiece]) -> Void
    ) throws(ImageError) -> Bitmap {
        var samples = samples
        var bitmap = try MutableBitmap(
            uninitialized: BitmapInfo(
                size: rect.size, format: header.colorModel == .gray ? .gray8 : .rgba8, profile: header.profile))
        var windows = JPEGScanWindowSizes(samples.coefficients, fileEnd: source.length)
        var y = 0
        while y < rect.height {
            let whole = samples.coefficients.remainingRanges(fileEnd: source.length)
            let rowCount = samples.coefficients.rowCount
            // The bitmap's rows are lent apart from the closure, which writes to them.
            var rows = bitmap.mutableRows
            try withPieces(of: whole, windows.byteCounts) { (bytes, pieces) throws(ImageError) in
                while y < rect.height {
                    while !samples.canFillLines(rect.y + y) {
                        guard samples.decodeRow(bytes, pieces) else { return }
                        note(samples.coefficients, bytes, pieces)
                    }
                    guard rect.y + y < samples.soundRowCount else {
                        throw (samples.failure ?? failure).map { ImageError($0) }
                            ?? ImageError(.corrupt, "the JPEG is damaged above row \(rect.y + y)")
                    }
                    samples.fillLines(rect.y + y)
                    let stride = rows.bytesPerRow
                    rows.withUnsafeBase { base in
                        // Row `y` has room for the part's width.
                        samples.writePixels(rect.x..<(rect.x + rect.width), isYCC: isYCC, to: base + y * stride)
                    }
                    y += 1
                }
            }
            if samples.coefficients.rowCount == rowCount { windows.grow() }
        }
        return bitmap.freeze()
    }
}

/// How many bytes of each scan are read at a time: as many as a few rows of MCUs have on average.
private struct JPEGScanWindowSizes {
    private(set) var byteCounts: [Int]

    private static let rowsAtOnce = 12

    init(_ rows: JPEGCoefficientRows, fileEnd: Int) {
        let rowsLeft = max(1, rows.layout.mcusDown - rows.rowCount)
        byteCounts = rows.remainingRanges(fileEnd: fileEnd).map { range in
            1024 + range.count / rowsLeft * Self.rowsAtOnce
        }
    }

    /// Reads more at a time from now on, where not even one row was read.
    mutating func grow() {
        for index in byteCounts.indices { byteCounts[index] *= 2 }
    }
}

extension JPEGMarker {
    /// Whether scans depend on the segment.
    fileprivate var matters: Bool {
        self == .startOfScan || self == .huffmanTables || self == .quantizationTables
    }
}
