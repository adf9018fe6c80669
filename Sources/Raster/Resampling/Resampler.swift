internal import Dispatch

/// Makes the rows of a resized image in order: the vertical sum first, then the horizontal.
///
/// Used by one task at a time.
final class Resampler {
    private let plan: ResamplingPlan
    private let window: RowWindow
    private let scratch: Scratch
    /// The working memory of further threads, once they are used.
    private var others: [Scratch] = []

    init(_ plan: ResamplingPlan, window: RowWindow) throws(ImageError) {
        self.plan = plan
        self.window = window
        scratch = try Scratch(plan)
    }

    /// The working memory of a thread.
    private final class Scratch {
        /// A row of the old width between the two sums, followed by one of the new width.
        let memory: ScratchMemory
        let secondRow: Int
        var pointers: [UnsafeRawPointer] = []

        init(_ plan: ResamplingPlan) throws(ImageError) {
            let channels = plan.source.format.channelCount
            // Kernels work on whole blocks: values beyond a row's end don't affect the result but must be readable.
            secondRow = (plan.source.size.width * channels * 4 + 191) / 64 * 64
            let byteCount = secondRow + (plan.target.size.width * channels * 4 + 127) / 64 * 64
            memory = try ScratchMemory(bytesPerRow: byteCount, rowCount: 1)
            memory.base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
            pointers.reserveCapacity(plan.vertical.longest + 1)
        }
    }

    /// Fills `target` with the new rows in `range`. Ranges never go back.
    func fill(_ target: inout MutablePixelRows, with range: Range<Int>) throws(ImageError) {
        for y in range {
            try window.makeAvailable(plan.vertical.targets[y].first..<plan.vertical.targets[y].end)
            fill(y - range.lowerBound, of: &target, y, scratch)
        }
    }

    /// Fills the first rows of `target`, on several threads where that pays, with the new rows in `range`: as many as the
    /// window holds the source rows for at a time. Ranges never go back.
    /// - Returns: The number of rows filled, at least one.
    /// - Throws: The source's error where not even the first row can be made.
    func fillSome(_ target: inout MutablePixelRows, with range: Range<Int>) throws(ImageError) -> Int {
        let targets = plan.vertical.targets
        let first = targets[range.lowerBound].first
        var end = range.lowerBound + 1
        while end < range.upperBound, targets[end].end - first <= window.capacity { end += 1 }
        do throws(ImageError) {
            try window.makeAvailable(first..<targets[end - 1].end)
        } catch {
            while end > range.lowerBound, !window.isAvailable(upTo: targets[end - 1].end) { end -= 1 }
            guard end > range.lowerBound else { throw error }
        }
        let group = range.lowerBound..<end
        let byteCount = (targets[end - 1].end - first) * plan.bytesPerWindowRow
        let share = byteCount < Self.leastByteCount ? nil : ProcessorShare()
        defer { withExtendedLifetime(share) {} }
        let processors = share?.threadCount ?? 1
        let pieces = processors == 1 ? 1 : min(2 * processors, 16, group.count)
        while others.count < pieces - 1 { others.append(try Scratch(plan)) }
        let rows = target.withUnsafeBase { [bytesPerRow = target.bytesPerRow] base in
            SharedRows(base: base, bytesPerRow: bytesPerRow, info: plan.target)
        }
        // Each thread has its own scratch row and writes different rows; nobody changes the window meanwhile.
        nonisolated(unsafe) let (resampler, scratches) = (self, [scratch] + others)
        let fill: @Sendable (Int) -> Void = { piece in
            let part = (group.count * piece / pieces)..<(group.count * (piece + 1) / pieces)
            rows.withRows(part) { target in
                for row in part {
                    resampler.fill(row - part.lowerBound, of: &target, group.lowerBound + row, scratches[piece])
                }
            }
        }
        if pieces == 1 { fill(0) } else { DispatchQueue.concurrentPerform(iterations: pieces, execute: fill) }
        return group.count
    }

