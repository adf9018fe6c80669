public import ImageFormats
internal import Raster

/// A picture of which any part can be had at any level, without the rest.
protocol WindowSource: Sendable {
    /// The pixels of a part of a level, in sRGB with 8 bits a channel; `rect` is in upright pixels of that level, and what
    /// comes may still have to be turned.
    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image

    /// A tile's file where it needn't be made: one that is stored, or a copy of the source's bits; nil elsewhere.
    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile?

    /// What becomes known while the picture is decoded, and the end.
    var events: AsyncStream<ArrivingImage.Event> { get }
    /// Why tiles are missing that will never come.
    var error: ImageError? { get }
}

extension WindowSource {
    /// All tiles are there from the start.
    var events: AsyncStream<ArrivingImage.Event> {
        AsyncStream { continuation in
            continuation.yield(.complete)
            continuation.finish()
        }
    }

    var error: ImageError? { nil }

    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile? { nil }
}

/// A tile as a file of its own.
public struct EncodedTile: Hashable, Sendable {
    /// The file's format.
    public let format: ImageFormat
    /// The file.
    public let bytes: [UInt8]
}

/// A pyramid that was made, read in place.
final class PyramidWindows: WindowSource {
    private let pyramid: any StoredPyramid
    private let codecs: CodecRegistry

    init(_ pyramid: any StoredPyramid, _ codecs: CodecRegistry) {
        self.pyramid = pyramid
        self.codecs = codecs
    }

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        try await ImageExecutor.shared.run { () throws(ImageError) in Image(try self.pixels(rect, level: level)) }
    }

    /// Puts the tiles that `rect` touches together.
    private func pixels(_ rect: PixelRect, level: Int) throws(ImageError) -> Bitmap {
        let geometry = pyramid.geometry
        let touched = TileRange(touching: rect, level: level, tileSize: geometry.tileSize)
        let first = TileAddress(level: level, column: touched.columns.lowerBound, row: touched.rows.lowerBound)
        if geometry.rect(of: first) == rect { return try decoded(first) }
        var target = try MutableBitmap(BitmapInfo(size: rect.size, format: .rgba8, alpha: .premultiplied))
        var hasAlpha = false
        for address in touched.addresses {
            let tile = try decoded(address)
            hasAlpha = hasAlpha || tile.alpha.hasAlpha
            let place = geometry.rect(of: address)
            let pixels = try tile.converted(to: .rgba8, alpha: .premultiplied)
            target.draw(pixels, x: place.x - rect.x, y: place.y - rect.y)
        }
        return target.freeze().withMeaning(alpha: hasAlpha ? .premultiplied : .none, profile: .sRGB)
    }

    private func decoded(_ address: TileAddress) throws(ImageError) -> Bitmap {
        guard let file = try pyramid.tile(at: address) else {
            throw ImageError(.corrupt, "the pyramid has no tile \(address)")
        }
        let size = pyramid.geometry.rect(of: address).size
        let decoded = try ImageSource.decode(file, registry: codecs)
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

/// A picture that is decoded once, into a store of raw tiles, while its bytes come.
final class DecodedWindows: WindowSource {
    private let picture: ArrivingImage
    private let store: RawTileStore

    init(_ picture: ArrivingImage, _ store: RawTileStore) {
        self.picture = picture
        self.store = store
    }

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        // Levels go down to one tile of the store's size; smaller ones are made of the last.
        guard level < store.geometry.levels.count else { return try await smallWindow(rect, level: level) }
        for address in TileRange(touching: rect, level: level, tileSize: RawTileStore.tileSize).addresses {
            let tile = try await store.tile(address)
            if store.geometry.rect(of: address) == rect { return tile }
        }
        return try store.snapshot(of: rect, level: level).image
    }

    private func smallWindow(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        let last = store.geometry.levels.count - 1
        let size = store.geometry.levels[last]
        let whole = try await window(PixelRect(size), level: last)
        let halvings = level - last
        let small = PixelSize(
            width: (size.width - 1) >> halvings + 1, height: (size.height - 1) >> halvings + 1)
        return try Image(
            whole.bitmap().resampled(to: small, filter: .area).cropped(to: rect))
    }

    var events: AsyncStream<ArrivingImage.Event> { picture.events }
    var error: ImageError? { picture.error }
}
