public import Raster

extension RawTileStore {
    /// Returns the available pixels of `rect`, in upright pixels of `level`: the visible part of a view, for example.
    ///
    /// Complexity: O(pixels of `rect`).
    /// - Throws: `invalidParameter` if the level doesn't exist or `rect` isn't entirely inside it; `outOfMemory`.
    public func snapshot(of rect: PixelRect, level: Int) throws(ImageError) -> TileSnapshot {
        guard geometry.levels.indices.contains(level), rect.lies(within: geometry.levels[level]) else {
            throw ImageError(
                .invalidParameter, "\(rect.size) pixels at (\(rect.x), \(rect.y)) are not in level \(level)")
        }
        return try picture(of: rect, level: level, usesFinerLevels: false)
    }

    /// Returns the available part of the whole image, with no side longer than `maxSide`.
    ///
    /// Tiles of finer levels replace missing ones, so the overview of an image that arrives row by row grows with it.
    /// - Throws: `invalidParameter` for a side less than 1; `outOfMemory`.
    public func overview(maxSide: Int) throws(ImageError) -> TileSnapshot {
        guard maxSide > 0 else {
            throw ImageError(.invalidParameter, "invalid overview size \(maxSide): the longer side must be at least 1")
        }
        let sizes = geometry.levels
        let level = sizes.lastIndex { max($0.width, $0.height) >= maxSide } ?? 0
        let whole = try picture(of: PixelRect(sizes[level]), level: level, usesFinerLevels: true)
        let size = sizes[level].fitted(within: PixelSize(width: maxSide, height: maxSide))
        guard size != sizes[level] else { return whole }
        let small = try whole.image.storedBitmap().resampled(to: orientation.inverse.applied(to: size))
        let missing = whole.missing.map { $0.scaled(from: sizes[level], to: size) }
        return TileSnapshot(image: Image(small, orientation: orientation), missing: missing)
    }

    private func picture(of rect: PixelRect, level: Int, usesFinerLevels: Bool) throws(ImageError) -> TileSnapshot {
        let stored = orientation.inverse.applied(to: rect, in: geometry.levels[level])
        let info = BitmapInfo(size: stored.size, format: .rgba8, alpha: .premultiplied)
        var bitmap = try MutableBitmap(info)
        var missing: [PixelRect] = []
        for tile in TileRange(touching: rect, level: level, tileSize: Self.tileSize).addresses {
            let place = storedRect(tile)
            let isThere = withTile(tile) { bitmap.draw($0, x: place.x - stored.x, y: place.y - stored.y) } != nil
            if isThere { continue }
            missing +=
                usesFinerLevels
                ? drawFiner(tile, onto: &bitmap, level: level)
                : [geometry.rect(of: tile).intersection(rect)]
        }
        missing = missing.map { PixelRect(x: $0.x - rect.x, y: $0.y - rect.y, width: $0.width, height: $0.height) }
        if order == .bgra {
            var pixels = bitmap.mutableRows
            pixels.exchangeRedAndBlue()
        }
        var picture = bitmap.freeze()
        if missing.isEmpty { picture = picture.withMeaning(alpha: alpha, profile: .sRGB) }
        return TileSnapshot(image: Image(picture, orientation: orientation), missing: missing)
    }

    /// Draws a missing tile from finer levels onto a bitmap of the whole `level`.
    /// - Returns: The parts without pixels, in upright pixels of `level`.
    private func drawFiner(_ tile: TileAddress, onto bitmap: inout MutableBitmap, level: Int) -> [PixelRect] {
        let factor = 1 << (level - tile.level)
        let place = geometry.rect(of: tile).shrunk(by: factor)
        // Beyond this, a tile is smaller than a pixel.
        guard tile.level > 0, factor < Self.tileSize else { return [place] }
        var missing: [PixelRect] = []
        var isAnythingKnown = false
        for row in 2 * tile.row...2 * tile.row + 1 {
            for column in 2 * tile.column...2 * tile.column + 1 {
                let finer = TileAddress(level: tile.level - 1, column: column, row: row)
                guard geometry.contains(finer) else { continue }
                let isThere = withTile(finer) { shrink($0, of: finer, onto: &bitmap, level: level) } != nil
                let unknown = isThere ? [] : drawFiner(finer, onto: &bitmap, level: level)
                isAnythingKnown = isAnythingKnown || unknown != [geometry.rect(of: finer).shrunk(by: 2 * factor)]
                missing += unknown
            }
        }
        return isAnythingKnown ? missing : [place]
    }

