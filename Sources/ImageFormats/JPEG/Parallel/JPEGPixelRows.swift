internal import CTesseraKernels
internal import JPEGBitstream
internal import Raster

/// Where the coefficients of blocks come from, which are read in steps of several jobs.
protocol JPEGBlockSource: AnyObject {
    /// The rows of MCUs that have been read.
    var knownRowCount: Int { get }
    /// Whether none can be read behind them.
    var isDamaged: Bool { get }
    /// The rows of MCUs that can be shown.
    var soundRowCount: Int { get }
    /// Whether rows count as damaged if libjpeg's forms for different processors disagree about their samples.
    var mustBeExact: Bool { get }

    /// Does a job of a step, while others do its other jobs and use the rows that were known before.
    func read(_ job: Int)
    /// Ends a step.
    func join()
    /// Forgets the rows of MCUs above `row`.
    func drop(before row: Int)
    /// Lends coefficients and masks of consecutive MCUs of a row that is known: calls `body` for each component and for
    /// each line of blocks in the row, with the line's first block in these MCUs.
    /// - Parameter slot: The caller's number, which no other caller has at the same time.
    func lend(_ row: Int, _ mcus: Range<Int>, slot: Int, to body: LentBlocks)
    typealias LentBlocks = (
        _ component: Int, _ line: Int, _ coefficients: UnsafePointer<Int16>, _ masks: UnsafePointer<UInt64>
    ) -> Void
}

/// Makes pixels of a JPEG's blocks on several threads, bit for bit as libjpeg-turbo does, or at a reduced size by the lowest
/// frequencies.
///
/// While coefficients of a step are read, the rows of MCUs of the step before become samples, and those of the step before
/// that pixels. Memory is that of some rows of MCUs. The result doesn't depend on the number of threads. Rows must be
/// requested from the top to the bottom.
final class JPEGPixelRows: @unchecked Sendable {
    // Unchecked: the threads of a step use a slot each, and write different samples and rows.

    /// The image's size at the reduced size.
    let width: Int
    let height: Int
    /// Each component's shape.
    private(set) var planes: [JPEGSampleRows.Plane]
    /// For each component, whether its coefficients are others than in the pass before, if there was one.
    private var isChanged: [Bool]
    /// Rows of MCUs that become samples in a step, at most.
    private let rowsAtOnce: Int
    private let source: any JPEGBlockSource
    private let layout: JPEGCoefficientLayout
    private let look: Look
    /// Rows of the image in a row of MCUs.
    private let rowsPerMCU: Int
    private let threadCount: Int

    /// For each plane, the rows of MCUs that are held.
    private let samples: [UnsafeMutablePointer<UInt16>]
    private let memory: ScratchMemory
    private let held: Int
    /// For each plane the samples of all rows of MCUs as bytes, which take half the memory, for passes that don't change a component;
    /// empty unless they are kept. Rows are a plane's stride apart.
    private let kept: [UnsafeMutablePointer<UInt8>]
    private let keptMemory: ScratchMemory?
    /// Whether this pass's samples are kept for the next.
    private var keeps: Bool
    /// The first row of MCUs that is needed.
    private let firstRow: Int
    /// The rows of MCUs that have become samples, or weren't needed.
    private var rowCount: Int
    private var slots: [Slot] = []
    private var plan = Plan()

    /// MCUs that become samples together: their coefficients fit in a processor's first cache.
    static let mcusAtOnce = 16

    /// How coefficients become pixels.
    struct Look {
        /// Bits of a sample, 8 or 12; those of 12 become channels of 16.
        var bits = 8
        /// Pixels on a block's side: 8, 4, 2 or 1, or 6 or 3 of the lowest frequencies.
        var side = 8
        /// Whether the first three of several components are luma and chroma.
        let isYCC: Bool
        /// Whether samples at a reduced size are made of as many of the lowest frequencies, which needs fewer coefficients than
        /// libjpeg's means of pixels. Thumbnails of photographs are as near to those of the full size, or nearer by up to
        /// 2 dB.
        var isLow = false
        /// Whether components of fewer blocks have as many fewer samples, to be upsampled, at a reduced size too. libjpeg makes
        /// more samples of their blocks.
        var keepsSubsampling = false
    }

    /// A thread's lines in the image's width, one for each plane, and two kept rows of a plane.
    private final class Slot {
        let lines: [UnsafeMutablePointer<UInt16>]
        let near: UnsafeMutablePointer<UInt16>
        let far: UnsafeMutablePointer<UInt16>
        var isExact = true

