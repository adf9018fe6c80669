package import Raster

/// The positions of the strips of all levels in the stored image.
///
/// Tiles, and the pairs of rows and columns that are averaged, are counted from the upright image's top left. If that
/// is the stored image's end, tiles and pairs are aligned to the end, and a partial one comes first.
package struct LevelStripPlan: Sendable {
    /// The geometry of the upright pyramid.
    package let geometry: PyramidGeometry
    package let layout: LevelLayout
    package let orientation: Orientation
    /// Whether the first stored pixel of a row, or the first stored row, is the last of the upright image.
    package let mirrorsX: Bool
    package let mirrorsY: Bool

    /// - Throws: `invalidParameter` if the orientation would separate pixels that share a sample.
    package init(_ geometry: PyramidGeometry, layout: LevelLayout, orientation: Orientation) throws(ImageError) {
        self.geometry = geometry
        self.layout = layout
        self.orientation = orientation
        (mirrorsX, mirrorsY) = orientation.mirrors
        guard layout.canBeTurned(orientation, uprightSize: geometry.size) else {
            throw ImageError(
                .invalidParameter, "samples of several pixels can't be turned in an image of \(geometry.size)")
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

    /// The line of tiles in strip `index`, in the order in which strips are filled.
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

    /// Rows that a plane's strip has room for: the maximum of the level's strips, so that their memory is
    /// interchangeable.
    package func rowCapacity(_ level: Int, plane: Int, extra: Int) -> Int {
        let vertical = layout.planes[plane].vertical
        let most = (geometry.tileSize + 2 * geometry.overlap) / vertical + 2
        return min(most, planeSize(level, plane).height) + extra
    }

    /// Bytes from row to row: whole vectors, with room for a decoder that writes whole blocks.
    package func stride(_ level: Int, plane: Int) -> Int {
        (planeSize(level, plane).width * layout.planes[plane].bytesPerSample + 63) / 64 * 64 + 64
    }

    /// The bytes of one strip of a level, the least that is in memory for it.
    /// - Throws: `limitExceeded` if the number overflows.
    package func stripByteCount(_ level: Int, extra: Int) throws(ImageError) -> Int {
        var sum = 0
        for plane in layout.planes.indices {
            let (bytes, overflows) = stride(level, plane: plane)
                .multipliedReportingOverflow(by: rowCapacity(level, plane: plane, extra: extra))
            let (next, sumOverflows) = sum.addingReportingOverflow(bytes)
            guard !overflows, !sumOverflows, next < Int.max / 4 else {
                throw ImageError(
                    .limitExceeded, "a row of tiles of an image of \(geometry.size) exceeds the address space")
            }
            sum = next
        }
        return sum
    }
}

extension Orientation {
    /// Whether the first stored pixel of a row, or the first stored row, is the last of the upright image.
    fileprivate var mirrors: (x: Bool, y: Bool) {
        (
            [.upMirrored, .down, .rightMirrored, .left].contains(self),
            [.down, .downMirrored, .right, .rightMirrored].contains(self)
        )
    }
}

extension LevelLayout {
    /// Returns whether pixels that share a sample still share one in the upright image.
    package func canBeTurned(_ orientation: Orientation, uprightSize: PixelSize) -> Bool {
        let stored = orientation.inverse.applied(to: uprightSize)
        let mirrors = orientation.mirrors
        return planes.allSatisfy { plane in
            (!mirrors.x || stored.width.isMultiple(of: plane.horizontal))
                && (!mirrors.y || stored.height.isMultiple(of: plane.vertical))
        }
    }
}
