import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import JPEGBitstream
import Raster
import TestSupport
import Testing

@Suite("A progressive JPEG by its tiles")
struct JPEGScanWindowsTests {
    private static let size = PixelSize(width: 1283, height: 1021)

    private static func file(
        _ size: PixelSize = size, pixels: PixelFormat = .rgba8, orientation: Orientation = .up,
        subsampling: EncodingOptions.JPEG.Subsampling = .yuv420
    ) throws -> [UInt8] {
        var options = EncodingOptions(quality: 0.9)
        options.metadata.orientation = orientation
        options.jpeg = .init(subsampling: subsampling, isProgressive: true)
        return try ImageDestination(format: .jpeg, options: options).encode(Bitmap.grainy(size, format: pixels))
    }

    private static func tile(_ level: Int, _ column: Int, _ row: Int) -> TileAddress {
        TileAddress(level: level, column: column, row: row)
    }

    /// All tiles of a level, from the last to the first.
    private func expectTiles(_ picture: TiledImage, _ level: Int, equal whole: Bitmap) async throws {
        for row in (0..<picture.geometry.rowCount(level)).reversed() {
            for column in (0..<picture.geometry.columnCount(level)).reversed() {
                let address = Self.tile(level, column, row)
                let part = try whole.cropped(to: picture.geometry.rect(of: address))
                let tile = try await picture.tile(address).bitmap().converted(to: part.format, alpha: part.alpha)
                #expect(tile.tightBytes() == part.tightBytes(), "\(address)")
            }
        }
    }

    @Test(
        "Every tile has the pixels of the whole image at its size",
        arguments: EncodingOptions.JPEG.Subsampling.allCases)
    func tiles(subsampling: EncodingOptions.JPEG.Subsampling) async throws {
        let file = try Self.file(subsampling: subsampling)
        let picture = try await TiledImage(file)
        #expect(picture.access == .indexed && picture.levels[3] == PixelSize(width: 161, height: 128))
        for level in 0...3 {
            let target = PixelSize(width: (1283 >> level) / 2, height: (1021 >> level) / 2)
            let whole = try ImageSource.decode(file, plan: level == 0 ? .full : DecodingPlan(targetSize: target)).bitmap
            #expect(whole.size == picture.levels[level])
            try await expectTiles(picture, level, equal: whole)
        }
        #expect(picture.error == nil)
        #expect(try await picture.encodedTile(Self.tile(0, 0, 0)) == nil)
    }

    @Test("Tiles are upright, and grey images grey", arguments: Orientation.allCases, [PixelFormat.gray8, .rgba8])
    func orientations(orientation: Orientation, pixels: PixelFormat) async throws {
        let file = try Self.file(PixelSize(width: 683, height: 421), pixels: pixels, orientation: orientation)
        let picture = try await TiledImage(file)
        #expect(picture.access == .indexed)
        try await expectTiles(picture, 0, equal: try ImageSource.decode(file).bitmap)
    }