        init(lineCount: Int, planeCount: Int) {
            func line() -> UnsafeMutablePointer<UInt16> {
                let line = UnsafeMutablePointer<UInt16>.allocate(capacity: lineCount)
                line.initialize(repeating: 0, count: lineCount)
                return line
            }
            lines = (0..<planeCount).map { _ in line() }
            (near, far) = (line(), line())
        }

        deinit { for line in lines + [near, far] { line.deallocate() } }
    }

    /// - Parameters:
    ///   - steps: For each component the quantisation steps in natural order.
    ///   - first: The first row of the image that is needed.
    ///   - rowsAtOnce: Rows of MCUs that become samples in a step, at most.
    ///   - keptMemory: Room for `keptByteCount(_:side:)` bytes, to keep samples of 8 bits for `restart(_:changing:isLast:)`; nil to
    ///     make them again in each pass.
    ///   - threadCount: The threads to decode on, at least 1.
    init(
        _ source: any JPEGBlockSource, _ layout: JPEGCoefficientLayout, _ steps: [[UInt16]], _ look: Look,
        from first: Int, rowsAtOnce: Int, keptIn keptMemory: ScratchMemory? = nil, threadCount: Int
    ) throws(ImageError) {
        precondition(keptMemory == nil || look.bits == 8)
        self.source = source
        self.layout = layout
        self.look = look
        self.threadCount = max(1, threadCount)
        let side = look.side
        width = (layout.width * side + 7) / 8
        height = (layout.height * side + 7) / 8
        rowsPerMCU = side * layout.verticalSampling
        self.rowsAtOnce = rowsAtOnce
        held = Self.heldRows(rowsAtOnce)
        isChanged = layout.components.map { _ in true }
        planes = JPEGSampleRows.planes(
            layout, steps, side: side, held: held, keepsSubsampling: look.keepsSubsampling)
        let counts = planes.map { $0.sampleCount }
        let total = counts.reduce(0, +)
        memory = try ScratchMemory(bytesPerRow: MemoryLayout<UInt16>.size * total, rowCount: 1)
        let all = memory.base.bindMemory(to: UInt16.self, capacity: total)
        samples = counts.indices.map { all + counts[..<$0].reduce(0, +) }
        // Upsampling in steps of vectors reads padding behind the last block of a row.
        for (plane, samples) in zip(planes, samples) {
            let used = plane.layout.blocksAcross * plane.side
            for y in 0..<(plane.held * plane.rowsPerMCU) {
                (samples + y * plane.stride + used).initialize(repeating: 0, count: plane.stride - used)
            }
        }
        self.keptMemory = keptMemory
        let sizes = planes.map { $0.rowsPerMCU * $0.stride * layout.mcusDown }
        let bytes = keptMemory?.base.bindMemory(to: UInt8.self, capacity: sizes.reduce(0, +))
        kept = bytes.map { bytes in sizes.indices.map { bytes + sizes[..<$0].reduce(0, +) } } ?? []
        keeps = keptMemory != nil
        firstRow = JPEGSampleRows.firstRow(first, layout, side: side)
        rowCount = firstRow
        let lineCount = JPEGSampleRows.lineCount(layout, side: side)
        for _ in 0..<Self.jobCount(threadCount) {
            slots.append(Slot(lineCount: lineCount, planeCount: planes.count))
        }
    }

    /// Begins another pass. Where samples are kept, all rows of the image were written in the one before.
    /// - Parameters:
    ///   - steps: As for the initialiser.
    ///   - isChanged: For each component, whether its coefficients are others than in the pass before.
    ///   - isLast: Whether no other pass follows.
    func restart(_ steps: [[UInt16]], changing isChanged: [Bool], isLast: Bool) {
        planes = JPEGSampleRows.planes(
            layout, steps, side: look.side, held: held, keepsSubsampling: look.keepsSubsampling)
        self.isChanged = isChanged.map { $0 || kept.isEmpty }
        keeps = !kept.isEmpty && !isLast
        rowCount = firstRow
    }

    /// The working memory without what is kept, in bytes.
    static func byteCount(_ layout: JPEGCoefficientLayout, side: Int, rowsAtOnce: Int) -> Int {
        JPEGSampleRows.sampleByteCount(layout, side: side) * heldRows(rowsAtOnce)
    }

    /// The bytes of samples that are kept.
    static func keptByteCount(_ layout: JPEGCoefficientLayout, side: Int) -> Int {
        JPEGSampleRows.sampleByteCount(layout, side: side) / MemoryLayout<UInt16>.size * layout.mcusDown
    }

    /// Jobs of each kind in a step.
    static func jobCount(_ threadCount: Int) -> Int { threadCount <= 1 ? 1 : 2 * threadCount }

