import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import TestSupport
import Testing

import ImagePyramid

@Suite("Building pyramids") struct PyramidBuilderTests {
    static func build(
        _ source: PyramidSource, tileSize: Int = 64, overlap: Int = 0, _ encoding: TileEncoding,
        change: (inout PyramidBuilder) -> Void = { _ in }
    ) throws -> (MemoryTiles, PyramidGeometry) {
        let geometry = try PyramidGeometry(size: source.size, tileSize: tileSize, overlap: overlap)
        let tiles = MemoryTiles(geometry, encoding)
        var builder = PyramidBuilder()
        change(&builder)
        try builder.build(source, into: tiles)
        #expect(tiles.isFinished)
        #expect(Set(tiles.written).count == geometry.tileCount && tiles.written.count == geometry.tileCount)
        return (tiles, geometry)
    }

    static func file(
        _ bitmap: Bitmap, _ format: ImageFormat = .jpeg, _ subsampling: EncodingOptions.JPEG.Subsampling = .yuv420,
        orientation: Orientation = .up, quality: Double = 0.9
    ) throws -> [UInt8] {
        var options = EncodingOptions(quality: quality, jpeg: .init(subsampling: subsampling))
        options.metadata.orientation = orientation
        return try ImageDestination(format: format, options: options).encode(bitmap)
    }

    // MARK: Pixels

    @Test("PNG tiles of any image equal the floating-point reference, rounded at each level", arguments: [0, 1])
    func pixelTilesAreMeans(_ overlap: Int) throws {
        for (width, height) in [(1, 1), (3, 200), (150, 131), (64, 64), (129, 65)] {
            for (format, alpha) in [
                (PixelFormat.gray8, AlphaMode.none), (.rgba8, .none), (.rgba8, .straight), (.rgba8, .premultiplied),
                (.rgba16, .straight), (.gray16, .none),
            ] as [(PixelFormat, AlphaMode)] {
                var bitmap = try Bitmap.pattern(width, height, format, alpha: alpha)
                if alpha == .premultiplied {
                    bitmap = try Bitmap.pattern(width, height, format).converted(to: format, alpha: .premultiplied)
                }
                let (tiles, geometry) = try Self.build(
                    PyramidSource(bitmap.makeRowSource()), overlap: overlap, TileEncoding(format: .png))
                let straight = try bitmap.converted(to: format.isGray ? .gray8 : .rgba8, alpha: .straight)
                let reference = FloatPyramid(straight.pixels, size: bitmap.size, count: geometry.levels.count)
                for level in geometry.levels.indices {
                    // Half a step for each level, and what straight bytes of low alpha can't say.
                    let limit = Double(level) * 0.5 + (alpha.hasAlpha ? 1.01 : 0.01)
                    #expect(try reference.largestDifference(level, tiles.level(level, geometry)) <= limit)
                }
            }
        }
    }

    @Test("The pyramid of a rotated image is the upright one's", arguments: Orientation.allCases)
    func orientations(_ orientation: Orientation) throws {
        for (width, height, overlap) in [(130, 71, 0), (97, 201, 1), (128, 64, 0)] {
            let stored = try Bitmap.pattern(width, height, alpha: .none)
            let upright = try stored.oriented(by: orientation)
            let (turned, geometry) = try Self.build(
                PyramidSource(stored.makeRowSource(), orientation: orientation), overlap: overlap,
                TileEncoding(format: .png))
            let (expected, _) = try Self.build(
                PyramidSource(upright.makeRowSource()), overlap: overlap, TileEncoding(format: .png))
            #expect(turned.tiles == expected.tiles)
            #expect(turned.tiles.count == geometry.tileCount)
        }
    }