    /// Draws a finer level's tile, averaging `factor` × `factor` of its pixels.
    private func shrink(
        _ rows: borrowing PixelRows, of tile: TileAddress, onto bitmap: inout MutableBitmap, level: Int
    ) {
        let factor = 1 << (level - tile.level)
        let place = orientation.inverse.applied(
            to: geometry.rect(of: tile).shrunk(by: factor), in: geometry.levels[level])
        // Blocks are counted from the upright image's top left; where that is the stored end, blocks end there.
        let corner = orientation.applied(toX: 0, y: 0, in: PixelSize(width: 2, height: 2))
        let (mirrorsX, mirrorsY) = orientation.swapsSides ? (corner.y > 0, corner.x > 0) : (corner.x > 0, corner.y > 0)
        func block(_ index: Int, of count: Int, length: Int, isMirrored: Bool) -> Range<Int> {
            let number = isMirrored ? count - 1 - index : index
            let block = number * factor..<min(length, (number + 1) * factor)
            return isMirrored ? length - block.upperBound..<length - block.lowerBound : block
        }
        var target = bitmap.mutableRows
        for y in 0..<place.height {
            let sourceRows = block(y, of: place.height, length: rows.count, isMirrored: mirrorsY)
            var row = target.row(place.y + y, as: RGBA8.self)
            for x in 0..<place.width {
                let columns = block(x, of: place.width, length: rows.width, isMirrored: mirrorsX)
                row[place.x + x] = mean(rows, columns, sourceRows)
            }
        }
    }

    private func mean(_ rows: borrowing PixelRows, _ columns: Range<Int>, _ lines: Range<Int>) -> RGBA8 {
        var sum = SIMD4<UInt32>()
        for y in lines {
            let row = rows.row(y, as: RGBA8.self)
            for x in columns {
                let pixel = row[x]
                // At most 256 × 256 pixels, so no sum overflows.
                sum &+= SIMD4(UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue), UInt32(pixel.alpha))
            }
        }
        let count = UInt32(columns.count * lines.count)
        let mean = (sum &+ SIMD4(repeating: count / 2)) / SIMD4(repeating: count)
        return RGBA8(UInt8(mean[0]), UInt8(mean[1]), UInt8(mean[2]), UInt8(mean[3]))
    }
}

extension PixelRect {
    /// The common part, empty if there is none.
    fileprivate func intersection(_ other: PixelRect) -> PixelRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let (right, bottom) = (min(x + width, other.x + other.width), min(y + height, other.y + other.height))
        return PixelRect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    /// The pixels that this touches in an image reduced by `factor`; the origin is a multiple of `factor`.
    fileprivate func shrunk(by factor: Int) -> PixelRect {
        PixelRect(
            x: x / factor, y: y / factor, width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
    }

    /// The pixels that this touches in an image of another size.
    fileprivate func scaled(from size: PixelSize, to other: PixelSize) -> PixelRect {
        let (left, top) = (x * other.width / size.width, y * other.height / size.height)
        let right = ((x + width) * other.width + size.width - 1) / size.width
        let bottom = ((y + height) * other.height + size.height - 1) / size.height
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// A part of an image, assembled from the available tiles.
public struct TileSnapshot: Sendable {
    /// The pixels as stored, with the orientation to show them in. Transparent where missing.
    public var image: Image
    /// The missing parts, in pixels of the upright image.
    public var missing: [PixelRect]
}
