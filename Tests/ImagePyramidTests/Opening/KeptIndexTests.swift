import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import JPEGBitstream
import Raster
import SamplePictures
import TestSupport
import Testing

@Suite("An index kept from one opening to the next")
struct KeptIndexTests {
    private let folder: TemporaryFolder
    private let bytes: [UInt8]
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        var options = EncodingOptions(quality: 0.9)
        options.jpeg.subsampling = .yuv444
        bytes = try ImageDestination(format: .jpeg, options: options)
            .encode(Bitmap.grainy(PixelSize(width: 683, height: 421)))
        path = try folder.write(bytes, to: "picture.jpg")
    }

    private var index: String { "picture.jpg.tessera-index" }

    private func open(_ place: TiledImage.Options.IndexPlace? = .besidePicture) async throws -> TiledImage {
        try await TiledImage(contentsOf: path, options: TiledImage.Options(index: place))
    }

    /// Every tile of the full size, by its file and by its pixels.
    private func tiles(_ picture: TiledImage) async throws -> [[UInt8]] {
        var tiles: [[UInt8]] = []
        for row in 0..<picture.geometry.rowCount(0) {
            for column in 0..<picture.geometry.columnCount(0) {
                let address = TileAddress(level: 0, column: column, row: row)
                tiles.append(try #require(try await picture.encodedTile(address)).bytes)
                tiles.append(try await picture.tile(address).bitmap().tightBytes())
            }
        }
        return tiles
    }

    /// The index that is kept, changed and with a checksum that fits (`JPEGTileIndex` says which).
    private func change(_ change: (inout [UInt8]) -> Void) throws {
        var stored = try folder.read(index)
        change(&stored)
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        let body = Array(stored.dropLast(8))
        for start in stride(from: 0, to: body.count, by: 8) {
            let number = body[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            sum = (sum ^ number) &* 1_099_511_628_211
            sum ^= sum >> 29
        }
        try folder.write(body + (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64(8 * $0)) }, to: index)
    }

    @Test("An index is stored only on request, and gives the same tiles")
    func keeping() async throws {
        let expected = try await tiles(open(nil))
        #expect(try folder.names() == ["picture.jpg"])
        #expect(try await tiles(open()) == expected)
        #expect(try folder.names() == ["picture.jpg", index])
        let kept = try folder.read(index)
        #expect(try await tiles(open()) == expected)
        #expect(try folder.read(index) == kept)
        for _ in 0..<2 { #expect(try await tiles(open(.folder(folder.file("new")))) == expected) }
        #expect(try folder.names(in: "new").count == 1)
    }

    @Test("Images with one name in two folders have separate indexes")
    func names() async throws {
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
            let path = try folder.write(bytes, to: "\(name)/same.jpg")
            let options = TiledImage.Options(index: .folder(folder.file("indexes")))
            _ = try await tiles(TiledImage(contentsOf: path, options: options))
        }
        #expect(try folder.names(in: "indexes").count == 2)
    }

    @Test("With an index, tiles are read without the rest of the image")
    func entering() async throws {
        var large = try ImageDestination(format: .jpeg).encode(Bitmap.grainy(PixelSize(width: 1400, height: 1400)))
        try folder.write(large, to: "picture.jpg")
        let tile = TileAddress(level: 0, column: 1, row: 0)
        let expected = try await open().encodedTile(tile)
        let date = try times()
        // Too early an end, which who reads all data meets, at a place that no digest looks at.
        let step = (large.count - 4096) / 31
        try #require(step > 5000)
        for place in stride(from: 28 * step + 4200, to: 28 * step + 4300, by: 2) {
            (large[place], large[place + 1]) = (0xFF, 0xD9)
        }
        try folder.write(large, to: "changed.jpg")
        try overwrite(with: large, date)
        let picture = try await open()
        #expect(try await picture.encodedTile(tile) == expected)
        #expect(picture.error == nil)
        let other = try await TiledImage(contentsOf: folder.file("changed.jpg"))
        #expect(try await other.encodedTile(tile) == expected)
        #expect(other.error?.code == .corrupt || other.error?.code == .truncated)
    }

    /// When the picture was read and changed, as exactly as the system knows.
    private func times() throws -> (timespec, timespec) {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return (status.st_atim, status.st_mtim)
    }

    private func overwrite(with bytes: [UInt8], _ times: (timespec, timespec)) throws {
        try folder.write(bytes, to: "picture.jpg")
        try #require(utimensat(AT_FDCWD, path, [times.0, times.1], 0) == 0)
    }

    @Test("An index of another image, or of an older version, is replaced")
    func stale() async throws {
        _ = try await tiles(open())
        let old = try folder.read(index)
        let other = try ImageDestination(format: .jpeg).encode(Bitmap.grainy(PixelSize(width: 683, height: 421)))
        try folder.write(other, to: "picture.jpg")
        #expect(try await tiles(open()) == tiles(TiledImage(other)))
        #expect(try folder.read(index) != old)
        try folder.write(bytes, to: "picture.jpg")
        try folder.write(old, to: index)
        // The same bytes at another time: made anew as well.
        #expect(try await tiles(open()) == tiles(TiledImage(bytes)))
        #expect(try folder.read(index) != old)
        let wide = TiledImage.Options(tileSize: 512, index: .besidePicture)
        let tile = TileAddress(level: 0, column: 0, row: 0)
        let expected = try await TiledImage(bytes, options: wide).encodedTile(tile)
        #expect(try await TiledImage(contentsOf: path, options: wide).encodedTile(tile) == expected)
    }

    @Test("A damaged index is replaced")
    func damaged() async throws {
        let expected = try await tiles(open())
        let kept = try folder.read(index)
        let half = kept.count / 2
        for damaged in [
            [], Array(kept.prefix(7)), Array(kept.prefix(half)), Array(kept.dropLast(8)), kept + kept,
            kept[..<half] + [kept[half] ^ 1] + kept[(half + 1)...],
        ] {
            try folder.write(damaged, to: index)
            #expect(try await tiles(open()) == expected)
            #expect(try folder.read(index) == kept)
        }
    }

    @Test("A wrong index does no harm: tiles still have the image's pixels")
    func lying() async throws {
        let expected = try await tiles(open())
        let kept = try folder.read(index)
        let layout = try JPEGTileLayout(header: bytes.span.bytes)
        let count = layout.mcusDown * (layout.columnCount + 1)
        let entries = kept.count - 8 - 16 * count
        var random = SeededGenerator(3)
        for round in 0..<60 {
            try folder.write(kept, to: index)
            try change { stored in
                let entry = entries + 16 * Int.random(in: 0..<count, using: &random)
                switch round % 4 {
                case 0: stored[entry] ^= UInt8(1 << (round / 4 % 8))
                case 1: stored[entry + 8] &+= UInt8(round + 1)
                case 2: stored[entry + 1] &+= 1
                default:
                    for place in entries..<kept.count - 8 where (place - entries) % 16 == 8 {
                        stored[place] &+= UInt8(round)
                    }
                }
            }
            #expect(try await tiles(open()) == expected, "round \(round)")
        }
    }

    @Test("Other files keep their names, and an unwritable folder is no obstacle")
    func obstacles() async throws {
        let expected = try await tiles(open(nil))
        try folder.write(Array("a diary".utf8), to: index)
        #expect(try await tiles(open()) == expected)
        #expect(try folder.read(index) == Array("a diary".utf8))
        try FileManager.default.removeItem(atPath: folder.file(index))
        try folder.write([], to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(index), withDestinationPath: folder.file("target"))
        #expect(try await tiles(open()) == expected)
        #expect(try folder.read("target").isEmpty)
        #expect(try await tiles(open(.folder(folder.file("no/such")))) == expected)
        #expect(try await tiles(open(.folder(folder.file("picture.jpg")))) == expected)
        #expect(try folder.names() == ["picture.jpg", index, "target"])
    }

    @Test("No index is stored for a truncated image")
    func truncated() async throws {
        try folder.write(Array(bytes.prefix(bytes.count * 3 / 4)), to: "picture.jpg")
        let picture = try await open()
        _ = try await picture.tile(TileAddress(level: 0, column: 0, row: 0))
        #expect(try folder.names() == ["picture.jpg"])
    }
}
