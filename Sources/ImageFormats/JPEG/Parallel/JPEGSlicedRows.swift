package import JPEGBitstream
internal import Raster

/// Decodes the rows of a sequential JPEG of one scan on several threads (see `JPEGPixelRows`), which read slices of the scan's
/// data: memory is that of two batches of slices and of some rows of MCUs.
package final class JPEGSlicedRows {
    private let blocks: Blocks
    private let rows: JPEGPixelRows
    private var scan: JPEGSlicedScan { blocks.scan }

    package typealias Step = JPEGPixelStep
    package typealias Output = JPEGPixelOutput

    /// Prepares to decode the scan of `script`; nil unless it is one sequential scan of all components, and without memory.
    /// - Parameters:
    ///   - side: Pixels on a block's side: 8, 4, 2 or 1, or 6 or 3 of the lowest frequencies.
    ///   - first: The first row of the image that is needed.
    ///   - isYCC: Whether the first three of several components are luma and chroma.
    ///   - isLow: Whether samples at a reduced size are made of as many of the lowest frequencies.
    ///   - keepsSubsampling: Whether components of fewer blocks have as many fewer samples at a reduced size too.
    ///   - threadCount: The threads to decode on, at least 1.
    package init?(
        _ script: JPEGScanScript, side: Int, from first: Int, isYCC: Bool, isLow: Bool = false,
        keepsSubsampling: Bool = false, threadCount: Int, sliceByteCount: Int? = nil
    ) {
        let layout = script.layout
        guard
            let scan = JPEGSlicedScan(
                script,
                neededCounts: JPEGSampleRows.neededCounts(
                    layout, side: side, isLow: isLow, keepsSubsampling: keepsSubsampling),
                sliceCount: Self.sliceCount(threadCount),
                sliceByteCount: sliceByteCount ?? Self.sliceByteCount)
        else { return nil }
        blocks = Blocks(scan, slotCount: JPEGPixelRows.jobCount(threadCount))
        let rows = try? JPEGPixelRows(
            blocks, scan.layout, script.steps,
            .init(side: side, isYCC: isYCC, isLow: isLow, keepsSubsampling: keepsSubsampling), from: first,
            rowsAtOnce: Self.rowsAtOnce(layout, side: side, threadCount: threadCount), threadCount: threadCount)
        guard let rows else { return nil }
        self.rows = rows
    }

    /// Each component's shape.
    var planes: [JPEGSampleRows.Plane] { rows.planes }

    /// The image's height at the reduced size.
    package var height: Int { rows.height }

    /// The bytes of the scan that were taken, and the most that are at once.
    package var takenByteCount: Int { scan.taken }
    package var batchByteCount: Int { scan.batchByteCount }

    /// Makes an index as well; no row may have been requested.
    package func makeIndex(_ layout: JPEGTileLayout) { scan.makeIndex(layout) }

    /// The index of the data that was read; nil if none is made, and where it can't be.
    package var index: JPEGTileIndex? { scan.index }

    /// The working memory, in bytes.
    package static func byteCount(_ layout: JPEGCoefficientLayout, side: Int, threadCount: Int) -> Int {
        let rowsAtOnce = rowsAtOnce(layout, side: side, threadCount: threadCount)
        return JPEGPixelRows.byteCount(layout, side: side, rowsAtOnce: rowsAtOnce) + sliceWorkByteCount(threadCount)
    }

    /// The memory of the slices of two batches, in bytes: words and marks take about eight times their data's bytes, and up
    /// to a hundred times of blank images.
    static func sliceWorkByteCount(_ threadCount: Int) -> Int {
        2 * sliceCount(threadCount) * sliceByteCount * 100
    }

    /// Slices of a batch: a thread reads two at a time, and not all take the same time.
    static func sliceCount(_ threadCount: Int) -> Int { 2 * JPEGPixelRows.jobCount(threadCount) }

    /// Bytes of a slice: the fewer, the more of it is in a processor's caches when it becomes samples, and the more often
    /// threads wait for each other.
    static let sliceByteCount = 1 << 14

    /// Rows of MCUs that become samples in a step: two for each thread at least, and as many more as have 256 KiB of samples.
    ///
    /// Their samples, and those of the step before, should stay in the caches. A server holds them for each render.
    static func rowsAtOnce(_ layout: JPEGCoefficientLayout, side: Int, threadCount: Int) -> Int {
        let fitting = (1 << 18) / JPEGSampleRows.sampleByteCount(layout, side: side)
        return min(max(2 * threadCount, fitting), 32)
    }

    /// Whether the samples of a row of MCUs are ready.
    package func hasStrip(_ row: Int) -> Bool { rows.hasStrip(row) }

    /// Lends the scan's data, from the byte `takenByteCount` on or an earlier one, to its closure: the data, the scan's
    /// byte at which they begin, and whether that is all. Returns the closure's result, or nil without bytes.
    package typealias Feed = (_ body: (RawSpan, Int, Bool) -> Int?) -> Int?

    /// Begins a step, in which one thread unpacks the bytes of the next.
    private func prepare(_ feed: Feed) -> Int? {
        let count = scan.prepareAhead() ?? feed { scan.prepare($0, from: $1, isFinished: $2) }
        return count.map { $0 + 1 }
    }

    /// Decodes further by a step; rows above `y` are no longer needed.
    package func advance(past y: Int, _ feed: Feed) -> Step {
        blocks.lending(feed) { rows.advance(past: y) { prepare(feed) } }
    }

    /// Decodes and writes rows until those of `output` are written, or can't be; rows above them are no longer needed.
    ///
    /// Any of the threads calls `feed`, one at a time.
    /// - Returns: The number of rows written, and what hinders the next, if fewer than requested.
    package func write(_ output: Output, _ feed: Feed) -> (count: Int, step: Step) {
        blocks.lending(feed) { rows.write(output) { prepare(feed) } }
    }

    /// Writes the samples of a row of MCUs, which is ready and was decoded at full size, as bytes.
    /// - Parameters:
    ///   - targets: For each plane room for its rows in a row of MCUs, `strides` bytes apart, each of whole blocks.
    package func writeStrip(_ row: Int, to targets: [UnsafeMutablePointer<UInt8>], strides: [Int]) {
        rows.writeStrip(row, to: targets, strides: strides)
    }

    /// The coefficients of slices, expanded for some MCUs at a time.
    private final class Blocks: JPEGBlockSource {
        let scan: JPEGSlicedScan
        private let places: JPEGSlicedScan.Places
        private let slots: [Slot]
        private var feed: Feed?

        /// Blocks of some MCUs.
        private final class Slot {
            let coefficients: UnsafeMutablePointer<Int16>
            let masks: UnsafeMutablePointer<UInt64>

            init(_ layout: JPEGCoefficientLayout) {
                coefficients = .allocate(capacity: layout.coefficientCount)
                coefficients.initialize(repeating: 0, count: layout.coefficientCount)
                masks = .allocate(capacity: layout.blockCount)
                masks.initialize(repeating: 0, count: layout.blockCount)
            }

            deinit {
                coefficients.deallocate()
                masks.deallocate()
            }
        }

        init(_ scan: JPEGSlicedScan, slotCount: Int) {
            self.scan = scan
            let places = scan.places(of: JPEGPixelRows.mcusAtOnce)
            self.places = places
            slots = (0..<slotCount).map { _ in Slot(places.layout) }
        }

        var knownRowCount: Int { scan.mcuCount / scan.layout.mcusAcross }
        var isDamaged: Bool { scan.isDamaged }
        var soundRowCount: Int { scan.layout.mcusDown }
        var mustBeExact: Bool { true }

        /// Calls `body`, in which `read(_:)` may call `feed`.
        func lending<R>(_ feed: Feed, _ body: () -> R) -> R {
            withoutActuallyEscaping(feed) { feed in
                self.feed = feed
                defer { self.feed = nil }
                return body()
            }
        }

        /// Unpacks the next step's bytes as the first job, then reads slices.
        func read(_ job: Int) {
            guard job == 0 else { return scan.read(job - 1) }
            _ = feed? {
                scan.lookAhead($0, from: $1, isFinished: $2)
                return nil
            }
        }

        func join() { scan.join() }
        func drop(before row: Int) { scan.drop(before: row * scan.layout.mcusAcross) }

        func lend(_ row: Int, _ mcus: Range<Int>, slot: Int, to body: LentBlocks) {
            let (first, slot) = (row * scan.layout.mcusAcross, slots[slot])
            scan.expand(
                (first + mcus.lowerBound)..<(first + mcus.upperBound), to: places, slot.coefficients, slot.masks)
            for (index, component) in places.layout.components.enumerated() {
                for y in 0..<component.down {
                    let block = component.start + y * component.stride
                    body(index, y, slot.coefficients + component.place(of: block), slot.masks + block)
                }
            }
        }
    }
}
