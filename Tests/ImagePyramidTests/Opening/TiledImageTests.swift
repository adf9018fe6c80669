import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import SamplePictures
import TestSupport
import Testing

@Suite("An image by its tiles")
struct TiledImageTests {
    /// A file of a picture with detail everywhere and odd sides.
    private func file(
        _ format: ImageFormat, _ size: PixelSize = PixelSize(width: 683, height: 421),
        pixels: PixelFormat = .rgba8, orientation: Orientation = .up,
        _ change: (inout EncodingOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        var options = EncodingOptions(quality: 0.9)
        options.metadata.orientation = orientation
        change(&options)
        return try ImageDestination(format: format, options: options).encode(Bitmap.grainy(size, format: pixels))
    }

    /// A level put together from its tiles, upright.
    private func level(_ level: Int, of picture: TiledImage) async throws -> Bitmap {
        let size = picture.levels[level]
        var whole = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied))
        for row in 0..<picture.geometry.rowCount(level) {
            for column in 0..<picture.geometry.columnCount(level) {
                let address = TileAddress(level: level, column: column, row: row)
                let tile = try await picture.tile(address)
                let rect = picture.geometry.rect(of: address)
                #expect(tile.size == rect.size)
                let upright = try tile.bitmap()
                whole.draw(try upright.converted(to: .rgba8, alpha: .premultiplied), x: rect.x, y: rect.y)
            }
        }
        return whole.freeze()
    }

    private func decoded(_ file: [UInt8]) throws -> Bitmap {
        try ImageSource.decode(file).bitmap.converted(to: .rgba8, alpha: .premultiplied)
    }

    @Test(
        "Tiles have the image's exact pixels, however it is stored",
        arguments: Orientation.allCases, [PixelFormat.gray8, .rgba8])
    func jpegTiles(orientation: Orientation, pixels: PixelFormat) async throws {
        // Without subsampled chroma nothing depends on a neighbour.
        let file = try file(.jpeg, pixels: pixels, orientation: orientation) { $0.jpeg.subsampling = .yuv444 }
        let picture = try await TiledImage(file)
        #expect(picture.access == .indexed)
        #expect(picture.size == orientation.applied(to: PixelSize(width: 683, height: 421)))
        let whole = try decoded(file)
        #expect(try await level(0, of: picture).tightBytes() == whole.tightBytes())
        for index in picture.levels.indices.dropFirst() {
            let smaller = try whole.resampled(to: picture.levels[index], filter: .area)
            // Halved by the inverse transform, and from the stored side: close, and never shifted by a pixel.
            #expect(try #require(try await level(index, of: picture).noise(against: smaller)) > 24)
        }
    }

    @Test("With subsampled chroma only the tiles' edges differ, by their neighbours' chroma")
    func subsampled() async throws {
        let file = try file(.jpeg)
        let picture = try await TiledImage(file)
        let whole = try decoded(file)
        #expect(try #require(try await level(0, of: picture).noise(against: whole)) > 35)
    }

    @Test("A file is opened once: its tiles are read after it was removed", arguments: [ImageFormat.jpeg, .png])
    func openedOnce(format: ImageFormat) async throws {
        let folder = try TemporaryFolder()
        let file = try file(format)
        let expected = try await level(0, of: TiledImage(file)).tightBytes()
        for isSource in [false, true] {
            let path = try folder.write(file, to: "picture")
            let picture = isSource ? try await TiledImage(Source(path: path)) : try await TiledImage(contentsOf: path)
            try FileManager.default.removeItem(atPath: path)
            #expect(picture.access == (format == .jpeg ? .indexed : .decoded))
            #expect(try await level(0, of: picture).tightBytes() == expected)
        }
    }

    @Test("A packed pyramid is read from memory as from a file")
    func packedInMemory() async throws {
        let folder = try TemporaryFolder()
        let file = try file(.png)
        let source = try PyramidSource(Source(file))
        let writer = try PackedPyramidWriter(
            path: folder.file("a.pyramid"), geometry: PyramidGeometry(size: source.size), encoding: TileEncoding())
        try PyramidBuilder().build(source, into: writer)
        let packed = try await TiledImage(Source(folder.read("a.pyramid")))
        #expect(packed.access == .stored && packed.size == source.size)
        _ = try await packed.tile(TileAddress(level: 0, column: 0, row: 0)).bitmap()
    }

    @Test(
        "Formats without random access are decoded once",
        arguments: [ImageFormat.png, .gif, .webP, .bmp, .jpng])
    func decodedOnce(format: ImageFormat) async throws {
        let file = try file(format)
        let picture = try await TiledImage(file)
        #expect(picture.access == .decoded)
        let whole = try decoded(file)
        #expect(try await level(0, of: picture).tightBytes() == whole.tightBytes())
        let last = picture.levels.count - 1
        let small = try whole.resampled(to: picture.levels[last], filter: .area)
        #expect(try #require(try await level(last, of: picture).noise(against: small)) > 24)
        #expect(picture.error == nil)
    }

    @Test("A JPNG's tiles have its alpha, from the first one on", arguments: [true, false])
    func alpha(showsPasses: Bool) async throws {
        let bitmap = try SamplePicture.fruit.makeBitmap(size: PixelSize(width: 1300, height: 1280))
        let file = try ImageDestination(format: .jpng).encode(bitmap)
        let folder = try TemporaryFolder()
        let path = folder.file("fruit.jpng")
        try Data(file).write(to: URL(fileURLWithPath: path))
        let options = TiledImage.Options(showsPasses: showsPasses)
        for picture in [
            try await TiledImage(file, options: options), try await TiledImage(contentsOf: path, options: options),
        ] {
            #expect(picture.access == .decoded)
            #expect(try await level(0, of: picture).tightBytes() == decoded(file).tightBytes())
            let tile = try await picture.tile(TileAddress(level: 0, column: 0, row: 0))
            #expect(tile.hasAlpha)
        }
        withExtendedLifetime(folder) {}
    }

    @Test("A tile of a progressive image has the last pass")
    func lastPass() async throws {
        let size = PixelSize(width: 1283, height: 721)
        let file = try file(.jpeg, size) { $0.jpeg.isProgressive = true }
        let whole = try decoded(file)
        for chunkSize in [file.count, 4096] {
            let picture = try await TiledImage(Chunks(file, chunkSize))
            #expect(picture.access == .decoded)
            #expect(try await level(0, of: picture).tightBytes() == whole.tightBytes())
        }
        let part = PixelRect(x: 500, y: 100, width: 600, height: 500)
        let region = try await TiledImage(file).region(part).converted(to: .rgba8, alpha: .premultiplied)
        #expect(try region.tightBytes() == whole.cropped(to: part).tightBytes())
    }

    @Test("With passes, tiles are available before all bytes have arrived")
    func passes() async throws {
        let file = try file(.jpeg) { $0.jpeg.isProgressive = true }
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        feed.yield(Array(file[..<(file.count / 2)]))
        let picture = try await TiledImage(stream, options: TiledImage.Options(showsPasses: true))
        let early = try await level(0, of: picture)
        let whole = try decoded(file)
        #expect(early.tightBytes() != whole.tightBytes())
        feed.yield(Array(file[(file.count / 2)...]))
        feed.finish()
        for await event in picture.events { if event == .complete { break } }
        #expect(try await level(0, of: picture).tightBytes() == whole.tightBytes())
    }

    @Test("A truncated file has the tiles up to its end, and an error", arguments: [true, false])
    func truncated(isProgressive: Bool) async throws {
        let file = try file(.jpeg) { $0.jpeg.isProgressive = isProgressive }
        let picture = try await TiledImage(Chunks(Array(file[..<(file.count * 3 / 5)]), 4096))
        let address = TileAddress(level: 0, column: 1, row: 0)
        let tile = try await picture.tile(address).bitmap()
        let rect = picture.geometry.rect(of: address)
        let expected = try ImageSource.decode(file).bitmap.cropped(to: rect)
        #expect(try #require(tile.noise(against: expected)) > 20)
        for await event in picture.events { if case .failed = event { break } }
        #expect(picture.error?.code == .truncated)
    }

    @Test("A region is made from the smallest level that has its detail", arguments: [1, 2, 3, 7, 16])
    func regions(divisor: Int) async throws {
        let file = try file(.jpeg) { $0.jpeg.subsampling = .yuv444 }
        let picture = try await TiledImage(file)
        let rect = PixelRect(x: 101, y: 57, width: 448, height: 320)
        let size = PixelSize(width: 448 / divisor, height: 320 / divisor)
        let region = try await picture.region(rect, size: size)
        let expected = try decoded(file).cropped(to: rect).resampled(to: size)
        #expect(region.size == size)
        let converted = try region.converted(to: .rgba8, alpha: .premultiplied)
        #expect(try #require(converted.noise(against: expected)) > 24)
    }

    @Test("A region at a level's scale has that level's pixels", arguments: [0, 1, 2])
    func regionsAtLevels(index: Int) async throws {
        // Sides that halve without rest: tiles at others are decoded larger.
        let picture = try await TiledImage(
            try file(.jpeg, PixelSize(width: 704, height: 448)) { $0.jpeg.subsampling = .yuv444 })
        let rect = PixelRect(x: 64, y: 32, width: 320, height: 200)
        let region = try await picture.region(
            rect, size: PixelSize(width: rect.width >> index, height: rect.height >> index))
        let expected = try await level(index, of: picture).cropped(
            to: PixelRect(
                x: rect.x >> index, y: rect.y >> index, width: rect.width >> index, height: rect.height >> index))
        #expect(try region.converted(to: .rgba8, alpha: .premultiplied).tightBytes() == expected.tightBytes())
    }

    @Test(
        "The level at the target's scale serves it; else one of at least twice its size",
        arguments: [
            (1024, 512, 1), (1024, 256, 2), (1024, 16, 6), (1024, 1024, 0), (512, 256, 1), (500, 125, 2),
            (1024, 513, 0), (1024, 511, 0), (1024, 300, 0), (1024, 200, 1), (1024, 8, 6), (1024, 1, 6), (1024, 2000, 0),
            // A level's pixels don't end with an odd side.
            (1001, 500, 0), (1001, 501, 0), (1001, 250, 1),
        ])
    func levels(side: Int, target: Int, expected: Int) async throws {
        let file = try file(.jpeg, PixelSize(width: 1024, height: 1024), pixels: .gray8)
        let picture = try await TiledImage(file, options: TiledImage.Options(tileSize: 16))
        let (part, size) = (PixelSize(width: side, height: side), PixelSize(width: target, height: target))
        #expect(picture.level(for: part, at: size) == expected)
        // Both directions count.
        let wide = PixelSize(width: target, height: target + 1)
        #expect(picture.level(for: part, at: wide) <= expected)
    }

    @Test("An overview fits, and is upright", arguments: Orientation.allCases)
    func overview(orientation: Orientation) async throws {
        let file = try file(.jpeg, orientation: orientation)
        let picture = try await TiledImage(file)
        let overview = try await picture.overview(maximumSide: 100)
        #expect(max(overview.width, overview.height) == 100)
        let expected = try decoded(file).resampled(to: overview.size)
        #expect(try #require(overview.converted(to: .rgba8, alpha: .premultiplied).noise(against: expected)) > 24)
    }

    @Test("A tile's file copies the source's bits only where that gives the right image")
    func encodedTiles() async throws {
        let address = TileAddress(level: 0, column: 1, row: 0)
        let plain = try await TiledImage(file(.jpeg) { $0.jpeg.subsampling = .yuv444 })
        let tile = try #require(try await plain.encodedTile(address))
        #expect(tile.format == .jpeg)
        let pixels = try await plain.tile(address).bitmap()
        #expect(try ImageSource.decode(tile.bytes).bitmap.tightBytes() == pixels.tightBytes())
        #expect(try await plain.encodedTile(TileAddress(level: 1, column: 0, row: 0)) == nil)

        let turned = try await TiledImage(file(.jpeg, orientation: .right))
        #expect(try await turned.encodedTile(address) == nil)
        let unaligned = try await TiledImage(file(.jpeg), options: TiledImage.Options(tileSize: 250))
        #expect(try await unaligned.encodedTile(address) == nil)
        let decoded = try await TiledImage(file(.png))
        #expect(try await decoded.encodedTile(address) == nil)
    }

    @Test("A file and its bytes in memory are the same image", arguments: [ImageFormat.jpeg, .png])
    func files(format: ImageFormat) async throws {
        let folder = try TemporaryFolder()
        let bytes = try file(format)
        let path = try folder.write(bytes, to: "picture")
        let (stored, inMemory) = (try await TiledImage(contentsOf: path), try await TiledImage(bytes))
        #expect(stored.access == inMemory.access)
        #expect(try await level(0, of: stored).tightBytes() == level(0, of: inMemory).tightBytes())
        let address = TileAddress(level: 0, column: 2, row: 1)
        #expect(try await stored.encodedTile(address) == inMemory.encodedTile(address))
    }

    @Test("Small images of the whole are reported: the embedded one, then the eighth")
    func previews() async throws {
        func events(_ file: [UInt8]) async throws -> [ArrivingImage.Event] {
            var events: [ArrivingImage.Event] = []
            for await event in try await TiledImage(file).events { events.append(event) }
            return events
        }
        let size = PixelSize(width: 1500, height: 2100)
        let plain = try file(.jpeg, size, orientation: .right)
        let header = try ImageSource.header(of: plain)
        let eighth = ArrivingImage.Event.preview(PixelSize(width: 263, height: 188))
        #expect(try await events(plain) == [.header(header), eighth, .complete])

        let carrying = try file(.jpeg, size) { $0.embeddedThumbnailSize = 70 }
        let told = try await events(carrying)
        #expect(told.dropFirst().first == .preview(PixelSize(width: 50, height: 70)), "\(told)")
        #expect(told.count == 4 && told.last == .complete)

        let cut = try await events(Array(plain.prefix(plain.count * 6 / 10)))
        guard case .failed(let error) = cut.last else { return #expect(Bool(false), "\(cut)") }
        #expect(error.code == .truncated && cut.contains(eighth))

        let decoded = try await events(file(.png))
        #expect(decoded.count { if case .header = $0 { true } else { false } } == 1)
        #expect(decoded.last == .complete)
        #expect(try await events(file(.jpeg, PixelSize(width: 100, height: 60))).last == .complete)
    }

    @Test("A truncated JPEG is served up to its end, whose offset is in the error")
    func truncated() async throws {
        let whole = try file(.jpeg, PixelSize(width: 683, height: 900)) { $0.jpeg.subsampling = .yuv444 }
        let cut = Array(whole[..<(whole.count * 6 / 10)])
        let picture = try await TiledImage(cut)
        let first = try await picture.tile(TileAddress(level: 0, column: 0, row: 0)).bitmap()
        #expect(
            try first.tightBytes()
                == ImageSource.decode(whole).bitmap.cropped(to: PixelRect(x: 0, y: 0, width: 256, height: 256))
                .tightBytes())
        let error = await #expect(throws: ImageError.self) {
            try await picture.tile(TileAddress(level: 0, column: 0, row: 3))
        }
        #expect(error?.code == .truncated)
        #expect(error?.byteOffset ?? 0 > cut.count / 2)
    }

    @Test("Invalid arguments are refused")
    func refusals() async throws {
        let picture = try await TiledImage(file(.jpeg))
        let noTile = await #expect(throws: ImageError.self) {
            try await picture.tile(TileAddress(level: 0, column: 9, row: 0))
        }
        #expect(noTile?.code == .invalidParameter)
        let outside = await #expect(throws: ImageError.self) {
            try await picture.region(PixelRect(x: 600, y: 0, width: 100, height: 10))
        }
        #expect(outside?.code == .invalidParameter)
        let noPicture = await #expect(throws: ImageError.self) { try await TiledImage([1, 2, 3]) }
        #expect(noPicture?.code == .unknownFormat)
        let noFile = await #expect(throws: ImageError.self) { try await TiledImage(contentsOf: "/nowhere/picture") }
        #expect(noFile?.code == .inputOutput)
    }

    @Test("The given codecs decode it")
    func codecs() async throws {
        let bytes = try file(.png)
        var options = TiledImage.Options()
        options.codecs.unregister(.png)
        await #expect(throws: ImageError.self) { try await TiledImage(bytes, options: options) }
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(fileURLWithPath: folder.file("a.png")))
        await #expect(throws: ImageError.self) {
            try await TiledImage(contentsOf: folder.file("a.png"), options: options)
        }
        #expect(try await TiledImage(contentsOf: folder.file("a.png")).size == PixelSize(width: 683, height: 421))
    }
}
