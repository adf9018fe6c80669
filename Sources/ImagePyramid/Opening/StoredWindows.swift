internal import ImageFormats
internal import Raster

/// A pyramid that was made, read in place.
final class StoredWindows: WindowSource {
    private let pyramid: any StoredPyramid

    init(_ pyramid: any StoredPyramid) { self.pyramid = pyramid }

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        try await ImageExecutor.shared.run { () throws(ImageError) in Image(try self.pixels(rect, level: level)) }
    }

    /// Puts the tiles that `rect` touches together.
    private func pixels(_ rect: PixelRect, level: Int) throws(ImageError) -> Bitmap {
        let (geometry, tileSize) = (pyramid.geometry, pyramid.geometry.tileSize)
        let columns = rect.x / tileSize...(rect.x + rect.width - 1) / tileSize
        let rows = rect.y / tileSize...(rect.y + rect.height - 1) / tileSize
        let first = TileAddress(level: level, column: columns.lowerBound, row: rows.lowerBound)
        if geometry.rect(of: first) == rect { return try decoded(first) }
        var target = try MutableBitmap(BitmapInfo(size: rect.size, format: .rgba8, alpha: .premultiplied))
        var hasAlpha = false
        for row in rows {
            for column in columns {
                let address = TileAddress(level: level, column: column, row: row)
                let tile = try decoded(address)
                hasAlpha = hasAlpha || tile.alpha.hasAlpha
                let place = geometry.rect(of: address)
                let pixels = try tile.converted(to: .rgba8, alpha: .premultiplied)
                target.draw(pixels, x: place.x - rect.x, y: place.y - rect.y)
            }
        }
        return target.freeze().withMeaning(alpha: hasAlpha ? .premultiplied : .none, profile: .sRGB)
    }

    private func decoded(_ address: TileAddress) throws(ImageError) -> Bitmap {
        guard let file = try pyramid.tile(at: address) else {
            throw ImageError(.corrupt, "the pyramid has no tile \(address)")
        }
        let size = pyramid.geometry.rect(of: address).size
        let decoded = try ImageSource.decode(file)
        if let error = decoded.error { throw error }
        let tile = PixelSize(width: pyramid.geometry.tileSize, height: pyramid.geometry.tileSize)
        if pyramid.isPadded, decoded.bitmap.size == tile { return try decoded.bitmap.cropped(to: PixelRect(size)) }
        guard decoded.bitmap.size == size else {
            throw ImageError(.corrupt, "tile \(address) is \(decoded.bitmap.size) pixels, not \(size)")
        }
        return decoded.bitmap
    }

    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile? {
        let size = pyramid.geometry.rect(of: address).size
        // What fills a tile up isn't the picture's.
        guard !pyramid.isPadded || min(size.width, size.height) == pyramid.geometry.tileSize else { return nil }
        return try pyramid.tile(at: address).map { EncodedTile(format: pyramid.format, bytes: $0) }
    }
}
