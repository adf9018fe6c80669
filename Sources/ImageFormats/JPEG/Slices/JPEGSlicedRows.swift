internal import CTesseraKernels
internal import Dispatch
package import JPEGBitstream

/// Decodes the rows of a sequential JPEG of one scan on several threads, bit for bit as libjpeg-turbo does.
///
/// The scan's data is read in batches of slices, while the rows of MCUs of the batch before become samples; then rows of
/// samples become pixels. Each step is done on all threads, and has much to do, because waking a thread takes as long as
/// reading some thousand bytes. Memory is that of two batches and of some rows of MCUs. The result doesn't depend on the
/// number of threads. Rows must be requested from the top to the bottom.
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
    /// Rows of the image in a row of MCUs.
    private let rowsPerMCU: Int
    private let threadCount: Int

    /// For each plane, the rows of MCUs that are held.
    private let samples: [UnsafeMutablePointer<UInt16>]
    private let held: Int
    private let places: JPEGSlicedScan.Places
    /// The rows of MCUs that have become samples, or weren't needed.
    private var rowCount: Int
    private var slots: [Slot] = []

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
    ///   - threadCount: The threads to decode on, at least 1.
    package init?(
        _ script: JPEGScanScript, side: Int, from first: Int, isYCC: Bool, threadCount: Int,
        sliceByteCount: Int? = nil
    ) {
        let layout = script.layout
        guard
            let scan = JPEGSlicedScan(
                script, isFlat: JPEGSampleRows.needsOnlyDC(layout, side: side),
                sliceCount: Self.sliceCount(threadCount),
                sliceByteCount: sliceByteCount ?? Self.sliceByteCount(threadCount))
        else { return nil }
        self.scan = scan
        self.layout = layout
        self.isYCC = isYCC
        self.threadCount = max(1, threadCount)
        width = (layout.width * side + 7) / 8
        height = (layout.height * side + 7) / 8
        rowsPerMCU = side * layout.verticalSampling
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
        for _ in 0..<Self.sliceCount(threadCount) {
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

    /// Slices of a batch: some more than threads, since not all take the same time.
    static func sliceCount(_ threadCount: Int) -> Int { threadCount <= 1 ? 1 : 2 * threadCount }

    /// Bytes of a slice: the fewer, the more of it is in a processor's caches when it becomes samples, and the more often
    /// threads are woken. A batch has at most a mebibyte.
    static func sliceByteCount(_ threadCount: Int) -> Int {
        threadCount <= 1 ? 1 << 15 : max(1 << 15, min(1 << 16, (1 << 20) / sliceCount(threadCount)))
    }

    /// Two rows of MCUs that upsampling looks at, and as many as keep the threads busy.
    private static func heldRows(_ layout: JPEGCoefficientLayout, side: Int, threadCount: Int) -> Int {
        let sampleCount = layout.mcusAcross * layout.horizontalSampling * layout.verticalSampling * side * side * 2
        return 3 + min(max(threadCount, (1 << 20) / sampleCount), 32)
    }

    /// The number of rows that are ready from row `y` on.
    package func readyCount(from y: Int) -> Int {
        // The row below the next may be needed.
        let end = rowCount == layout.mcusDown ? height : rowCount * rowsPerMCU - layout.verticalSampling
        return max(0, end - y)
    }

    /// Whether the samples of a row of MCUs are ready.
    package func hasStrip(_ row: Int) -> Bool { row < rowCount }

    /// Decodes further; rows above `y` are no longer needed.
    /// - Parameters:
    ///   - data: The scan's data so far; those before the byte `takenByteCount` aren't needed.
    ///   - start: The scan's byte at which they begin.
    ///   - isFinished: Whether that is all.
    package func advance(past y: Int, _ data: RawSpan, from start: Int = 0, isFinished: Bool) -> Step {
        let known = scan.mcuCount / layout.mcusAcross
        // Nothing that is needed may be overwritten.
        let oldest = min(rowCount, max(0, y - layout.verticalSampling) / rowsPerMCU)
        let rows = rowCount..<max(rowCount, min(known, oldest + held))
        let isReading = rows.upperBound >= known && known < layout.mcusDown && !scan.isDamaged
        let sliceCount = isReading ? scan.prepare(data, from: start, isFinished: isFinished) : nil
        guard sliceCount != nil || !rows.isEmpty else { return isReading ? .needsData : .isDamaged }

        let chunksAcross = (layout.mcusAcross + Self.mcusAtOnce - 1) / Self.mcusAtOnce
        let chunkCount = rows.count * chunksAcross
        let pieces = min(slots.count, chunkCount)
        let slices = sliceCount ?? 0
        perform(slices + pieces) { [scan] index in
            guard index >= slices else { return scan.read(index) }
            let (piece, slot) = (index - slices, self.slots[index - slices])
            for chunk in (chunkCount * piece / pieces)..<(chunkCount * (piece + 1) / pieces) {
                let first = chunk % chunksAcross * Self.mcusAtOnce
                let mcus = first..<min(first + Self.mcusAtOnce, self.layout.mcusAcross)
                self.transform(rows.lowerBound + chunk / chunksAcross, mcus, slot)
            }
        }
        if sliceCount != nil { scan.join() }
        rowCount = rows.upperBound
        scan.drop(before: rowCount * layout.mcusAcross)
        // Where libjpeg's forms disagree about samples, it decodes them.
        return slots.allSatisfy { $0.isExact } ? .advanced : .isDamaged
    }

    /// Calls `body` for each index, on all threads.
    private func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
        guard threadCount > 1, count > 1 else {
            for index in 0..<count { body(index) }
            return
        }
        DispatchQueue.concurrentPerform(iterations: count, execute: body)
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

    /// Writes columns of rows from `y` on, which are ready, as pixels: grey, or opaque RGB; of four components CMYK as stored.
    package func write(
        _ columns: Range<Int>, _ y: Int, count: Int, to base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) {
        precondition(columns.lowerBound >= 0 && columns.upperBound <= width && count <= readyCount(from: y))
        let target = Target(base: base, bytesPerRow: bytesPerRow)
        // A second thread costs more than it saves for a few rows.
        let pieces = min(count, columns.count * count < 1 << 15 ? 1 : slots.count)
        perform(pieces) { piece in
            let lines = self.slots[piece].lines
            for row in (count * piece / pieces)..<(count * (piece + 1) / pieces) {
                let (a, b) = (self.line(0, y + row, lines), self.line(1, y + row, lines))
                let (c, d) = (self.line(2, y + row, lines), self.line(3, y + row, lines))
                JPEGSampleRows.writePixels(
                    columns, (a, b, c, d), count: lines.count, bits: 8, isYCC: self.isYCC,
                    to: target.base + row * target.bytesPerRow)
            }
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

    /// Unchecked: each thread writes different rows.
    private struct Target: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
        let bytesPerRow: Int
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
