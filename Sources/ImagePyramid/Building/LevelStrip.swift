package import Raster

/// One row of tiles of one level as stored, overlap included: all pixels that its tiles need.
///
/// If the orientation swaps sides, a stored row of tiles is a column of the upright pyramid; `tile(_:)` converts. A
/// strip doesn't change once handed out, and its memory is reused after the last reference is released.
///
/// Unchecked: nobody writes to the memory after `LevelStrips` has handed out the strip.
package final class LevelStrip: @unchecked Sendable {
    /// A tile and its pixels.
    package struct Tile {
        /// The tile's address in the upright pyramid.
        package let address: TileAddress
        /// The tile's pixels in the upright level.
        package let upright: PixelRect
        /// The tile's pixels in the level as stored; `y` counts from the level's first row, not from the strip's.
        package let stored: PixelRect
    }

    /// The samples of a plane.
    package struct Plane {
        /// The first sample of the strip's first row.
        package let base: UnsafeRawPointer
        /// Bytes from one row to the next.
        package let stride: Int
        /// The first row of the strip in the level's plane.
        package let firstRow: Int
        /// Samples in a row, and rows in the strip.
        package let size: PixelSize
        /// The kind of samples.
        package let kind: LevelLayout.Plane
    }

    package let plan: LevelStripPlan
    package let level: Int
    /// The index of the row of tiles in the upright pyramid, or of the column if the orientation swaps sides.
    package let line: Int
    /// The strip's pixels in the level as stored.
    package let rect: PixelRect
    /// The number of rows, from the first on, that come from the image. The rest, after truncated input, are blank.
    package let filledRowCount: Int
    package let planes: [Plane]
    private let memory: ScratchMemory

    package init(
        plan: LevelStripPlan, level: Int, line: Int, filledRowCount: Int, planes: [Plane], memory: ScratchMemory
    ) {
        self.plan = plan
        self.level = level
        self.line = line
        self.filledRowCount = filledRowCount
        self.planes = planes
        self.memory = memory
        let rows = plan.rows(level, line)
        rect = PixelRect(x: 0, y: rows.lowerBound, width: plan.storedSize(level).width, height: rows.count)
    }

    /// The strip's memory in bytes.
    package var byteCount: Int { planes.reduce(0) { $0 + $1.stride * $1.size.height } }

    /// The number of tiles in the strip.
    package var tileCount: Int {
        plan.orientation.swapsSides ? plan.geometry.rowCount(level) : plan.geometry.columnCount(level)
    }

    /// Returns tile `index`, counted by columns of the upright pyramid, or by rows if the orientation swaps sides.
    package func tile(_ index: Int) -> Tile {
        let swaps = plan.orientation.swapsSides
        let address = TileAddress(level: level, column: swaps ? line : index, row: swaps ? index : line)
        let upright = plan.geometry.rect(of: address)
        let stored = plan.orientation.inverse.applied(to: upright, in: plan.geometry.levels[level])
        return Tile(address: address, upright: upright, stored: stored)
    }

    /// Lends the pixels in `rect`, of the level as stored. For RGBA or grey only; traps if the strip lacks some of
    /// them.
    package func withRows<R, E: Error>(_ rect: PixelRect, _ body: (borrowing PixelRows) throws(E) -> R) throws(E) -> R {
        precondition(planes.count == 1 && rect.y >= self.rect.y && rect.lies(within: plan.storedSize(level)))
        precondition(rect.y + rect.height <= self.rect.y + self.rect.height)
        let plane = planes[0]
        // In bounds by the preconditions above; the memory lives as long as self.
        let start = plane.base + (rect.y - plane.firstRow) * plane.stride + rect.x * plane.kind.bytesPerSample
        let rows = PixelRows(
            unsafe: start, format: plane.kind.bytesPerSample == 4 ? .rgba8 : .gray8, width: rect.width,
            count: rect.height, bytesPerRow: plane.stride, owner: self)
        return try body(rows)
    }
}

/// The planes in which a pyramid's levels are held in memory.
package struct LevelLayout: Hashable, Sendable {
    /// One plane of samples.
    package struct Plane: Hashable, Sendable {
        /// 1, or 4 for interleaved red, green, blue and alpha.
        package var bytesPerSample: Int
        /// Pixels for each sample, across and down: 1 or 2.
        package var horizontal: Int
        package var vertical: Int

        /// The plane's size in an image of `size`.
        package func size(in size: PixelSize) -> PixelSize {
            PixelSize(
                width: (size.width + horizontal - 1) / horizontal, height: (size.height + vertical - 1) / vertical)
        }
    }

    package let planes: [Plane]
    /// Whether halving averages in linear light rather than the stored values; RGBA only.
    package var averagesLight = false

    /// One plane of grey.
    package static let gray = LevelLayout(planes: [Plane(bytesPerSample: 1, horizontal: 1, vertical: 1)])

    /// Pixels of `RGBA8`, opaque or premultiplied: averaging straight ones would include the colours of transparent
    /// pixels.
    package static let rgba = LevelLayout(planes: [Plane(bytesPerSample: 4, horizontal: 1, vertical: 1)])

    /// Y, Cb and Cr, with one sample of Cb and Cr for `horizontal` × `vertical` pixels: 2 × 2 is 4:2:0.
    package static func yCbCr(horizontal: Int, vertical: Int) -> LevelLayout {
        let chroma = Plane(bytesPerSample: 1, horizontal: horizontal, vertical: vertical)
        return LevelLayout(planes: [Plane(bytesPerSample: 1, horizontal: 1, vertical: 1), chroma, chroma])
    }

    /// Converts a colour to a sample of each plane: JFIF 1.02's Y, Cb and Cr, its Y for grey, or the pixel itself.
    package func background(_ color: RGBA8) -> [[UInt8]] {
        if planes[0].bytesPerSample == 4 { return [[color.red, color.green, color.blue, 255]] }
        let (red, green, blue) = (Double(color.red), Double(color.green), Double(color.blue))
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        let samples = [luma, 128 + (blue - luma) / 1.772, 128 + (red - luma) / 1.402]
        return samples.prefix(planes.count).map { [UInt8(min(255, max(0, $0.rounded())))] }
    }

    /// The samples for missing pixels: transparent if there is alpha, otherwise the background.
    package func blank(_ alpha: AlphaMode, background color: RGBA8) -> [[UInt8]] {
        alpha.hasAlpha ? [[0, 0, 0, 0]] : background(color)
    }
}
