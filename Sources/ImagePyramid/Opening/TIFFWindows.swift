#if TIFF
internal import ImageFormats
internal import Raster
internal import Synchronization

/// A tiled TIFF file's full page and its reduced pages, read in place.
final class TIFFWindows: WindowSource {
    private let source: Source
    private let options: DecodingOptions
    private let orientation: Orientation
    private let geometry: PyramidGeometry
    /// Idle readers; each window is read by one reader exclusively.
    private let readers: Mutex<[Reader]>

    /// A reader that is passed from one task to the next.
    private struct Reader: @unchecked Sendable {
        // Sendable: a reader is in the list, or with the one task that removed it.
        let reader: TIFFLevelReader
    }

    /// The most levels that are made from a larger stored one: three take 64 times their pixels.
    private static let mostMissingLevels = 3

    /// Opens the file in `source`; nil if it isn't tiled, or its smallest page is too large to make the missing levels
    /// from.
    init?(_ source: Source, options: DecodingOptions, orientation: Orientation, geometry: PyramidGeometry)
        throws(ImageError)
    {
        self.source = source
        self.options = options
        self.orientation = orientation
        self.geometry = geometry
        let reader = try TIFFLevelReader(source, options: options)
        guard reader.isTiled else { return nil }
        let smallest = reader.sizes[reader.sizes.count - 1]
        let stored = max(smallest.width, smallest.height)
        guard stored <= geometry.tileSize << Self.mostMissingLevels else { return nil }
        readers = Mutex([Reader(reader: reader)])
    }

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        let size = geometry.levels[level]
        let stored = orientation.inverse.applied(to: rect, in: size)
        let storedSize = orientation.inverse.applied(to: size)
        let bitmap = try await ImageExecutor.shared.run { () throws(ImageError) in
            let reader = try self.takeReader()
            // A reader that failed isn't used again.
            let bitmap = try Self.pixels(stored, of: storedSize, from: reader.reader)
            self.readers.withLock { $0.append(reader) }
            return bitmap
        }
        return Image(bitmap, orientation: orientation)
    }

    private func takeReader() throws(ImageError) -> Reader {
        if let reader = readers.withLock({ $0.popLast() }) { return reader }
        return Reader(reader: try TIFFLevelReader(source, options: options))
    }

    /// Returns a part of a level of `size`, from the smallest stored level that is at least as large.
    private static func pixels(
        _ rect: PixelRect, of size: PixelSize, from reader: TIFFLevelReader
    ) throws(ImageError) -> Bitmap {
        // Writers round halves up or down, so a level may be a pixel smaller.
        let index = reader.sizes.lastIndex { $0.width >= size.width - 1 && $0.height >= size.height - 1 } ?? 0
        let from = reader.sizes[index]
        let (across, down) = (Double(from.width) / Double(size.width), Double(from.height) / Double(size.height))
        if abs(from.width - size.width) <= 1, abs(from.height - size.height) <= 1 {
            let inside = PixelRect(
                x: min(rect.x, from.width - 1), y: min(rect.y, from.height - 1),
                width: max(1, min(rect.x + rect.width, from.width) - min(rect.x, from.width - 1)),
                height: max(1, min(rect.y + rect.height, from.height) - min(rect.y, from.height - 1)))
            return try reader.window(inside, level: index).resampled(to: rect.size, filter: .area)
        }
        let left = Int(Double(rect.x) * across)
        let top = Int(Double(rect.y) * down)
        let right = min(from.width, Int((Double(rect.x + rect.width) * across).rounded(.up)))
        let bottom = min(from.height, Int((Double(rect.y + rect.height) * down).rounded(.up)))
        let window = PixelRect(x: left, y: top, width: max(1, right - left), height: max(1, bottom - top))
        let x = Double(rect.x) * across - Double(left)
        let y = Double(rect.y) * down - Double(top)
        let region = PixelRegion(
            x: x, y: y, width: min(Double(rect.width) * across, Double(window.width) - x),
            height: min(Double(rect.height) * down, Double(window.height) - y))
        return try reader.window(window, level: index).resampled(to: rect.size, region: region, filter: .area)
    }
}
#endif
