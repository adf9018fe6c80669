package import Raster

/// Rows of a picture in, the strips of all levels of its pyramid out, in one pass.
///
/// Rows come in the order in which they are stored, whatever the orientation; each strip is handed on when its last row
/// is there, smaller levels' as soon as they can be. A level's pixel is the mean of four of the level before, rounded;
/// where a side is odd, the last pixel (of the upright picture) counts twice. Used by one thread at a time.
///
/// Who makes rows may leave smaller levels to another thread: then the full level's strips alone are handed on, and the
/// pairs of rows that become one wait until they are taken, for `SmallerLevels`.
package final class LevelStrips {
    /// Takes a finished strip.
    package typealias Receiver = (LevelStrip) throws(ImageError) -> Void

    /// Rows of pixels that planes may be given at once; samples that stand for two pixels down come by half of it.
    package static let planeBatch = 16

    package let plan: LevelStripPlan
    /// Bytes of one strip of every level: what is in memory beside the strips that were handed out.
    package let byteCount: Int
    private let receive: Receiver
    private let full: LevelStripFilling
    /// Nil where another thread makes them.
    private let smaller: SmallerLevels?
    private let extra: Int
    /// Pairs of rows that weren't taken yet.
    private(set) var pairs: [LevelStripFilling.Pair] = []

    /// Strips for `geometry`, the upright pyramid's, from a picture stored in `orientation`.
    ///
    /// - Parameter leavesSmallerLevels: Whether another thread makes them.
    /// - Throws: `invalidParameter` where pixels that share a sample would be parted by turning the picture,
    ///   `limitExceeded` when a strip of each level takes more than `byteLimit` bytes.
    package init(
        _ geometry: PyramidGeometry, layout: LevelLayout, orientation: Orientation = .up, byteLimit: Int = 1 << 30,
        leavesSmallerLevels: Bool = false, receive: @escaping Receiver
    ) throws(ImageError) {
        plan = try LevelStripPlan(geometry, layout: layout, orientation: orientation)
        let extra = layout.planes[0].bytesPerSample == 1 ? Self.planeBatch : 0
        var total = 0
        for level in geometry.levels.indices {
            // Each summand is less than a quarter of what an Int holds.
            total = try plan.stripByteCount(level, extra: extra) + min(total, Int.max / 4)
        }
        guard total <= byteLimit else {
            throw ImageError(
                .limitExceeded,
                "rows of tiles of a picture of \(geometry.size) take \(total) bytes; the limit is \(byteLimit)")
        }
        byteCount = total
        self.receive = receive
        self.extra = extra
        full = try LevelStripFilling(plan, level: 0, extra: extra)
        smaller = leavesSmallerLevels ? nil : try SmallerLevels(plan, extra: extra, receive: receive)
    }

    /// What makes the levels that are left to another thread.
    package func makeSmallerLevels(receive: @escaping Receiver) throws(ImageError) -> SmallerLevels {
        try SmallerLevels(plan, extra: extra, receive: receive)
    }

    /// The pairs of rows that have come since this was last asked for.
    func takePairs() -> [LevelStripFilling.Pair] {
        defer { pairs = [] }
        return pairs
    }

    /// Whether all rows have come.
    package var isComplete: Bool { full.isComplete }

    /// Rows of the stored picture that have come.
    package var rowCount: Int { full.planes[0].next }

    // MARK: Rows of pixels

    /// Has rows filled in their place and takes them: `fill` is given the rows that come next, up to the end of the
    /// strip, and says how many it filled. One plane only.
    /// - Returns: What `fill` returned.
    package func append(
        filling fill: (inout MutablePixelRows) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        precondition(plan.layout.planes.count == 1 && !isComplete)
        try full.begin()
        let (plane, width) = (full.planes[0], plan.storedSize(0).width)
        var owner: Void = ()
        // The memory is the current strip's, which nobody else has seen yet.
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

    /// Where the rows of each plane that come next go, and the bytes from row to row: room for `planeBatch` rows of
    /// pixels, and for rows a little longer than the planes'.
    package func room() throws(ImageError) -> [(base: UnsafeMutableRawPointer, stride: Int)] {
        precondition(!isComplete)
        try full.begin()
        return full.planes.map { ($0.target, $0.stride) }
    }

    /// Takes rows that were put where `room()` said: of `rowCount` rows of pixels as many of each plane as they need.
    package func takeRows(_ rowCount: Int) throws(ImageError) {
        precondition(rowCount <= Self.planeBatch)
        try advance(
            full.planes.indices.map { index in
                let (plane, vertical) = (full.planes[index], plan.layout.planes[index].vertical)
                return min(plane.height - plane.next, (rowCount + vertical - 1) / vertical)
            })
    }

    /// The full level's strip that rows are being written to, of which `filledRowCount` rows are there and won't change; nil
    /// where there is none. For who has use for rows before their strip is whole.
    package var unfinishedStrip: LevelStrip? { full.unfinishedStrip }

    // MARK: The end

    /// Hands on the strips of which rows have come, where no more will: the rest of each is filled with `blank`, a sample
    /// of each plane.
    package func finishPartially(blank: [[UInt8]]) throws(ImageError) {
        try full.finishPartially(blank: blank, to: receive)
        try smaller?.finishPartially(blank: blank)
    }

    // MARK: Inside

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
