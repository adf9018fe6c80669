internal import Raster

/// The strip of a level that rows are being written to.
///
/// Pointers are into `memory`, or for a row that waits for its pair, into memory that `held` retains.
final class LevelStripFilling {
    struct Plane {
        let width: Int
        let height: Int
        let stride: Int
        let capacity: Int
        /// Whether the plane's first row is halved alone.
        let beginsWithSingle: Bool
        /// The offset of the plane's rows in the strip's memory.
        let offset: Int
        var base: UnsafeMutableRawPointer?
        /// The level's next row, and the first and end of the strip's.
        var next = 0
        var first = 0
        var end = 0
        var held: (row: UnsafeRawPointer, owner: ScratchMemory)?

        var target: UnsafeMutableRawPointer {
            precondition(next - first < capacity)
            return base! + (next - first) * stride
        }
    }

    /// Two rows of a plane that become one row of the next level, with references to their memory.
    ///
    /// Unchecked: finished rows aren't written to again.
    struct Pair: @unchecked Sendable {
        let plane: Int
        /// Samples in each row.
        let width: Int
        let upper: UnsafeRawPointer
        let lower: UnsafeRawPointer
        /// The memory of the upper and the lower row.
        let owners: (ScratchMemory, ScratchMemory)
    }

    private let plan: LevelStripPlan
    private let level: Int
    private let isLast: Bool
    private let byteCount: Int
    /// A separate pool, so that no level takes the memory of a larger one.
    private let pool: PixelBufferPool
    private let stripCount: Int
    private(set) var planes: [Plane] = []
    private(set) var memory: ScratchMemory?
    /// The strip's index, in the order in which they are filled.
    private(set) var index = 0

    init(_ plan: LevelStripPlan, level: Int, extra: Int) throws(ImageError) {
        self.plan = plan
        self.level = level
        isLast = level == plan.geometry.levels.count - 1
        byteCount = try plan.stripByteCount(level, extra: extra)
        pool = PixelBufferPool(byteLimit: 4 * max(byteCount, 1 << 21))
        stripCount = plan.stripCount(level)
        var offset = 0
        for plane in plan.layout.planes.indices {
            let size = plan.planeSize(level, plane)
            let stride = plan.stride(level, plane: plane)
            let capacity = plan.rowCapacity(level, plane: plane, extra: extra)
            planes.append(
                Plane(
                    width: size.width, height: size.height, stride: stride, capacity: capacity,
                    beginsWithSingle: plan.mirrorsY && !size.height.isMultiple(of: 2), offset: offset))
            offset += stride * capacity
        }
        setRanges()
    }

    /// Whether all of the level's strips have been handed out.
    var isComplete: Bool { index == stripCount }

    var isStripComplete: Bool { memory != nil && planes.allSatisfy { $0.next >= $0.end } }

    var isBegun: Bool { memory != nil && planes.allSatisfy { $0.next > $0.first } }

    func begin() throws(ImageError) {
        guard memory == nil else { return }
        let memory = try ScratchMemory(bytesPerRow: byteCount, rowCount: 1, pool: pool)
        self.memory = memory
        for plane in planes.indices { planes[plane].base = memory.base + planes[plane].offset }
    }

    /// Counts the row that was written to `target`, and returns the pair that it completes.
    func takeRow(_ index: Int) -> Pair? {
        let plane = planes[index]
        let (row, address, memory) = (plane.next, UnsafeRawPointer(plane.target), memory!)
        planes[index].next += 1
        guard !isLast else { return nil }
        func pair(_ upper: UnsafeRawPointer, _ owner: ScratchMemory) -> Pair {
            Pair(plane: index, width: plane.width, upper: upper, lower: address, owners: (owner, memory))
        }
        let isSecond = plane.beginsWithSingle ? row.isMultiple(of: 2) : !row.isMultiple(of: 2)
        if isSecond {
            guard let held = plane.held else { return pair(address, memory) }
            planes[index].held = nil
            return pair(held.row, held.owner)
        }
        guard row < plane.height - 1 else { return pair(address, memory) }
        planes[index].held = (address, memory)
        return nil
    }

    func handComplete(to receive: LevelStrips.Receiver) throws(ImageError) {
        while isStripComplete {
            let strip = makeStrip()
            try goOn()
            try receive(strip)
        }
    }

    /// Hands on an unfinished strip after the last row, filling the rest with `blank`.
    func finishPartially(blank: [[UInt8]], to receive: LevelStrips.Receiver) throws(ImageError) {
        guard isBegun else { return }
        fillRest(with: blank)
        try receive(makeStrip())
    }

    /// The strip that rows are being written to; nil if it has none yet.
    var unfinishedStrip: LevelStrip? { isBegun ? makeStrip() : nil }

    /// The strip in its current state.
    func makeStrip() -> LevelStrip {
        let shown = planes.indices.map { index in
            let plane = planes[index]
            return LevelStrip.Plane(
                base: UnsafeRawPointer(plane.base!), stride: plane.stride, firstRow: plane.first,
                size: PixelSize(width: plane.width, height: plane.end - plane.first), kind: plan.layout.planes[index])
        }
        return LevelStrip(
            plan: plan, level: level, line: plan.line(level, index), filledRowCount: filledRowCount, planes: shown,
            memory: memory!)
    }

    /// Begins the next strip with its rows that have already arrived: the overlap, and rows from the last batch.
    func goOn() throws(ImageError) {
        let (old, oldMemory) = (planes, memory)
        memory = nil
        index += 1
        guard !isComplete else { return }
        setRanges()
        guard planes.contains(where: { $0.next > $0.first }) else { return }
        try begin()
        for plane in planes.indices {
            let count = planes[plane].next - planes[plane].first
            guard count > 0 else { continue }
            planes[plane].base!.copyMemory(
                from: old[plane].base! + (planes[plane].first - old[plane].first) * planes[plane].stride,
                byteCount: count * planes[plane].stride)
        }
        withExtendedLifetime(oldMemory) {}
    }

    /// Fills the strip's missing rows with one sample for each plane.
    func fillRest(with blank: [[UInt8]]) {
        for (plane, sample) in zip(planes, blank) where plane.next < plane.end {
            let rows = UnsafeMutableRawBufferPointer(
                start: plane.target, count: (plane.end - plane.next) * plane.stride)
            for index in rows.indices { rows[index] = sample[index % sample.count] }
        }
    }

    /// The number of the strip's pixel rows that all planes have.
    var filledRowCount: Int {
        let rows = plan.rows(level, plan.line(level, index))
        return planes.indices.map { index in
            (planes[index].next - planes[index].first) * plan.layout.planes[index].vertical
        }
        .min().map { min($0, rows.count) } ?? 0
    }

    private func setRanges() {
        for plane in planes.indices {
            let rows = plan.rows(level, plan.line(level, index), plane: plane)
            planes[plane].first = rows.lowerBound
            planes[plane].end = rows.upperBound
        }
    }
}