    /// As many rows of MCUs as keep the threads busy.
    static func rowsAtOnce(_ layout: JPEGCoefficientLayout, side: Int, threadCount: Int) -> Int {
        let sampleCount = layout.mcusAcross * layout.horizontalSampling * layout.verticalSampling * side * side * 2
        return min(max(threadCount, (1 << 20) / sampleCount), 32)
    }

    /// The rows of a step, those of the step before, which are written meanwhile, and some that upsampling looks at.
    private static func heldRows(_ rowsAtOnce: Int) -> Int { 3 + 2 * rowsAtOnce }

    /// The number of rows that are ready from row `y` on.
    private func readyCount(from y: Int) -> Int {
        // The row below the next may be needed.
        let end = rowCount == layout.mcusDown ? height : rowCount * rowsPerMCU - layout.verticalSampling
        return max(0, min(end, source.soundRowCount * rowsPerMCU) - y)
    }

    /// Whether the samples of a row of MCUs are ready.
    func hasStrip(_ row: Int) -> Bool { row < rowCount && row < source.soundRowCount }

    /// Begins a step of the source: returns the number of its jobs, or nil if more bytes must arrive.
    typealias Preparation = () -> Int?

    /// Decodes further by a step; rows above `y` are no longer needed.
    func advance(past y: Int, _ prepare: Preparation) -> JPEGPixelStep { run(past: y, writing: nil, prepare).step }

    /// Decodes and writes rows until those of `output` are written, or can't be; rows above them are no longer needed.
    /// - Returns: The number of rows written, and what hinders the next, if fewer than requested.
    func write(_ output: JPEGPixelOutput, _ prepare: Preparation) -> (count: Int, step: JPEGPixelStep) {
        precondition(output.columns.lowerBound >= 0 && output.columns.upperBound <= width)
        precondition(output.rows.upperBound <= height)
        let (y, step) = run(past: output.rows.lowerBound, writing: output, prepare)
        return (y - output.rows.lowerBound, step)
    }

    /// Runs steps until the rows of `output` are written; a single one without an output.
    /// - Returns: The row behind the last that was written, and the last step's outcome.
    private func run(
        past first: Int, writing output: JPEGPixelOutput?, _ prepare: Preparation
    ) -> (y: Int, step: JPEGPixelStep) {
        var (y, step, isBegun) = (first, JPEGPixelStep.advanced, false)
        Rounds.perform(threadCount: threadCount) {
            if isBegun { (y, step) = (plan.written.upperBound, finish()) }
            guard step == .advanced, output.map({ y < $0.rows.upperBound }) ?? !isBegun else { return nil }
            isBegun = true
            step = begin(past: y, writing: output, prepare)
            return step == .advanced ? plan.jobCount : nil
        } _: {
            perform($0)
        }
        return (y, step)
    }

    /// The jobs of a step: coefficients are read, rows of MCUs become samples, and samples of the step before pixels.
    private struct Plan {
        var readerCount: Int?
        var rows = 0..<0
        var pieceCount = 0
        var output: JPEGPixelOutput?
        var written = 0..<0
        var writerCount = 0

        var jobCount: Int { (readerCount ?? 0) + pieceCount + writerCount }
    }

    /// Plans a step, unless there is nothing to do.
    private func begin(past y: Int, writing output: JPEGPixelOutput?, _ prepare: Preparation) -> JPEGPixelStep {
        let known = source.knownRowCount
        // Nothing that is needed may be overwritten.
        let oldest = min(rowCount, max(0, y - layout.verticalSampling) / rowsPerMCU)
        plan = Plan(output: output, written: y..<y)
        let ready = readyCount(from: y)
        if let output { plan.written = y..<min(y + ready, output.rows.upperBound) }
        // Where ready rows are left, decoding further can wait.
        let isAhead = output != nil && (plan.written.count < ready || plan.written.upperBound == height)
        plan.rows = rowCount..<(isAhead ? rowCount : max(rowCount, min(known, oldest + held, rowCount + rowsAtOnce)))
        let isReading = !isAhead && plan.rows.upperBound >= known && known < layout.mcusDown && !source.isDamaged
        if isReading { plan.readerCount = prepare() }
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
        let readers = plan.readerCount ?? 0
        guard index >= readers else { return source.read(index) }
        let (piece, pieces) = (index - readers, plan.pieceCount)
        guard piece < pieces else { return write(plan.output!, plan.written, piece - pieces, of: plan.writerCount) }
        let chunkCount = plan.rows.count * chunksAcross
        for chunk in (chunkCount * piece / pieces)..<(chunkCount * (piece + 1) / pieces) {
            let first = chunk % chunksAcross * Self.mcusAtOnce
            let mcus = first..<min(first + Self.mcusAtOnce, layout.mcusAcross)
            transform(plan.rows.lowerBound + chunk / chunksAcross, mcus, piece)
        }
    }

