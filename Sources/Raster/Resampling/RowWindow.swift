/// The rows of a source within the filter's current reach, in the form in which they are summed.
///
/// A ring buffer: a new row replaces one that is out of reach.
final class RowWindow {
    /// The source of rows; nil if all rows are in memory, or are means.
    private let source: (any RowSource)?
    private let plan: ResamplingPlan
    private let memory: ScratchMemory
    private let bytesPerRow: Int
    /// The most rows that are available at a time.
    let capacity: Int
    /// Rows as delivered, if they must be converted before they can be summed.
    private var strip: MutableBitmap
    private let needsStrip: Bool
    private let origin: Int
    private var next: Int
    /// The rows' memory, if rows are summed in place and all available.
    private let whole: Bitmap?
    /// Averages the source's rows, if the plan filters means.
    private let boxes: Resampler?

    /// A window on the rows that `plan` filters: those of `source`, or means of them.
    convenience init(_ source: any RowSource, plan: ResamplingPlan) throws(ImageError) {
        if let boxes = plan.boxes {
            try self.init(Resampler(boxes, window: RowWindow(source, plan: boxes, origin: 0)), plan: plan)
        } else {
            // As many as make work for all processors.
            let spare = max(16, min(256, (1 << 22) / plan.bytesPerWindowRow))
            try self.init(plan, source: source, from: 0, spare: spare)
        }
    }

    /// A window on the means made by `boxes`, the first of which is row `origin`.
    convenience init(_ boxes: Resampler, plan: ResamplingPlan, origin: Int = 0) throws(ImageError) {
        try self.init(plan, boxes: boxes, from: origin, spare: 1)
    }

    /// A window on `source`, whose first row is the image's row `origin`.
    convenience init(_ source: any RowSource, plan: ResamplingPlan, origin: Int) throws(ImageError) {
        try self.init(plan, source: source, from: origin, spare: 16)
    }

    /// A window on all of a bitmap, whose rows are summed in place without copying.
    convenience init(inPlace bitmap: Bitmap, plan: ResamplingPlan) throws(ImageError) {
        try self.init(plan, whole: bitmap, from: bitmap.height, spare: 0)
    }

    /// - Parameter spare: The number of rows to hold beyond the filter's reach.
    private init(
        _ plan: ResamplingPlan, source: (any RowSource)? = nil, boxes: Resampler? = nil, whole: Bitmap? = nil,
        from origin: Int, spare: Int
    ) throws(ImageError) {
        (self.source, self.boxes, self.whole) = (source, boxes, whole)
        self.plan = plan
        self.origin = origin
        next = origin
        bytesPerRow = whole == nil ? plan.bytesPerWindowRow : 64
        capacity = whole == nil ? min(plan.source.size.height, plan.vertical.longest + spare) : 1
        memory = try ScratchMemory(bytesPerRow: bytesPerRow, rowCount: capacity)
        needsStrip = source != nil && plan.arithmetic != .bytes
        var info = plan.source
        info.size =
            needsStrip
            ? PixelSize(width: info.size.width, height: min(info.size.height, 8)) : PixelSize(width: 1, height: 1)
        strip = try MutableBitmap(uninitialized: info)
    }

    /// The address of row `y`, one of those last made available.
    func row(_ y: Int) -> UnsafeRawPointer {
        // Rows of a bitmap start at multiples of 64 bytes and have room for whole blocks, as do rows here.
        if let whole { return UnsafeRawPointer(whole.storage.base + y * whole.bytesPerRow) }
        return UnsafeRawPointer(memory.base + (y % capacity) * bytesPerRow)
    }

    /// Whether the rows before row `end` are available, or were.
    func isAvailable(upTo end: Int) -> Bool { end <= next }

    /// Pulls rows until those in `range` are available. Ranges never go back and have at most `capacity` rows.
    func makeAvailable(_ range: Range<Int>) throws(ImageError) {
        while next < range.upperBound {
            if let boxes {
                try boxes.sum(next, to: memory.base + (next % capacity) * bytesPerRow)
                next += 1
                continue
            }
            // Rows before the range are dropped; those of the range stay.
            let room = min(range.lowerBound + capacity, plan.source.size.height) - next
            let count = try needsStrip ? pullAndConvert(room) : pull(room)
            guard count > 0 else {
                throw ImageError(
                    .truncated, "the rows end after \(next - origin) of \(plan.source.size.height - origin)")
            }
            next += count
        }
    }

    private func pull(_ room: Int) throws(ImageError) -> Int {
        let slot = next % capacity
        var owner: Void = ()
        // The slots from this one to the ring's end at most; nobody reads them before next has moved on.
        var rows = MutablePixelRows(
            unsafe: memory.base + slot * bytesPerRow, format: plan.source.format, width: plan.source.size.width,
            count: min(room, capacity - slot), bytesPerRow: bytesPerRow, owner: &owner)
        return try source?.read(into: &rows) ?? 0
    }

    private func pullAndConvert(_ room: Int) throws(ImageError) -> Int {
        guard let source else { return 0 }
        let count = try strip.withMutableRows(0..<min(room, strip.info.size.height)) { (rows) throws(ImageError) in
            try source.read(into: &rows)
        }
        convert(strip, rowCount: count)
        return count
    }

    private func convert(_ strip: borrowing MutableBitmap, rowCount: Int) {
        let rows = strip.rows
        for index in 0..<rowCount {
            let target = memory.base + ((next + index) % capacity) * bytesPerRow
            switch plan.arithmetic {
            case .bytes:
                break
            case .wideBytes:
                WideBytes.fill(target.assumingMemoryBound(to: Int16.self), from: rows.row(index, as: RGBA8.self))
            case .float:
                FloatRows.fill(
                    target.assumingMemoryBound(to: Float.self), from: rows, index, alpha: plan.source.alpha,
                    isLinear: plan.isLinear)
            }
        }
    }
}
