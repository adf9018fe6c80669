package import Raster

/// Rows of a picture in, the strips of all levels of its pyramid out, in one pass.
///
/// Rows come in the order in which they are stored, whatever the orientation; each strip is handed on when its last row
/// is there, smaller levels' as soon as they can be. A level's pixel is the mean of four of the level before, rounded;
/// where a side is odd, the last pixel (of the upright picture) counts twice. Used by one thread at a time.
package final class LevelStrips {
    /// Takes a finished strip.
    package typealias Receiver = (LevelStrip) throws(ImageError) -> Void

    /// Rows of pixels that planes may be given at once; samples that stand for two pixels down come by half of it.
    package static let planeBatch = 16

    package let plan: LevelStripPlan
    /// Bytes of one strip of every level: what is in memory beside the strips that were handed out.
    package let byteCount: Int
    private let receive: Receiver
    private var levels: [LevelStripFilling] = []
    private let halving: LevelHalving

    /// Strips for `geometry`, the upright pyramid's, from a picture stored in `orientation`.
    ///
    /// - Throws: `invalidParameter` where pixels that share a sample would be parted by turning the picture,
    ///   `limitExceeded` when a strip of each level takes more than `byteLimit` bytes.
    package init(
        _ geometry: PyramidGeometry, layout: LevelLayout, orientation: Orientation = .up, byteLimit: Int = 1 << 30,
        receive: @escaping Receiver
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
        halving = LevelHalving(averagesLight: layout.averagesLight)
        for level in geometry.levels.indices {
            levels.append(try LevelStripFilling(plan, level: level, extra: extra))
        }
    }

    /// Whether all rows have come.
    package var isComplete: Bool { levels[0].isComplete }

    /// Rows of the stored picture that have come.
    package var rowCount: Int { levels[0].planes[0].next }

    // MARK: Rows of pixels

    /// Has rows filled in their place and takes them: `fill` is given the rows that come next, up to the end of the
    /// strip, and says how many it filled. One plane only.
    /// - Returns: What `fill` returned.
    package func append(
        filling fill: (inout MutablePixelRows) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        precondition(plan.layout.planes.count == 1 && !isComplete)
        try levels[0].begin()
        let (plane, width) = (levels[0].planes[0], plan.storedSize(0).width)
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

    /// Takes the rows that come next, of the layout's format. One plane only.
    package func append(_ rows: borrowing PixelRows) throws(ImageError) {
        var done = 0
        while done < rows.count {
            let first = done
            let count = rows.count
            done += try append { (target) throws(ImageError) in
                let taken = min(target.count, count - first)
                target.copy(rows.extracting(first..<first + taken))
                return taken
            }
        }
    }

    // MARK: Planes

    /// Where the rows of each plane that come next go, and the bytes from row to row: room for `planeBatch` rows of
    /// pixels, and for rows a little longer than the planes'.
    package func room() throws(ImageError) -> [(base: UnsafeMutableRawPointer, stride: Int)] {
        precondition(!isComplete)
        try levels[0].begin()
        return levels[0].planes.map { ($0.target, $0.stride) }
    }

    /// Takes rows that were put where `room()` said: of `rowCount` rows of pixels as many of each plane as they need.
    package func takeRows(_ rowCount: Int) throws(ImageError) {
        precondition(rowCount <= Self.planeBatch)
        try advance(
            levels[0].planes.indices.map { index in
                let (plane, vertical) = (levels[0].planes[index], plan.layout.planes[index].vertical)
                return min(plane.height - plane.next, (rowCount + vertical - 1) / vertical)
            })
    }

    /// The strip of `level` that rows are being written to, of which `filledRowCount` rows are there and won't change; nil
    /// where there is none. For who has use for rows before their strip is whole.
    package func unfinishedStrip(_ level: Int) -> LevelStrip? {
        let filling = levels[level]
        return filling.isBegun ? filling.makeStrip(filledRowCount: filling.filledRowCount) : nil
    }

    // MARK: The end

    /// Hands on the strips of which rows have come, where no more will: the rest of each is filled with `blank`, a sample
    /// of each plane.
    package func finishPartially(blank: [[UInt8]]) throws(ImageError) {
        for level in levels where level.isBegun {
            level.fillRest(with: blank)
            try receive(level.makeStrip(filledRowCount: level.filledRowCount))
        }
    }

    // MARK: Inside

    private func advance(_ counts: [Int]) throws(ImageError) {
        for plane in counts.indices {
            for _ in 0..<counts[plane] { try rowIsThere(0, plane) }
        }
        try handComplete(levels[0])
    }

    /// The next row of a plane has been written: counts it, and makes a row of the next level if it is a pair's second.
    private func rowIsThere(_ level: Int, _ plane: Int) throws(ImageError) {
        guard let pair = levels[level].takeRow(plane) else { return }
        let (source, target) = (levels[level].planes[plane], levels[level + 1])
        try target.begin()
        halving.halve(
            pair.upper, pair.lower, width: source.width, bytesPerSample: plan.layout.planes[plane].bytesPerSample,
            mirrors: plan.mirrorsX, to: target.planes[plane].target)
        withExtendedLifetime(pair.owner) {}
        try rowIsThere(level + 1, plane)
        try handComplete(target)
    }

    private func handComplete(_ level: LevelStripFilling) throws(ImageError) {
        while level.isStripComplete {
            let strip = level.makeStrip(filledRowCount: level.filledRowCount)
            try level.goOn()
            try receive(strip)
        }
    }
}
