/// Makes the rows of a resized image in order: the vertical sum first, then the horizontal.
///
/// Used by one task at a time.
final class Resampler {
    private let plan: ResamplingPlan
    private let window: RowWindow
    /// A row of the old width between the two sums, followed by one of the new width.
    private let scratch: ScratchMemory
    private let secondRow: Int
    private var pointers: [UnsafeRawPointer]

    init(_ plan: ResamplingPlan, window: RowWindow) throws(ImageError) {
        self.plan = plan
        self.window = window
        let channels = plan.source.format.channelCount
        // Kernels work on whole blocks: values beyond a row's end don't affect the result but must be readable.
        secondRow = (plan.source.size.width * channels * 4 + 191) / 64 * 64
        let byteCount = secondRow + (plan.target.size.width * channels * 4 + 127) / 64 * 64
        scratch = try ScratchMemory(bytesPerRow: byteCount, rowCount: 1)
        scratch.base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        pointers = []
        pointers.reserveCapacity(plan.vertical.longest + 1)
    }

    /// Fills `target` with the new rows in `range`. Ranges never go back.
    func fill(_ target: inout MutablePixelRows, with range: Range<Int>) throws(ImageError) {
        for y in range {
            try sum(y, to: scratch.base + secondRow)
            finish(y - range.lowerBound, of: &target)
        }
    }

    /// Writes the new row `y` to `after`, in the form of the sums. Rows never go back.
    func sum(_ y: Int, to after: UnsafeMutableRawPointer) throws(ImageError) {
        let reach = plan.vertical.targets[y]
        let end = reach.first + reach.weights.count
        pointers.removeAll(keepingCapacity: true)
        try window.makeAvailable(reach.first..<end)
        for row in reach.first..<end { pointers.append(window.row(row)) }
        // An even number of weights may end in a 0, which allows any row.
        pointers.append(pointers[pointers.count - 1])
        let count = plan.source.size.width * plan.source.format.channelCount
        pointers.withUnsafeBufferPointer { pointers in
            // All rows have count values; the scratch rows have room for the sums of them.
            let sources = pointers.baseAddress!
            let between = scratch.base
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

    private func finish(_ y: Int, of target: inout MutablePixelRows) {
        let values = UnsafeRawPointer(scratch.base + secondRow)
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
