import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import TestSupport
import Testing

import ImagePyramid

@Suite("Tiles copied bit by bit") struct TileCopierTests {
    /// The planes of a JPEG, one after the other, each row as long as the plane is wide.
    static func planes(_ file: [UInt8]) throws -> [(size: PixelSize, samples: [UInt8])] {
        try JPEGPlanarSource(Source(file).reader()).readPlanes().planes
    }

    @Test("Copied tiles have the source's samples, at every sampling, with and without restart markers", .needsPillow)
    func samples() throws {
        let folder = try TemporaryFolder()
        let picture = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 203, height: 151))
        let png = try folder.write(ImageDestination(format: .png).encode(picture), to: "picture.png")
        for (mode, sampling, restart) in [
            ("RGB", 0, 0), ("RGB", 1, 0), ("RGB", 2, 0), ("RGB", 2, 1), ("RGB", 2, 7), ("L", 0, 0),
        ] {
            let path = folder.path + "/picture.jpg"
            let program = """
                import sys
                from PIL import Image
                options = dict(restart_marker_blocks=\(restart)) if \(restart) else {}
                image = Image.open(sys.argv[1]).convert("\(mode)")
                image.save(sys.argv[2], quality=90, subsampling=\(sampling), **options)
                """
            try #require(try CommandLineTool.python.run(["-c", program, png, path]))
            let file = try Corpus.bytes(path)
            for tileSize in [16, 48, 64, 256] {
                let (tiles, geometry) = try PyramidBuilderTests.build(
                    PyramidSource(Source(file)), tileSize: tileSize, TileEncoding(quality: 0.2))
                let whole = try Self.planes(file)
                for address in tiles.written where address.level == 0 {
                    let rect = geometry.rect(of: address)
                    for (own, source) in zip(try Self.planes(tiles.tiles[address] ?? []), whole) {
                        let factor = (source.size.width * 2 <= picture.width + 1) ? 2 : 1
                        let down = (source.size.height * 2 <= picture.height + 1) ? 2 : 1
                        for y in 0..<own.size.height {
                            let start = (rect.y / down + y) * source.size.width + rect.x / factor
                            #expect(
                                source.samples[start..<start + own.size.width]
                                    == own.samples[y * own.size.width..<(y + 1) * own.size.width],
                                "\(mode) \(sampling) \(restart) \(address)")
                        }
                    }
                }
            }
        }
    }

    @Test("Where bits are damaged, tiles are encoded from decoded pixels") func damage() throws {
        let picture = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 320, height: 256))
        var file = try PyramidBuilderTests.file(picture)
        for at in stride(from: file.count / 2, to: file.count / 2 + 40, by: 3) { file[at] = 0x55 }
        let geometry = try PyramidGeometry(size: picture.size, tileSize: 64)
        let tiles = MemoryTiles(geometry)
        var builder = PyramidBuilder()
        builder.keepsPartial = true
        // The damage may be such that the bits can be read nevertheless.
        try? builder.build(PyramidSource(Source(file)), into: tiles)
        #expect(tiles.isFinished && tiles.written.count == geometry.tileCount)
        #expect(Set(tiles.written).count == geometry.tileCount)
    }

    @Test("A small profile is in each tile, and all levels have the same colours", arguments: [false, true])
    func profiles(_ isGray: Bool) throws {
        let profile = isGray ? TestProfiles.linearGray : TestProfiles.wideRGB
        let picture = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 320, height: 256))
            .converted(to: isGray ? .gray8 : .rgba8, alpha: AlphaMode.none)
            .withMeaning(alpha: .none, profile: .icc(profile))
        let file = try PyramidBuilderTests.file(picture, .jpeg, .yuv444)
        let (tiles, geometry) = try PyramidBuilderTests.build(
            PyramidSource(Source(file)), TileEncoding(quality: 0.95))
        let whole = try ImageSource.decode(file).bitmap
        for address in tiles.written {
            let tile = try #require(tiles.tiles[address])
            let header = try ImageSource.header(of: tile)
            #expect(header.profile == (address.level == 0 ? .icc(profile) : .sRGB))
            let pixels = try ImageSource.decode(tile).bitmap
            let rect = geometry.rect(of: address)
            if address.level == 0 {
                #expect(try pixels.tightBytes() == whole.cropped(to: rect).tightBytes())
            } else {
                let expected = try whole.resampled(to: geometry.levels[address.level], filter: .area).cropped(to: rect)
                #expect(try #require(pixels.noise(against: expected)) > 28, "\(address)")
            }
        }
    }

    @Test("With a profile of more than 4 KB, tiles are encoded in sRGB instead")
    func largeProfile() throws {
        let profile = TestProfiles.wideRGB + [UInt8](repeating: 0, count: 4096)
        let picture = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 160, height: 128))
            .converted(alpha: AlphaMode.none).withMeaning(alpha: .none, profile: .icc(profile))
        let (tiles, _) = try PyramidBuilderTests.build(
            PyramidSource(Source(PyramidBuilderTests.file(picture))), TileEncoding())
        for tile in tiles.tiles.values { #expect(try ImageSource.header(of: tile).profile == .sRGB) }
    }

    @Test("Tiles are encoded again on request") func encodedAnew() throws {
        let picture = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 320, height: 256))
        let file = try PyramidBuilderTests.file(picture)
        let (copied, _) = try PyramidBuilderTests.build(
            PyramidSource(Source(file)), TileEncoding(quality: 0.1))
        let (encoded, _) = try PyramidBuilderTests.build(
            PyramidSource(Source(file)), TileEncoding(quality: 0.1)
        ) { $0.copiesFullSize = false }
        let address = TileAddress(level: 0, column: 0, row: 3)
        #expect(copied.tiles[address]!.count > 2 * encoded.tiles[address]!.count)
        #expect(
            copied.tiles[TileAddress(level: 1, column: 0, row: 0)]
                == encoded.tiles[TileAddress(level: 1, column: 0, row: 0)])
    }

    @Test("A full disk ends a copy with its error", arguments: [0, 3, 11]) func fullDisk(_ room: Int) throws {
        let picture = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 320, height: 256))
        let source = try PyramidSource(Source(PyramidBuilderTests.file(picture)))
        let tiles = MemoryTiles(try PyramidGeometry(size: source.size, tileSize: 64), room: room)
        let error = #expect(throws: ImageError.self) { try PyramidBuilder().build(source, into: tiles) }
        #expect(error?.code == .inputOutput && error?.message == "no space left on device")
        #expect(!tiles.isFinished && tiles.written.count == room)
    }
}