    @Test("A rotated JPEG's tiles are upright, from planes or from pixels", arguments: Orientation.allCases)
    func turnedJPEGs(_ orientation: Orientation) throws {
        for (width, height, overlap) in [(160, 96, 0), (160, 96, 1), (161, 97, 0), (162, 98, 1)] {
            let upright = try SamplePicture.valley.makeBitmap(size: PixelSize(width: width, height: height))
            let stored = try upright.oriented(by: orientation.inverse)
            for subsampling in [EncodingOptions.JPEG.Subsampling.yuv420, .yuv422, .yuv444] {
                let file = try Self.file(stored, .jpeg, subsampling, orientation: orientation, quality: 0.95)
                let source = try PyramidSource(Source(file))
                #expect(source.size == upright.size && source.orientation == orientation)
                let (tiles, geometry) = try Self.build(source, overlap: overlap, TileEncoding(quality: 0.95))
                let decoded = try ImageRowSource(Source(file)).makeBitmap()
                let reference = FloatPyramid(decoded.pixels, size: upright.size, count: geometry.levels.count)
                for level in geometry.levels.indices {
                    let error = try reference.error(level, tiles.level(level, geometry))
                    #expect(error < 25, "\(orientation) \(width)x\(height) \(subsampling) level \(level): \(error)")
                }
            }
        }
    }

    /// Sources of every kind, and a picture that says how they look.
    static func sources() throws -> [(String, [UInt8])] {
        let size = PixelSize(width: 203, height: 151)
        let opaque = try SamplePicture.valley.makeBitmap(size: size)
        let fruit = try SamplePicture.fruit.makeBitmap(size: size)
        var sources: [(String, [UInt8])] = []
        for subsampling in EncodingOptions.JPEG.Subsampling.allCases {
            sources.append(("JPEG \(subsampling.rawValue)", try file(opaque, .jpeg, subsampling)))
        }
        sources.append(("grey JPEG", try file(.grainy(size, format: .gray8))))
        sources.append(("profile", try file(opaque.withMeaning(alpha: .none, profile: .icc(TestProfiles.wideRGB)))))
        sources.append(("sRGB profile", try file(opaque.withMeaning(alpha: .none, profile: .icc(TestProfiles.sRGB)))))
        sources.append(("PNG", try file(opaque, .png)))
        sources.append(("PNG with alpha", try file(fruit, .png)))
        sources.append(("PNG of 16 bits", try file(fruit.converted(to: .rgba16, alpha: .straight), .png)))
        sources.append(("JPNG", try file(fruit, .jpng)))
        var progressive = EncodingOptions(quality: 0.9)
        progressive.jpeg.isProgressive = true
        sources.append(("progressive", try ImageDestination(format: .jpeg, options: progressive).encode(opaque)))
        return sources
    }

    @Test("JPEG tiles of any source are as close to the floating-point reference as its own JPEGs", arguments: [0, 1])
    func jpegTiles(_ overlap: Int) throws {
        let background = RGBA8(30, 120, 200)
        for (name, file) in try Self.sources() {
            let (tiles, geometry) = try Self.build(
                PyramidSource(Source(file)), overlap: overlap,
                TileEncoding(quality: 0.93, background: background))
            let decoded = try ImageRowSource(Source(file))
                .converted(to: .rgba8, alpha: .none, background: background).makeBitmap()
            let reference = FloatPyramid(decoded.pixels, size: decoded.size, count: geometry.levels.count)
            let ideal = try reference.tiles(geometry, EncodingOptions(quality: 0.93))
            for level in geometry.levels.indices {
                let error = try reference.error(level, tiles.level(level, geometry))
                let least = try reference.error(level, ideal.level(level, geometry))
                #expect(error < 1.25 * least + 3, "\(name), level \(level): \(error), \(least)")
            }
        }
    }

    @Test("Tiles with alpha keep it", arguments: [ImageFormat.png, .webP, .jpng])
    func alphaTiles(_ format: ImageFormat) throws {
        guard CodecRegistry.default.codec(for: format)?.canEncode == true else { return }
        let fruit = try SamplePicture.fruit.makeBitmap(size: PixelSize(width: 203, height: 151))
        for source in [ImageFormat.png, .jpng] {
            let file = try Self.file(fruit, source, quality: 1)
            let (tiles, geometry) = try Self.build(
                PyramidSource(Source(file)), TileEncoding(format: format, quality: 1))
            let decoded = try ImageRowSource(Source(file)).makeBitmap()
            let reference = FloatPyramid(decoded.pixels, size: decoded.size, count: geometry.levels.count)
            for level in geometry.levels.indices {
                let pixels = try tiles.level(level, geometry)
                #expect(pixels.contains { $0.alpha == 0 } && pixels.contains { $0.alpha == 255 })
                let largest =
                    zip(pixels, 0...)
                    .map { abs(Double($0.alpha) - reference.levels[level].samples[4 * $1 + 3]) }.max() ?? 0
                #expect(largest <= 3)
            }
        }
    }

