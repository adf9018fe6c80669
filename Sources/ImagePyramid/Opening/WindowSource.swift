public import ImageFormats
internal import Raster

/// An image of which any part is available at any level, without the rest.
protocol WindowSource: Sendable {
    /// Returns the pixels of a part of a level, in sRGB with 8 bits a channel. `rect` is in upright pixels of that
    /// level; the result is as stored, with its orientation.
    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image

    /// Returns a tile's encoded file if it is stored or its bits can be copied from the source; otherwise nil.
    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile?

    /// Whether a window takes less time than the tiles that it touches.
    var prefersWindows: Bool { get }

    /// Whether levels are filtered so well that a size between two is made from the smaller one that has as many pixels.
    var hasFilteredLevels: Bool { get }

    /// The distance from the place of a level's pixel to the middle of the pixels that it covers, in upright pixels of the
    /// level.
    func displacement(level: Int) -> (x: Double, y: Double)

    /// The progress of decoding, and its end.
    var events: AsyncStream<ArrivingImage.Event> { get }
    /// The error that left tiles missing; nil if there is none so far.
    var error: ImageError? { get }
}

extension WindowSource {
    /// All tiles are available from the start.
    var events: AsyncStream<ArrivingImage.Event> {
        AsyncStream { continuation in
            continuation.yield(.complete)
            continuation.finish()
        }
    }

    var error: ImageError? { nil }

    var prefersWindows: Bool { false }
    var hasFilteredLevels: Bool { false }
    func displacement(level: Int) -> (x: Double, y: Double) { (0, 0) }

    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile? { nil }
}

/// A tile as a separate file.
public struct EncodedTile: Hashable, Sendable {
    /// The file's format.
    public let format: ImageFormat
    /// The file's bytes.
    public let bytes: [UInt8]
}

/// An existing pyramid, read in place.
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

    /// Assembles the tiles that `rect` touches.
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
        // Padding isn't part of the image.
        guard !pyramid.isPadded || min(size.width, size.height) == pyramid.geometry.tileSize else { return nil }
        return try pyramid.tile(at: address).map { EncodedTile(format: pyramid.format, bytes: $0) }
    }
}

/// An image that is decoded once, into a store of raw tiles, while its bytes arrive.
final class DecodedWindows: WindowSource {
    private let picture: ArrivingImage
    private let store: RawTileStore

    init(_ picture: ArrivingImage, _ store: RawTileStore) {
        self.picture = picture
        self.store = store
    }

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        // The store's levels end at one tile of its size; smaller levels are made from the last.
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
