// PhotoScrollerNetwork's README, which has steps in place of code: each of them, as a call.
import Foundation
import TesseraCompatibility

enum PhotoScrollerDocument {
    // MARK: Tiles of a single file

    /// The temporary file, its removal, the smaller levels and the order of tiles are the image's own.
    static func tiles(_ url: URL) async throws {
        // Obtain a complete image as a file URL or as data.
        let fromFile = try await TiledImage(contentsOf: url)
        let fromData = try await TiledImage(try Data(contentsOf: url))
        expect(fromFile.size == fromData.size && fromFile.geometry.tileSize == 256)

        // When the view requests a tile, provide it with an image.
        let tile = try await fromFile.tile(TileAddress(level: 0, column: 1, row: 0))
        expect(tile.size.height == 256)
    }

    // MARK: A zoomable view

    @MainActor
    static func scrollView(_ url: URL) async throws {
        let view = ZoomableImage(try await TiledImage(contentsOf: url))
        view.zoom.viewSize = ViewSize(width: 320, height: 480)
        await wait { !view.drawing.isEmpty }
    }

    // MARK: Decoding while the image arrives

    static func incremental(_ url: URL) async throws {
        let bytes = Array(try Data(contentsOf: url))
        let (chunks, download) = AsyncStream<ArraySlice<UInt8>>.makeStream()
        let image = ArrivingImage(chunks)

        // When web data appears, first get the header.
        download.yield(bytes[..<4096])
        let size = try await image.header().size
        expect(!image.isComplete)

        // As data arrives, the decoder supplies lines of decoded image.
        download.yield(bytes[4096...])
        download.finish()
        try await image.complete()
        let tile = try await image.tile(TileAddress(level: 0, column: 0, row: 0))
        expect(size.width > 256 && tile.size == PixelSize(width: 256, height: 256))
    }

    // MARK: Several images at once

    static func concurrently(_ urls: [URL]) async throws {
        try await withThrowingTaskGroup { group in
            for url in urls {
                group.addTask { try await ArrivingImage(ImagePipeline.shared.bytes(for: url)).complete() }
            }
            try await group.waitForAll()
        }
    }

    static func run(in folder: String) async throws {
        let url = URL(fileURLWithPath: folder + "/large.jpg")
        try await drawing(width: 700, height: 520).write(to: url)
        try await tiles(url)
        try await scrollView(url)
        try await incremental(url)
        try await concurrently([url, url])
        print("PhotoScroller: tiles, a zoomable view, and decoding on arrival")
    }
}