    @Test("CMYK becomes RGB", .needsPillow) func inks() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/inks.jpg"
        let program = """
            import sys
            from PIL import Image
            Image.linear_gradient("L").resize((200, 150)).convert("RGB").convert("CMYK").save(sys.argv[1], quality=95)
            """
        try #require(try CommandLineTool.python.run(["-c", program, path]))
        let (tiles, geometry) = try Self.build(PyramidSource(path: path), TileEncoding(quality: 0.95))
        let decoded = try ImageRowSource(Source(path: path)).makeBitmap()
        let reference = FloatPyramid(decoded.pixels, size: decoded.size, count: geometry.levels.count)
        for level in geometry.levels.indices { #expect(try reference.error(level, tiles.level(level, geometry)) < 5) }
    }

    @Test("A mean in linear light is brighter than one of the values") func light() throws {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 128, height: 128), format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<128 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<128 { row[x] = (x + y) % 2 == 0 ? RGBA8(0, 0, 0) : RGBA8(255, 255, 255) }
        }
        let picture = bitmap.freeze()
        for format in [PixelFormat.rgba8, .gray8] {
            let source = try PyramidSource(picture.makeRowSource().converted(to: format, alpha: .none))
            let (tiles, _) = try Self.build(source, TileEncoding(format: .png)) { $0.averagesLight = true }
            let pixels = try tiles.bitmap(TileAddress(level: 1, column: 0, row: 0)).pixels
            #expect(pixels.allSatisfy { $0.red == 188 && $0.green == 188 })
        }
    }

    @Test("Tiles at the right and the bottom are padded", arguments: [TileEncoding.Padding.background, .edges])
    func padding(_ padding: TileEncoding.Padding) throws {
        let size = PixelSize(width: 150, height: 70)
        let picture = try Bitmap.grainy(size)
        let background = RGBA8(10, 200, 30)
        for (format, file) in [
            (ImageFormat.png, try Self.file(picture, .png)), (.jpeg, try Self.file(picture)),
            (.jpeg, try Self.file(picture, .png)),
            (.jpeg, try Self.file(picture.oriented(by: .left), orientation: .right)),
        ] as [(ImageFormat, [UInt8])] {
            let source = try PyramidSource(Source(file))
            let encoding = TileEncoding(format: format, quality: 0.95, background: background, padding: padding)
            let (tiles, _) = try Self.build(source, encoding)
            for address in tiles.written { #expect(try tiles.bitmap(address).size == PixelSize(width: 64, height: 64)) }
            let last = try tiles.bitmap(TileAddress(level: 0, column: 2, row: 1)).pixels
            let corner = last[63 * 64 + 63]
            let expected = padding == .edges ? last[5 * 64 + 21] : background
            func near(_ a: UInt8, _ b: UInt8) -> Bool { abs(Int(a) - Int(b)) <= (format == .png ? 0 : 40) }
            #expect(near(corner.red, expected.red) && near(corner.green, expected.green))
            #expect(near(corner.blue, expected.blue))
        }
    }

    @Test(
        "Every tile has its sink's format, also when the builder names none",
        arguments: TreeLayout.allCases, [ImageFormat.jpeg, .png, .jpng])
    func format(_ layout: TreeLayout, _ format: ImageFormat) throws {
        let folder = try TemporaryFolder()
        let picture = try Bitmap.grainy(PixelSize(width: 150, height: 131))
        let geometry = try PyramidGeometry(size: picture.size, tileSize: 64, depth: layout.depth)
        let encoding = TileEncoding(format: format, padding: layout.padding)
        let sink = try TreeSink(path: folder.file("tree"), layout: layout, geometry: geometry, encoding: encoding)
        #expect(sink.encoding == encoding && sink.geometry == geometry)
        try PyramidBuilder().build(PyramidSource(picture.makeRowSource()), into: sink)
        let pyramid = try TreePyramid(path: folder.file("tree"))
        #expect(pyramid.format == format)
        for level in geometry.levels.indices {
            let tile = try #require(try pyramid.tile(at: TileAddress(level: level, column: 0, row: 0)))
            #expect(try ImageSource.header(of: tile).format == format)
        }
    }

    // MARK: What doesn't go well

    @Test("Tiles that the sink has aren't made again") func resuming() throws {
        let picture = try Bitmap.grainy(PixelSize(width: 300, height: 200))
        let geometry = try PyramidGeometry(size: picture.size, tileSize: 64)
        let present: Set = [TileAddress(level: 0, column: 1, row: 2), TileAddress(level: 2, column: 0, row: 0)]
        let tiles = MemoryTiles(geometry, present: present)
        var last: PyramidProgress?
        try PyramidBuilder().build(PyramidSource(picture.makeRowSource()), into: tiles) { last = $0 }
        #expect(tiles.isFinished && present.isDisjoint(with: tiles.written))
        #expect(tiles.written.count == geometry.tileCount - 2)
        #expect(last?.tileCount == geometry.tileCount && last?.rowCount == 200)
    }

    @Test(
        "Truncated input makes no finished pyramid, or a partial one on request",
        arguments: [false, true])
    func truncated(_ keepsPartial: Bool) throws {
        let picture = try Bitmap.grainy(PixelSize(width: 200, height: 300))
        for format in [ImageFormat.jpeg, .png] {
            let file = try Self.file(picture, format)
            let source = try PyramidSource(Source(Array(file.prefix(file.count / 2))))
            let tiles = MemoryTiles(try PyramidGeometry(size: picture.size, tileSize: 64))
            var builder = PyramidBuilder()
            builder.keepsPartial = keepsPartial
            let error = #expect(throws: ImageError.self) { try builder.build(source, into: tiles) }
            #expect(error?.code == .truncated && error?.byteOffset != nil)
            #expect(tiles.isFinished == keepsPartial)
            guard keepsPartial else { continue }
            #expect(tiles.written.contains(TileAddress(level: 0, column: 0, row: 0)))
            #expect(!tiles.written.contains(TileAddress(level: 0, column: 0, row: 4)))
            let top = try tiles.bitmap(TileAddress(level: 3, column: 0, row: 0)).pixels
            #expect(top[top.count - 1].red > 245 && top[0].red < 200)
        }
    }

    @Test("A full disk ends the build with its error", arguments: [0, 1, 7, 40])
    func fullDisk(_ room: Int) throws {
        let source = try PyramidSource(Bitmap.grainy(PixelSize(width: 700, height: 500)).makeRowSource())
        let tiles = MemoryTiles(try PyramidGeometry(size: source.size, tileSize: 64), room: room)
        let error = #expect(throws: ImageError.self) { try PyramidBuilder().build(source, into: tiles) }
        #expect(error?.code == .inputOutput && error?.message == "no space left on device")
        #expect(!tiles.isFinished && tiles.written.count == room)
    }

    @Test("Cancelling the task ends the build") func cancelling() async throws {
        let size = PixelSize(width: 700, height: 500)
        let tiles = MemoryTiles(try PyramidGeometry(size: size, tileSize: 64))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let source = try PyramidSource(Bitmap.grainy(size).makeRowSource())
            try PyramidBuilder().build(source, into: tiles)
        }
        let error = await #expect(throws: ImageError.self) { try await task.value }
        #expect(error?.code == .cancelled && !tiles.isFinished)
    }

    @Test("Impossible builds are refused") func refusals() throws {
        let picture = try Bitmap.grainy(PixelSize(width: 70, height: 50))
        let other = try PyramidGeometry(size: PixelSize(width: 50, height: 70))
        #expect(throws: ImageError.self) {
            try PyramidBuilder().build(PyramidSource(picture.makeRowSource()), into: MemoryTiles(other))
        }
        let geometry = try PyramidGeometry(size: picture.size)
        for encoding in [TileEncoding(format: .gif), TileEncoding(quality: -1), TileEncoding(quality: .nan)] {
            #expect(throws: ImageError.self) {
                try PyramidBuilder()
                    .build(PyramidSource(picture.makeRowSource()), into: MemoryTiles(geometry, encoding))
            }
        }
        #expect(throws: ImageError.self) { try PyramidSource(Source([1, 2, 3])) }
        var small = PyramidBuilder()
        small.byteLimit = 1000
        let error = #expect(throws: ImageError.self) {
            try small.build(PyramidSource(picture.makeRowSource()), into: MemoryTiles(geometry))
        }
        #expect(error?.code == .limitExceeded)
    }
}
