internal import Raster

/// A picture that is decoded once, into a store of raw tiles, while its bytes come.
final class StoreWindows: WindowSource {
    private let picture: ArrivingImage
    private let store: RawTileStore

    init(_ picture: ArrivingImage, _ store: RawTileStore) {
        self.picture = picture
        self.store = store
    }

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        let tileSize = RawTileStore.tileSize
        // Levels go down to one tile of the store's size; smaller ones are made of the last.
        guard level < store.geometry.levels.count else { return try await smallWindow(rect, level: level) }
        let columns = rect.x / tileSize...(rect.x + rect.width - 1) / tileSize
        let rows = rect.y / tileSize...(rect.y + rect.height - 1) / tileSize
        for row in rows {
            for column in columns {
                let address = TileAddress(level: level, column: column, row: row)
                let tile = try await store.tile(address)
                if store.geometry.rect(of: address) == rect { return tile }
            }
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
            whole.bitmap().oriented(by: whole.orientation).resampled(to: small).cropped(to: rect))
    }

    var events: AsyncStream<ArrivingImage.Event> { picture.events }
    var error: ImageError? { picture.error }
}
