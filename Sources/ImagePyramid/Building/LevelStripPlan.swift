package import Raster

/// Where the strips of a pyramid's levels lie in a picture as it is stored.
///
/// Tiles and the pairs of rows and columns that become one are counted from the upright picture's top left. Where that is
/// the stored picture's end, tiles and pairs end there: what is partial comes first.
package struct LevelStripPlan: Sendable {
    /// The upright pyramid's.
    package let geometry: PyramidGeometry
    package let layout: LevelLayout
    package let orientation: Orientation
    /// Whether a stored row's first pixel, and the first row, is the upright picture's last.
    package let mirrorsX: Bool
    package let mirrorsY: Bool

    /// - Throws: `invalidParameter` where pixels that share a sample would be parted by turning the picture.
    package init(_ geometry: PyramidGeometry, layout: LevelLayout, orientation: Orientation) throws(ImageError) {
        self.geometry = geometry
        self.layout = layout
        self.orientation = orientation
        (mirrorsX, mirrorsY) = orientation.mirrors
        guard layout.canBeTurned(orientation, uprightSize: geometry.size) else {
            throw ImageError(
                .invalidParameter, "samples of several pixels can't be turned in a picture of \(geometry.size)")
        }
    }

    /// The level's size as stored.
    package func storedSize(_ level: Int) -> PixelSize {
        let size = geometry.levels[level]
        return orientation.swapsSides ? size.transposed : size
    }

    /// A plane's size in a level as stored.
    package func planeSize(_ level: Int, _ plane: Int) -> PixelSize { layout.planes[plane].size(in: storedSize(level)) }

    /// How many strips a level has.
    package func stripCount(_ level: Int) -> Int {
        orientation.swapsSides ? geometry.columnCount(level) : geometry.rowCount(level)
    }

    /// The line of tiles that strip `index` holds, in the order in which they come.
    package func line(_ level: Int, _ index: Int) -> Int { mirrorsY ? stripCount(level) - 1 - index : index }

    /// The stored rows of a line of tiles.
    package func rows(_ level: Int, _ line: Int) -> Range<Int> {
        rows(level, line, vertical: 1, height: storedSize(level).height)
    }

    /// The rows of a line of tiles in a plane, as stored.
    package func rows(_ level: Int, _ line: Int, plane: Int) -> Range<Int> {
        rows(level, line, vertical: layout.planes[plane].vertical, height: planeSize(level, plane).height)
    }

    private func rows(_ level: Int, _ line: Int, vertical: Int, height: Int) -> Range<Int> {
        let whole = storedSize(level).height
        let first = max(0, line * geometry.tileSize - geometry.overlap) / vertical
        let end = (min(whole, (line + 1) * geometry.tileSize + geometry.overlap) + vertical - 1) / vertical
        return mirrorsY ? height - end..<height - first : first..<end
    }

    /// Rows that a plane's strip has room for, so that one strip's memory serves all of the level's.
    package func rowCapacity(_ level: Int, plane: Int, extra: Int) -> Int {
        let vertical = layout.planes[plane].vertical
        let most = (geometry.tileSize + 2 * geometry.overlap) / vertical + 2
        return min(most, planeSize(level, plane).height) + extra
    }

    /// Bytes from row to row: whole vectors, and room for a decoder that fills whole blocks.
    package func stride(_ level: Int, plane: Int) -> Int {
        (planeSize(level, plane).width * layout.planes[plane].bytesPerSample + 63) / 64 * 64 + 64
    }

    /// Bytes of one strip of each level, what is in memory at least.
    /// - Throws: `limitExceeded` when they are more than memory can be.
    package func stripByteCount(_ level: Int, extra: Int) throws(ImageError) -> Int {
        var sum = 0
        for plane in layout.planes.indices {
            let (bytes, overflows) = stride(level, plane: plane)
                .multipliedReportingOverflow(by: rowCapacity(level, plane: plane, extra: extra))
            let (next, sumOverflows) = sum.addingReportingOverflow(bytes)
            guard !overflows, !sumOverflows, next < Int.max / 4 else {
                throw ImageError(.limitExceeded, "a row of tiles of \(geometry.size) is larger than memory can be")
            }
            sum = next
        }
        return sum
    }
}

extension Orientation {
    /// Whether a stored row's first pixel, and the first row, is the upright picture's last.
    fileprivate var mirrors: (x: Bool, y: Bool) {
        (
            [.upMirrored, .down, .rightMirrored, .left].contains(self),
            [.down, .downMirrored, .right, .rightMirrored].contains(self)
        )
    }
}

extension LevelLayout {
    /// Whether samples that stand for several pixels stand for the same once the picture is upright.
    package func canBeTurned(_ orientation: Orientation, uprightSize: PixelSize) -> Bool {
        let stored = orientation.inverse.applied(to: uprightSize)
        let mirrors = orientation.mirrors
        return planes.allSatisfy { plane in
            (!mirrors.x || stored.width.isMultiple(of: plane.horizontal))
                && (!mirrors.y || stored.height.isMultiple(of: plane.vertical))
        }
    }
}
