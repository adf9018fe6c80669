internal import CTesseraKernels
package import JPEGBitstream
internal import Raster

/// Decodes the rows of a sequential JPEG of one scan on several threads, bit for bit as libjpeg-turbo does, or at a reduced size
/// by the lowest frequencies.
///
/// The scan's data is read in batches of slices, while the rows of MCUs of the batch before become samples, and those of
/// the step before that pixels, on all threads. Memory is that of two batches and of some rows of MCUs. The result doesn't
/// depend on the number of threads. Rows must be requested from the top to the bottom.
package final class JPEGSlicedRows: @unchecked Sendable {
    // Unchecked: the threads of a step use a slot each, and write different samples and rows.

    /// The outcome of a call of `advance`.
    package enum Step: Equatable {
        /// More rows may be ready.
        case advanced
        /// More bytes must arrive.
        case needsData
        /// The data behind the rows so far is damaged, or has coefficients for which libjpeg's forms disagree.
        case isDamaged
    }

    /// The image's height at the reduced size.
    package let height: Int
    private let width: Int
    private let scan: JPEGSlicedScan
    private let layout: JPEGCoefficientLayout
    let planes: [JPEGSampleRows.Plane]
    private let isYCC: Bool
    private let isLow: Bool
    /// Rows of the image in a row of MCUs.
    private let rowsPerMCU: Int
    private let threadCount: Int
    /// The most rows of MCUs that a step makes samples of.
    private let rowsAtOnce: Int

    /// For each plane, the rows of MCUs that are held.
    private let samples: [UnsafeMutablePointer<UInt16>]
    private let held: Int
    private let places: JPEGSlicedScan.Places
    /// The rows of MCUs that have become samples, or weren't needed.
    private var rowCount: Int
    private var slots: [Slot] = []
    private var plan = Plan()

    /// MCUs whose coefficients are expanded together: they fit in a processor's first cache.
    static let mcusAtOnce = 16

    /// The working memory of a thread.
    private final class Slot {
        let coefficients: UnsafeMutablePointer<Int16>
        let masks: UnsafeMutablePointer<UInt64>
        let lines: [UnsafeMutablePointer<UInt16>]
        var isExact = true

        init(blockCount: Int, lineCount: Int, planeCount: Int) {
            coefficients = .allocate(capacity: 64 * blockCount)
            coefficients.initialize(repeating: 0, count: 64 * blockCount)
            masks = .allocate(capacity: blockCount)
            masks.initialize(repeating: 0, count: blockCount)
            lines = (0..<planeCount).map { _ in
                let line = UnsafeMutablePointer<UInt16>.allocate(capacity: lineCount)
                line.initialize(repeating: 0, count: lineCount)
                return line
            }
        }

        deinit {
            coefficients.deallocate()
            masks.deallocate()
            for line in lines { line.deallocate() }
        }
    }

    /// Prepares to decode the scan of `script`; nil unless it is one sequential scan of all components.
    /// - Parameters:
    ///   - side: Pixels on a block's side: 8, 4, 2 or 1.
    ///   - first: The first row of the image that is needed.
    ///   - isYCC: Whether the first three of several components are luma and chroma.
    ///   - isLow: Whether samples at a half and a quarter are made of as many of the lowest frequencies, which needs fewer
    ///     coefficients than libjpeg's means of pixels. Thumbnails of photographs are as near to those of the full size, or
    ///     nearer by up to 2 dB.
    ///   - threadCount: The threads to decode on, at least 1.
    package init?(
        _ script: JPEGScanScript, side: Int, from first: Int, isYCC: Bool, isLow: Bool = false, threadCount: Int,
        sliceByteCount: Int? = nil
    ) {
        let layout = script.layout
        guard
            let scan = JPEGSlicedScan(
                script, neededCounts: JPEGSampleRows.neededCounts(layout, side: side, isLow: isLow),
                sliceCount: Self.sliceCount(threadCount),
                sliceByteCount: sliceByteCount ?? Self.sliceByteCount(threadCount))
        else { return nil }
        self.scan = scan
        self.layout = layout
        self.isYCC = isYCC
        self.isLow = isLow
        self.threadCount = max(1, threadCount)
        width = (layout.width * side + 7) / 8
        height = (layout.height * side + 7) / 8
        rowsPerMCU = side * layout.verticalSampling
        rowsAtOnce = Self.rowsAtOnce(layout, side: side, threadCount: threadCount)
        held = Self.heldRows(layout, side: side, threadCount: threadCount)
        planes = JPEGSampleRows.planes(layout, script.steps, side: side, held: held)
        samples = planes.map { plane in
            let memory = UnsafeMutablePointer<UInt16>.allocate(capacity: plane.sampleCount)
            // Padding is read where upsampling looks beyond the image.
            memory.initialize(repeating: 0, count: plane.sampleCount)
            return memory
        }
        rowCount = JPEGSampleRows.firstRow(first, layout, side: side)
        places = scan.places(of: Self.mcusAtOnce)
        let lineCount = JPEGSampleRows.lineCount(layout, side: side)
        for _ in 0..<Self.jobCount(threadCount) {
            slots.append(Slot(blockCount: places.blockCount, lineCount: lineCount, planeCount: planes.count))
        }
    }

    deinit { for memory in samples { memory.deallocate() } }

    /// The bytes of the scan that were taken, and the most that are at once.
    package var takenByteCount: Int { scan.taken }
    package var batchByteCount: Int { scan.batchByteCount }

    /// Makes an index as well; no row may have been requested.
    package func makeIndex(_ layout: JPEGTileLayout) { scan.makeIndex(layout) }

    /// The index of the data that was read; nil if none is made, and where it can't be.
    package var index: JPEGTileIndex? { scan.index }

    /// The working memory, in bytes.
    package static func byteCount(_ layout: JPEGCoefficientLayout, side: Int, threadCount: Int) -> Int {
        JPEGSampleRows.byteCount(layout, side: side) * heldRows(layout, side: side, threadCount: threadCount) / 2
            + sliceWorkByteCount(threadCount)
    }

    /// The memory of the slices of two batches, in bytes: words and marks take about eight times their data's bytes, and up
    /// to a hundred times of blank images.
    static func sliceWorkByteCount(_ threadCount: Int) -> Int {
        2 * sliceCount(threadCount) * sliceByteCount(threadCount) * 100
    }

    /// Slices of a batch: a thread reads two at a time, and not all take the same time.
    static func sliceCount(_ threadCount: Int) -> Int { 2 * jobCount(threadCount) }

    /// Jobs of each kind in a step.
    private static func jobCount(_ threadCount: Int) -> Int { threadCount <= 1 ? 1 : 2 * threadCount }

    /// Bytes of a slice: the fewer, the more of it is in a processor's caches when it becomes samples, and the more often
    /// threads wait for each other. A batch has at most a mebibyte.
    static func sliceByteCount(_ threadCount: Int) -> Int {
        threadCount <= 1 ? 1 << 14 : max(1 << 14, min(1 << 15, (1 << 20) / sliceCount(threadCount)))
    }

    /// As many rows of MCUs as keep the threads busy.
    private static func rowsAtOnce(_ layout: JPEGCoefficientLayout, side: Int, threadCount: Int) -> Int {
        let sampleCount = layout.mcusAcross * layout.horizontalSampling * layout.verticalSampling * side * side * 2
        return min(max(threadCount, (1 << 20) / sampleCount), 32)
    }

    /// The rows of a step, those of the step before, which are written meanwhile, and some that upsampling looks at.
    private static func heldRows(_ layout: JPEGCoefficientLayout, side: Int, threadCount: Int) -> Int {
        3 + 2 * rowsAtOnce(layout, side: side, threadCount: threadCount)
    }

    /// The number of rows that are ready from row `y` on.
    private func readyCount(from y: Int) -> Int {
        // The row below the next may be needed.
        let end = rowCount == layout.mcusDown ? height : rowCount * rowsPerMCU - layout.verticalSampling
        return max(0, end - y)
    }

    /// Whether the samples of a row of MCUs are ready.
    package func hasStrip(_ row: Int) -> Bool { row < rowCount }

    /// Lends the scan's data, from the byte `takenByteCount` on or an earlier one, to its closure: the data, the scan's
    /// byte at which they begin, and whether that is all. Returns the closure's result, or nil without bytes.
    package typealias Feed = (_ body: (RawSpan, Int, Bool) -> Int?) -> Int?

    /// Decodes further by a step; rows above `y` are no longer needed.
    package func advance(past y: Int, _ feed: Feed) -> Step { run(past: y, writing: nil, feed).step }

    /// Decodes and writes rows until those of `output` are written, or can't be; rows above them are no longer needed.
    /// - Returns: The number of rows written, and what hinders the next, if fewer than requested.
    package func write(_ output: Output, _ feed: Feed) -> (count: Int, step: Step) {
        precondition(output.columns.lowerBound >= 0 && output.columns.upperBound <= width)
        precondition(output.rows.upperBound <= height)
        let (y, step) = run(past: output.rows.lowerBound, writing: output, feed)
        return (y - output.rows.lowerBound, step)
    }

    /// Runs steps until the rows of `output` are written; a single one without an output.
    /// - Returns: The row behind the last that was written, and the last step's outcome.
    private func run(past first: Int, writing output: Output?, _ feed: Feed) -> (y: Int, step: Step) {
        var (y, step, isBegun) = (first, Step.advanced, false)
        Rounds.perform(threadCount: threadCount) {
            if isBegun { (y, step) = (plan.written.upperBound, finish()) }
            guard step == .advanced, output.map({ y < $0.rows.upperBound }) ?? !isBegun else { return nil }
            isBegun = true
            step = begin(past: y, writing: output, feed)
            return step == .advanced ? plan.jobCount : nil
        } _: {
            perform($0)
        }
        return (y, step)
    }

    /// The jobs of a step: slices are read, rows of MCUs become samples, and samples of the step before pixels.
    private struct Plan {
        var sliceCount: Int?
        var rows = 0..<0
        var pieceCount = 0
        var output: Output?
        var written = 0..<0
        var writerCount = 0

        var jobCount: Int { (sliceCount ?? 0) + pieceCount + writerCount }
    }

    /// Plans a step, unless there is nothing to do.
    private func begin(past y: Int, writing output: Output?, _ feed: Feed) -> Step {
        let known = scan.mcuCount / layout.mcusAcross
        // Nothing that is needed may be overwritten.
        let oldest = min(rowCount, max(0, y - layout.verticalSampling) / rowsPerMCU)
        plan = Plan(output: output, written: y..<y)
        let ready = readyCount(from: y)
        if let output { plan.written = y..<min(y + ready, output.rows.upperBound) }
        // Where ready rows are left, decoding further can wait.
        let isAhead = output != nil && (plan.written.count < ready || plan.written.upperBound == height)
        plan.rows = rowCount..<(isAhead ? rowCount : max(rowCount, min(known, oldest + held, rowCount + rowsAtOnce)))
        let isReading = !isAhead && plan.rows.upperBound >= known && known < layout.mcusDown && !scan.isDamaged
        if isReading { plan.sliceCount = feed { scan.prepare($0, from: $1, isFinished: $2) } }
        plan.pieceCount = min(slots.count, plan.rows.count * chunksAcross)
        // A second thread costs more than it saves for a few rows.
        let isSmall = (output?.columns.count ?? 0) * plan.written.count < 1 << 15
        plan.writerCount = min(plan.written.count, isSmall ? 1 : slots.count)
        if plan.jobCount > 0 { return .advanced }
        return isReading ? .needsData : .isDamaged
    }

    private var chunksAcross: Int { (layout.mcusAcross + Self.mcusAtOnce - 1) / Self.mcusAtOnce }

    /// Does one job of the step.
    private func perform(_ index: Int) {
        let slices = plan.sliceCount ?? 0
        guard index >= slices else { return scan.read(index) }
        let (piece, pieces) = (index - slices, plan.pieceCount)
        guard piece < pieces else { return write(plan.output!, plan.written, piece - pieces, of: plan.writerCount) }
        let chunkCount = plan.rows.count * chunksAcross
        for chunk in (chunkCount * piece / pieces)..<(chunkCount * (piece + 1) / pieces) {
            let first = chunk % chunksAcross * Self.mcusAtOnce
            let mcus = first..<min(first + Self.mcusAtOnce, layout.mcusAcross)
            transform(plan.rows.lowerBound + chunk / chunksAcross, mcus, slots[piece])
        }
    }

    /// Takes over the results of a step.
    private func finish() -> Step {
        if plan.sliceCount != nil { scan.join() }
        rowCount = plan.rows.upperBound
        scan.drop(before: rowCount * layout.mcusAcross)
        // Where libjpeg's forms disagree about samples, it decodes them.
        return slots.allSatisfy { $0.isExact } ? .advanced : .isDamaged
    }

    private func transform(_ row: Int, _ mcus: Range<Int>, _ slot: Slot) {
        let first = row * layout.mcusAcross
        scan.expand(
            (first + mcus.lowerBound)..<(first + mcus.upperBound), to: places, slot.coefficients, slot.masks)
        for index in planes.indices {
            // Not a copy of the plane, which costs reference counting.
            let (component, side, stride) = (planes[index].layout, planes[index].side, planes[index].stride)
            let column = mcus.lowerBound * component.across
            let count = min(mcus.count * component.across, component.blocksAcross - column)
            let start = places.starts[index]
            let top = planes[index].place(of: row * planes[index].rowsPerMCU) + column * side
            for y in 0..<(count > 0 ? component.down : 0) {
                let block = start + y * places.strides[index]
                let (values, masks) = (slot.coefficients + 64 * block, slot.masks + block)
                // The plane has room for whole MCUs.
                let target = samples[index] + top + y * side * stride
                if isLow, side == 4 || side == 2 {
                    tessera_jpeg_low_inverse_dct(
                        values, count, planes[index].steps, 8, UInt32(side), target, stride)
                    continue
                }
                let isExact =
                    side == 8
                    ? tessera_jpeg_inverse_dct(values, masks, count, planes[index].steps, 8, target, stride)
                    : tessera_jpeg_reduced_inverse_dct(
                        values, masks, count, planes[index].steps, 8, UInt32(side), target, stride)
                if !isExact { slot.isExact = false }
            }
            guard side > 1 else { continue }
            for block in start..<(start + places.strides[index] * component.down) where slot.masks[block] != 0 {
                (slot.coefficients + 64 * block).update(repeating: 0, count: 64)
                slot.masks[block] = 0
            }
        }
    }

    /// Rows, and where they go as pixels: grey, or opaque RGB; of four components CMYK as stored.
    ///
    /// Unchecked: each thread writes different rows.
    package struct Output: @unchecked Sendable {
        let columns: Range<Int>
        let rows: Range<Int>
        let base: UnsafeMutableRawPointer
        let bytesPerRow: Int

        /// - Parameter base: Room for the rows, `bytesPerRow` bytes apart.
        package init(
            _ columns: Range<Int>, _ rows: Range<Int>, to base: UnsafeMutableRawPointer, bytesPerRow: Int
        ) {
            (self.columns, self.rows, self.base, self.bytesPerRow) = (columns, rows, base, bytesPerRow)
        }
    }

    private func write(_ output: Output, _ rows: Range<Int>, _ piece: Int, of pieces: Int) {
        let lines = slots[piece].lines
        for y in (rows.lowerBound + rows.count * piece / pieces)..<(rows.lowerBound + rows.count * (piece + 1) / pieces)
        {
            let (a, b) = (line(0, y, lines), line(1, y, lines))
            let (c, d) = (line(2, y, lines), line(3, y, lines))
            JPEGSampleRows.writePixels(
                output.columns, (a, b, c, d), count: lines.count, bits: 8, isYCC: isYCC,
                to: output.base + (y - output.rows.lowerBound) * output.bytesPerRow)
        }
    }

    /// A plane's row `y` in the image's width: as it is, or written to the plane's line. Any for a plane that isn't there.
    private func line(_ index: Int, _ y: Int, _ lines: [UnsafeMutablePointer<UInt16>]) -> UnsafePointer<UInt16> {
        guard index < planes.count else { return UnsafePointer(lines[0]) }
        let plane = planes[index]
        guard plane.upsampling != .none else { return UnsafePointer(samples[index] + plane.place(of: y)) }
        plane.fill(lines[index], y, from: samples[index])
        return UnsafePointer(lines[index])
    }

    /// Writes the samples of a row of MCUs, which is ready and was decoded at full size, as bytes.
    /// - Parameters:
    ///   - targets: For each plane room for its rows in a row of MCUs, `strides` bytes apart, each of whole blocks.
    package func writeStrip(_ row: Int, to targets: [UnsafeMutablePointer<UInt8>], strides: [Int]) {
        for (index, plane) in planes.enumerated() {
            let count = plane.layout.blocksAcross * plane.side
            precondition(count <= strides[index])
            for y in 0..<plane.rowsPerMCU {
                let place = plane.place(of: row * plane.rowsPerMCU + y)
                tessera_jpeg_gray8(samples[index] + place, targets[index] + y * strides[index], count)
            }
        }
    }
}