    /// Takes over the results of a step.
    private func finish() -> JPEGPixelStep {
        if plan.readerCount != nil { source.join() }
        rowCount = plan.rows.upperBound
        source.drop(before: rowCount)
        return !source.mustBeExact || isExact ? .advanced : .isDamaged
    }

    /// Whether all values so far are within the range in which libjpeg's forms for different processors agree, as those of
    /// undamaged files are.
    var isExact: Bool { slots.allSatisfy { $0.isExact } }

    private func transform(_ row: Int, _ mcus: Range<Int>, _ slot: Int) {
        let bits = UInt32(look.bits)
        source.lend(row, mcus, slot: slot) { index, y, values, masks in
            guard isChanged[index] else { return }
            // Not a copy of the plane, which costs reference counting.
            let (component, side, stride) = (planes[index].layout, planes[index].side, planes[index].stride)
            let column = mcus.lowerBound * component.across
            let count = min(mcus.count * component.across, component.blocksAcross - column)
            guard count > 0 else { return }
            let top = planes[index].place(of: row * planes[index].rowsPerMCU) + column * side
            // The plane has room for whole MCUs.
            let target = samples[index] + top + y * side * stride
            let steps = planes[index].steps
            var isExact = true
            switch side {
            case 8: isExact = tessera_jpeg_inverse_dct(values, masks, count, steps, bits, target, stride)
            case 1:
                let apart = component.coefficientsPerBlock
                isExact = tessera_jpeg_means(values, apart, count, steps[0], bits, target)
            case _ where look.isLow:
                tessera_jpeg_low_inverse_dct(values, count, steps, bits, UInt32(side), target, stride)
            default:
                isExact = tessera_jpeg_reduced_inverse_dct(
                    values, masks, count, steps, bits, UInt32(side), target, stride)
            }
            if !isExact { slots[slot].isExact = false }
        }
    }

    private func write(_ output: JPEGPixelOutput, _ rows: Range<Int>, _ piece: Int, of pieces: Int) {
        let slot = slots[piece]
        for y in (rows.lowerBound + rows.count * piece / pieces)..<(rows.lowerBound + rows.count * (piece + 1) / pieces)
        {
            let (a, b) = (line(0, y, slot), line(1, y, slot))
            let (c, d) = (line(2, y, slot), line(3, y, slot))
            JPEGSampleRows.writePixels(
                output.columns, (a, b, c, d), count: planes.count, bits: UInt32(look.bits), isYCC: look.isYCC,
                isStreamed: output.isStreamed, to: output.base + (y - output.rows.lowerBound) * output.bytesPerRow)
        }
    }

    /// A plane's row `y` in the image's width: as it is, or written to the plane's line. Any for a plane that isn't there.
    private func line(_ index: Int, _ y: Int, _ slot: Slot) -> UnsafePointer<UInt16> {
        let lines = slot.lines
        guard index < planes.count else { return UnsafePointer(lines[0]) }
        let plane = planes[index]
        let (row, other) = plane.rows(of: y)
        if isChanged[index] {
            let near = UnsafePointer(samples[index] + plane.place(of: row))
            // By the first row of the image that it is nearest to.
            if keeps, y % plane.upsampling.rowFactor == 0 {
                tessera_jpeg_gray8(near, kept[index] + row * plane.stride, plane.width)
            }
            guard plane.upsampling != .none else { return near }
            plane.fill(lines[index], y, from: near, samples[index] + plane.place(of: other))
        } else if plane.upsampling == .none {
            readKept(index, row, to: lines[index])
        } else {
            readKept(index, row, to: slot.near)
            readKept(index, other, to: slot.far)
            plane.fill(lines[index], y, from: slot.near, slot.far)
        }
        return UnsafePointer(lines[index])
    }

    private func readKept(_ index: Int, _ row: Int, to line: UnsafeMutablePointer<UInt16>) {
        tessera_jpeg_samples_of_bytes(kept[index] + row * planes[index].stride, line, planes[index].width)
    }

    /// Writes the samples of a row of MCUs, which is ready and was decoded at full size, as bytes.
    /// - Parameters:
    ///   - targets: For each plane room for its rows in a row of MCUs, `strides` bytes apart, each of whole blocks.
    func writeStrip(_ row: Int, to targets: [UnsafeMutablePointer<UInt8>], strides: [Int]) {
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

/// The outcome of decoding further by a step.
package enum JPEGPixelStep: Equatable {
    /// More rows may be ready.
    case advanced
    /// More bytes must arrive.
    case needsData
    /// The data behind the rows so far is damaged, or has coefficients for which libjpeg's forms disagree.
    case isDamaged
}