    @Test("Tiles requested at once are the same")
    func concurrent() async throws {
        let file = try Self.file()
        let picture = try await TiledImage(file)
        let whole = try ImageSource.decode(file).bitmap
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await expectTiles(picture, 0, equal: whole) } }
            try await group.waitForAll()
        }
    }

    @Test("An overview arrives first, and no error for a sound file")
    func events() async throws {
        let picture = try await TiledImage(Self.file())
        var events: [ArrivingImage.Event] = []
        for await event in picture.events {
            if case .header = event { continue }
            events.append(event)
        }
        #expect(events == [.preview(PixelSize(width: 161, height: 128)), .complete])
    }

    @Test("A truncated file has what its bytes show, and an error")
    func truncated() async throws {
        let file = try Self.file()
        let scans = JPEGStructure(of: file.span.bytes).scans
        // In the last scan, whose detail is missing below; and in the first, without which there is no image.
        let cut = Array(file[..<(scans[scans.count - 1].dataOffset + 500)])
        let picture = try await TiledImage(cut)
        let expected = try ImageSource.decode(cut)
        #expect(expected.error?.code == .truncated)
        try await expectTiles(picture, 0, equal: expected.bitmap)
        #expect(picture.error?.code == .truncated && picture.error?.byteOffset == cut.count)

        let first = Array(file[..<((scans[0].dataOffset + scans[0].endOffset!) / 2)])
        let half = try await TiledImage(first)
        _ = try await half.tile(Self.tile(0, 0, 0))
        await #expect { try await half.tile(Self.tile(0, 0, 3)) } throws: {
            ($0 as? ImageError)?.code == .truncated && ($0 as? ImageError)?.byteOffset == first.count
        }
        #expect(half.error?.code == .truncated)
    }

    @Test("Damage ends the rows or the detail at the same place, whichever tile is first")
    func damaged() async throws {
        var file = try Self.file()
        let scans = JPEGStructure(of: file.span.bytes).scans
        // An end of data, in a scan of detail.
        let scan = scans[scans.count - 1]
        let place = (scan.dataOffset + scan.endOffset!) / 2
        (file[place], file[place + 1]) = (0xFF, 0xD9)
        let expected = try ImageSource.decode(file)
        #expect(expected.error != nil)
        for first in [Self.tile(0, 0, 3), Self.tile(0, 0, 0)] {
            let picture = try await TiledImage(file)
            _ = try await picture.tile(first)
            try await expectTiles(picture, 0, equal: expected.bitmap)
            #expect(picture.error?.code == expected.error?.code)
            #expect(picture.error?.byteOffset == expected.error?.byteOffset)
        }
    }

    @Test("Changed bytes never trap, and give the same tiles in any order")
    func mutations() async throws {
        let original = try Self.file(PixelSize(width: 300, height: 290))
        var random = SeededGenerator(8)
        for _ in 0..<40 {
            var file = original
            for _ in 0..<3 {
                file[Int.random(in: 2..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var seen: [[String]] = []
            for order in [[0, 1], [1, 0]] {
                guard let picture = try? await TiledImage(file) else { continue }
                var tiles = ["", ""]
                for row in order where row < picture.geometry.rowCount(0) {
                    do {
                        let tile = try await picture.tile(Self.tile(0, 0, row)).bitmap()
                        tiles[row] = "\(tile.tightBytes().hashValue)"
                    } catch {
                        tiles[row] = "\(error.code)"
                    }
                }
                seen.append(tiles)
            }
            #expect(seen.count != 2 || seen[0] == seen[1])
        }
    }

    // MARK: The index in a file

    @Test("An index is stored once all rows are indexed, and gives the same tiles; a wrong one is replaced")
    func keptIndex() async throws {
        let folder = try TemporaryFolder()
        let file = try Self.file()
        let path = try folder.write(file, to: "picture.jpg")
        let index = "picture.jpg.tessera-index"
        func open() async throws -> TiledImage {
            try await TiledImage(contentsOf: path, options: TiledImage.Options(index: .besidePicture))
        }
        let whole = try ImageSource.decode(file).bitmap
        _ = try await open().tile(Self.tile(0, 0, 0))
        #expect(try folder.names() == ["picture.jpg"])
        try await expectTiles(open(), 0, equal: whole)
        #expect(try folder.names() == ["picture.jpg", index])
        let kept = try folder.read(index)
        try await expectTiles(open(), 0, equal: whole)
        #expect(try folder.read(index) == kept)

        let half = kept.count / 2
        for damaged in [[], Array(kept.prefix(half)), kept[..<half] + [kept[half] ^ 1] + kept[(half + 1)...]] {
            try folder.write(damaged, to: index)
            try await expectTiles(open(), 0, equal: whole)
            #expect(try folder.read(index) == kept)
        }
        // Entries that are wrong under a checksum that isn't.
        var random = SeededGenerator(9)
        for round in 0..<20 {
            var wrong = Array(kept.dropLast(8))
            let entry = wrong.count - 16 * Int.random(in: 1...300, using: &random)
            wrong[entry + (round % 2) * 8] ^= UInt8(1 << (round / 2 % 8))
            let sum = JPEGTileIndex.checksum(wrong.span.bytes)
            try folder.write(wrong + (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64(8 * $0)) }, to: index)
            try await expectTiles(open(), 0, equal: whole)
        }
    }

    private static let jpegtran = CommandLineTool("jpegtran")

    @Test("An arithmetic-coded file is decoded once", .needs(jpegtran))
    func arithmetic() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.file(PixelSize(width: 300, height: 290)), to: "a.jpg")
        let file = try #require(try Self.jpegtran.output(["-progressive", "-arithmetic", path]))
        let picture = try await TiledImage(file)
        #expect(picture.access == .decoded)
        try await expectTiles(
            picture, 0, equal: ImageSource.decode(file).bitmap.converted(to: .rgba8, alpha: .premultiplied))
    }
}