    /// Memory that is read as fast by one thread as by several, which must be woken.
    private static let leastByteCount = 1 << 19

    /// Fills row `index` of `target` with the new row `y`, whose source rows are available.
    private func fill(_ index: Int, of target: inout MutablePixelRows, _ y: Int, _ scratch: Scratch) {
        sum(y, to: scratch.memory.base + scratch.secondRow, scratch)
        finish(index, of: &target, scratch)
    }

    /// Writes the new row `y` to `after`, in the form of the sums. Rows never go back.
    func sum(_ y: Int, to after: UnsafeMutableRawPointer) throws(ImageError) {
        try window.makeAvailable(plan.vertical.targets[y].first..<plan.vertical.targets[y].end)
        sum(y, to: after, scratch)
    }

    /// As above, from rows that are available.
    private func sum(_ y: Int, to after: UnsafeMutableRawPointer, _ scratch: Scratch) {
        let reach = plan.vertical.targets[y]
        scratch.pointers.removeAll(keepingCapacity: true)
        for row in reach.first..<reach.end { scratch.pointers.append(window.row(row)) }
        // An even number of weights may end in a 0, which allows any row.
        scratch.pointers.append(scratch.pointers[scratch.pointers.count - 1])
        let count = plan.source.size.width * plan.source.format.channelCount
        scratch.pointers.withUnsafeBufferPointer { pointers in
            // All rows have count values; the scratch rows have room for the sums of them.
            let sources = pointers.baseAddress!
            let between = scratch.memory.base
            switch plan.arithmetic {
            case .bytes, .wideBytes:
                let weights = plan.fixedVertical
                weights.values.withUnsafeBufferPointer { values in
                    ResamplingKernels.vertical(
                        sources, values.baseAddress! + Int(weights.offsets[y]), taps: Int(weights.counts[y]),
                        shift: weights.shift, isWide: plan.arithmetic == .wideBytes,
                        to: between.assumingMemoryBound(to: Int16.self), count: count)
                }
                ResamplingKernels.horizontal(
                    UnsafePointer(between.assumingMemoryBound(to: Int16.self)),
                    channels: plan.source.format.channelCount, plan.fixedHorizontal,
                    to: after.assumingMemoryBound(to: Int16.self))
            case .float:
                let (start, end) = (Int(plan.floatVertical.offsets[y]), Int(plan.floatVertical.offsets[y + 1]))
                let weights = plan.floatVertical.values
                FloatResampling.vertical(
                    sources, weights.span.extracting(start..<end), to: between,
                    count: (count + 15) / 16 * 16)
                if plan.source.format.isGray {
                    FloatResampling.horizontalGray(
                        UnsafePointer(between.assumingMemoryBound(to: Float.self)), plan.floatHorizontal,
                        to: after.assumingMemoryBound(to: Float.self))
                } else {
                    FloatResampling.horizontalRGBA(between, plan.floatHorizontal, to: after)
                }
            }
        }
    }

    private func finish(_ y: Int, of target: inout MutablePixelRows, _ scratch: Scratch) {
        let values = UnsafeRawPointer(scratch.memory.base + scratch.secondRow)
        let whole = values.assumingMemoryBound(to: Int16.self)
        let alpha = plan.source.alpha
        switch (plan.arithmetic, plan.source.format) {
        case (.float, _):
            target.finish(values.assumingMemoryBound(to: Float.self), to: y, alpha: alpha, isLinear: plan.isLinear)
        case (_, .rgba8), (_, .rgba16):
            var row = target.row(y, as: RGBA8.self)
            if alpha == .straight {
                WideBytes.finishStraight(whole, to: &row)
            } else {
                WideBytes.finishPremultiplied(whole, to: &row)
            }
        case (_, .gray8), (_, .gray16):
            var row = target.row(y, as: Gray8.self)
            WideBytes.finishGray(whole, to: &row)
        }
    }
}
