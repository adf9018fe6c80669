package import Raster

/// Turns the rows of an image into strips of all levels of its pyramid, in one pass.
///
/// Rows come in stored order, whatever the orientation. Each strip is handed on after its last row, those of smaller
/// levels as soon as possible. A level's pixel is the rounded mean of four pixels of the previous level; if a side is
/// odd, the upright image's last pixel counts twice. For use by one thread at a time.
///
/// Smaller levels can be left to another thread: then only the full level's strips are handed on, and pairs of rows are
/// kept until they are taken for `SmallerLevels`.
package final class LevelStrips {
    /// Receives a finished strip.
    package typealias Receiver = (LevelStrip) throws(ImageError) -> Void

    /// The most rows of pixels that may be added to planes at once; planes with vertical subsampling take half as many.
    package static let planeBatch = 16

    package let plan: LevelStripPlan
    /// The bytes of one strip of every level: the memory used apart from strips that were handed out.
    package let byteCount: Int
    private let receive: Receiver
    private let full: LevelStripFilling
    /// Nil if another thread makes them.
    private let smaller: SmallerLevels?
    private let extra: Int
    /// Pairs of rows that haven't been taken yet.
    private(set) var pairs: [LevelStripFilling.Pair] = []

    /// Creates strips for `geometry`, that of the upright pyramid, from an image stored in `orientation`.
    ///
    /// - Parameter leavesSmallerLevels: Whether another thread makes the smaller levels.
    /// - Throws: `invalidParameter` if the orientation would separate pixels that share a sample, `limitExceeded` if a
    ///   strip of each level takes more than `byteLimit` bytes.
    package init(
        _ geometry: PyramidGeometry, layout: LevelLayout, orientation: Orientation = .up, byteLimit: Int = 1 << 30,
        leavesSmallerLevels: Bool = false, receive: @escaping Receiver
    ) throws(ImageError) {
        plan = try LevelStripPlan(geometry, layout: layout, orientation: orientation)
        let extra = layout.planes[0].bytesPerSample == 1 ? Self.planeBatch : 0
        var total = 0
        for level in geometry.levels.indices {
            // Each summand is less than a quarter of `Int.max`.
            total = try plan.stripByteCount(level, extra: extra) + min(total, Int.max / 4)
        }
        guard total <= byteLimit else {
            throw ImageError(
                .limitExceeded,
                "rows of tiles of an image of \(geometry.size) take \(total) bytes; the limit is \(byteLimit): "
                    + "use smaller tiles")
        }
        byteCount = total
        self.receive = receive
        self.extra = extra
        full = try LevelStripFilling(plan, level: 0, extra: extra)
        smaller = leavesSmallerLevels ? nil : try SmallerLevels(plan, extra: extra, receive: receive)
    }

    /// Makes the smaller levels for another thread.
    package func makeSmallerLevels(receive: @escaping Receiver) throws(ImageError) -> SmallerLevels {
        try SmallerLevels(plan, extra: extra, receive: receive)
    }

    /// Returns the pairs of rows that have come since the last call.
    func takePairs() -> [LevelStripFilling.Pair] {
        defer { pairs = [] }
        return pairs
    }

    /// Whether all rows have come.
    package var isComplete: Bool { full.isComplete }

    /// The number of stored rows that have come.
    package var rowCount: Int { full.planes[0].next }

    // MARK: Rows of pixels

    /// Appends rows that `fill` writes in place; it receives the next rows up to the end of the strip, and returns how
    /// many it filled. For one plane only.
    /// - Returns: The result of `fill`.
    package func append(
        filling fill: (inout MutablePixelRows) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        precondition(plan.layout.planes.count == 1 && !isComplete)
        try full.begin()
        let (plane, width) = (full.planes[0], plan.storedSize(0).width)
        var owner: Void = ()
        // The memory is the current strip's, which isn't shared yet.
        var rows = MutablePixelRows(
            unsafe: plane.target, format: plan.layout.planes[0].bytesPerSample == 4 ? .rgba8 : .gray8, width: width,
            count: plane.end - plane.next, bytesPerRow: plane.stride, owner: &owner)
        let count = try fill(&rows)
        guard count > 0 else { return 0 }
        precondition(count <= plane.end - plane.next)
        try advance([count])
        return count
    }

    // MARK: Planes

    /// Returns the position of each plane's next row, and the bytes from row to row. There is room for `planeBatch`
    /// rows of pixels, each a little longer than the plane's.
    package func room() throws(ImageError) -> [(base: UnsafeMutableRawPointer, stride: Int)] {
        precondition(!isComplete)
        try full.begin()
        return full.planes.map { ($0.target, $0.stride) }
    }

    /// Appends rows that were written to the positions from `room()`: for `rowCount` rows of pixels, the corresponding
    /// rows of each plane.
    package func takeRows(_ rowCount: Int) throws(ImageError) {
        precondition(rowCount <= Self.planeBatch)
        try advance(
            full.planes.indices.map { index in
                let (plane, vertical) = (full.planes[index], plan.layout.planes[index].vertical)
                return min(plane.height - plane.next, (rowCount + vertical - 1) / vertical)
            })
    }

    /// The full level's unfinished strip, whose first `filledRowCount` rows are final; nil if it has none yet.
    package var unfinishedStrip: LevelStrip? { full.unfinishedStrip }

    // MARK: Truncated input

    /// Hands on unfinished strips after the last row, filling the rest of each with `blank`, a sample of each plane.
    package func finishPartially(blank: [[UInt8]]) throws(ImageError) {
        try full.finishPartially(blank: blank, to: receive)
        try smaller?.finishPartially(blank: blank)
    }

    // MARK: Implementation

    private func advance(_ counts: [Int]) throws(ImageError) {
        for plane in counts.indices {
            for _ in 0..<counts[plane] {
                guard let pair = full.takeRow(plane) else { continue }
                if let smaller { try smaller.take(pair) } else { pairs.append(pair) }
            }
        }
        try full.handComplete(to: receive)
    }
}
