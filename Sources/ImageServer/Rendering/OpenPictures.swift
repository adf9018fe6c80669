package import ImageFormats
internal import ImagePyramid
internal import Raster

/// A cache of recently requested images, kept open.
package final class OpenPictures: Sendable {
    /// Keyed by identifier, so that the file of a replaced image doesn't stay open.
    private let pictures: ByteBoundedCache<String, ServedPicture>
    private let opening = SharedRenders<ServedPicture>()
    private let codecs: CodecRegistry
    private let indexFolder: String?

    /// Keeps up to `countLimit` images, whose raw tiles take up to `storeByteLimit` bytes on disk.
    /// - Parameter indexFolder: The folder for indexes of JPEGs in buckets; nil to keep none.
    package init(countLimit: Int, storeByteLimit: Int, codecs: CodecRegistry, indexFolder: String? = nil) {
        self.codecs = codecs
        self.indexFolder = indexFolder
        pictures = ByteBoundedCache(costLimit: storeByteLimit, countLimit: countLimit)
    }

    /// The number of open images.
    package var count: Int { pictures.totals.count }

    /// Closes the images that match, whose raw tiles are removed when no request uses them any longer.
    /// - Returns: How many there were.
    package func removeAll(where matches: (_ identifier: String) -> Bool) -> Int { pictures.removeAll(where: matches) }

    /// Opens the image in `file`, or returns it from the cache.
    /// - Throws: 422 for a file without a supported image, 413 above the limits, 500 if it can't be read.
    package func picture(in file: OpenedFile) async throws(RequestFailure) -> ServedPicture {
        let key = file.identifier.path
        if let picture = pictures.value(for: key), picture.file.version == file.version { return picture }
        let (pictures, codecs, indexFolder) = (pictures, codecs, indexFolder)
        return try await opening.value(for: "\(file.version) \(key)") { () throws(RequestFailure) in
            do throws(ImageError) {
                let picture = try await file.reading { () async throws(ImageError) in
                    try await ServedPicture(file, codecs, indexFolder: indexFolder)
                }
                pictures.insert(picture, for: key, cost: min(picture.storeByteCount, pictures.costLimit))
                return picture
            } catch {
                throw RequestFailure(opening: error)
            }
        }
    }
}

/// A cache of decoded tiles of large images. Viewers request overlapping regions that are rarely identical.
package final class DecodedTiles: Sendable {
    private struct Key: Hashable {
        let identifier: String
        let version: String
        let address: TileAddress
    }

    private let tiles: ByteBoundedCache<Key, Bitmap>

    /// Larger regions bypass the cache, as they would displace everything else.
    private static let largestWindow = 4 << 20

    package init(byteLimit: Int) { tiles = ByteBoundedCache(costLimit: byteLimit) }

    /// Removes the tiles of the images that match.
    func removeAll(where matches: (_ identifier: String) -> Bool) { tiles.removeAll { matches($0.identifier) } }

    /// A region of `picture` scaled to `target`, as from `TiledImage.region`.
    /// - Parameter file: Identifies the image and its version.
    func region(
        _ rect: PixelRect, size target: PixelSize, of picture: TiledImage, in file: OpenedFile
    ) async throws(ImageError) -> Bitmap {
        try DecodingPlan(region: rect, targetSize: target).validate(for: picture.size)
        let level = picture.level(for: rect.size, at: target)
        let (window, region) = TiledImage.window(of: rect, in: picture.levels[level], level: level)
        guard window.size.pixelCount <= Self.largestWindow, !picture.prefersWindows else {
            return try await picture.region(rect, size: target)
        }
        var parts: [(bitmap: Bitmap, x: Int, y: Int)] = []
        let side = picture.geometry.tileSize
        for address in TileRange(touching: window, level: level, tileSize: side).addresses {
            let bitmap = try await tile(address, of: picture, in: file)
            parts.append((bitmap, address.column * side - window.x, address.row * side - window.y))
        }
        let all = parts
        return try await ImageExecutor.render { () throws(ImageError) in
            try Self.joined(all, size: window.size).resampled(to: target, region: region)
        }
    }

    private func tile(
        _ address: TileAddress, of picture: TiledImage, in file: OpenedFile
    ) async throws(ImageError) -> Bitmap {
        let key = Key(identifier: file.identifier.path, version: file.version, address: address)
        if let bitmap = tiles.value(for: key) { return bitmap }
        let image = try await picture.tile(address)
        let bitmap = try image.bitmap().converted(to: .rgba8)
        tiles.insert(bitmap, for: key, cost: bitmap.size.pixelCount * 4)
        return bitmap
    }

    private static func joined(_ parts: [(bitmap: Bitmap, x: Int, y: Int)], size: PixelSize) throws(ImageError)
        -> Bitmap
    {
        var info = parts[0].bitmap.info
        info.size = size
        var result = try MutableBitmap(uninitialized: info)
        for part in parts { result.draw(part.bitmap, x: part.x, y: part.y) }
        return result.freeze()
    }
}
