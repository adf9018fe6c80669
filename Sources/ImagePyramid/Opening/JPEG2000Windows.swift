#if JPEG2000
internal import ImageFormats
internal import Raster

/// The tiles and resolution levels of a JPEG 2000 file, read in place.
final class JPEG2000Windows: WindowSource {
    private let tiles: JPEG2000Tiles
    private let orientation: Orientation
    private let geometry: PyramidGeometry

    /// The most levels that are made from a larger stored one: three take 64 times their pixels.
    private static let mostMissingLevels = 3
    /// The most pixels of an image that is decoded as a whole: with so few, that takes little longer than a part.
    private static let smallPixelCount = 1 << 20

    /// Opens the file in `source`; nil if it is small and in one tile, or its smallest resolution is too large to make the
    /// missing levels from.
    init?(
        _ source: Source, options: DecodingOptions, registry: CodecRegistry, orientation: Orientation,
        geometry: PyramidGeometry
    ) throws(ImageError) {
        let tiles = try JPEG2000Tiles(source, options: options, registry: registry)
        let stored = orientation.inverse.applied(to: geometry.size)
        let isOneTile = tiles.tileSize.width >= stored.width && tiles.tileSize.height >= stored.height
        guard !isOneTile || stored.pixelCount > Self.smallPixelCount,
            max(stored.width, stored.height) >> tiles.levelCount <= geometry.tileSize << Self.mostMissingLevels
        else { return nil }
        self.tiles = tiles
        self.orientation = orientation
        self.geometry = geometry
    }

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        let stored = orientation.inverse.applied(to: rect, in: geometry.levels[level])
        let halvings = min(level, tiles.levelCount)
        // Of a level that isn't stored, the part of the last one that is.
        let more = level - halvings
        let size = orientation.inverse.applied(to: geometry.levels[halvings])
        let (left, top) = (stored.x << more, stored.y << more)
        let part = PixelRect(
            x: left, y: top, width: min(size.width - left, stored.width << more),
            height: min(size.height - top, stored.height << more))
        let bitmap = try await ImageExecutor.shared.run { () throws(ImageError) in
            try self.tiles.window(part, halvings: halvings).resampled(to: stored.size, filter: .area)
        }
        return Image(bitmap, orientation: orientation)
    }

    /// Codestreams are decoded by code block, and a block at a tile's edge belongs to both.
    var prefersWindows: Bool { true }

    /// The wavelet transform's low-pass filter leaves little that a smaller image can't show.
    var hasFilteredLevels: Bool { true }

    func displacement(level: Int) -> (x: Double, y: Double) {
        let halvings = min(level, tiles.levelCount)
        let stored = tiles.displacement(halvings: halvings)
        // Missing levels are means of the last one's pixels.
        let scale = Double(1 << (level - halvings))
        let (x, y) = orientation.swapsSides ? (stored.y, stored.x) : stored
        let origin = orientation.applied(toX: 0, y: 0, in: PixelSize(width: 2, height: 2))
        // Of a side that doesn't halve without rest the last pixel covers less; turned around, it is the first.
        func turned(_ place: Double, _ count: Int, of full: Int) -> Double {
            Double(count) - Double(full) / Double(1 << level) - place
        }
        let (size, full) = (geometry.levels[level], geometry.size)
        return (
            origin.x > 0 ? turned(x / scale, size.width, of: full.width) : x / scale,
            origin.y > 0 ? turned(y / scale, size.height, of: full.height) : y / scale
        )
    }
}
#endif
