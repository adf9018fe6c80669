import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import Synchronization
import TestSupport
import Testing

@Suite("Pyramids in one call")
struct PyramidTests {
    private let folder: TemporaryFolder
    private static let size = PixelSize(width: 700, height: 515)

    init() throws { folder = try TemporaryFolder() }

    private func makeInput(hasAlpha: Bool = false, orientation: Orientation = .up) throws -> String {
        let bitmap = hasAlpha ? try Bitmap.pattern(700, 515) : try Bitmap.grainy(Self.size)
        let options = EncodingOptions(quality: 0.9, metadata: ImageMetadata(orientation: orientation))
        let format = hasAlpha ? ImageFormat.png : .jpeg
        return try folder.write(ImageDestination(format: format, options: options).encode(bitmap), to: "survey")
    }

    @Test(
        "The output's name says the layout, and what was built opens as an image",
        arguments: [
            ("a.dzi", nil, "a.dzi", 11), ("b.szi", nil, "b.szi", 11), ("c.zip", nil, "c.zip", 11),
            ("d.pyramid", nil, "d.pyramid", 3), ("e.tif", nil, "e.tif", 3), ("f", nil, "f", 11),
            ("g", .zoomify, "g", 3),
            ("h", .iiif3, "h", 3), ("i", .iiif2, "i", 3), ("j", .google, "j", 3), ("k.TIFF", nil, "k.TIFF", 3),
            ("l.data", .packed, "l.data", 3), ("m.zip", .zoomify, "m.zip", 3),
        ] as [(String, PyramidLayout?, String, Int)])
    func layouts(output: String, layout: PyramidLayout?, opened: String, levelCount: Int) async throws {
        for orientation in [Orientation.up, .right] {
            let input = try makeInput(orientation: orientation)
            let geometry = try await Pyramid.build(input, to: folder.file(output), as: layout)
            let size = orientation.applied(to: Self.size)
            #expect(geometry.size == size && geometry.levels.count == levelCount)
            let image = try await TiledImage(contentsOf: URL(filePath: folder.file(opened)))
            // Google's tiles at the edges are filled up, and no document gives the size.
            guard layout != .google else { continue }
            #expect(image.size == size && image.levels.count == levelCount)
            let expected = try ImageSource.decode(Source(path: input)).bitmap
            let overview = try await image.overview(maximumSide: 175)
            #expect(try #require(overview.noise(against: expected.resampled(to: overview.size))) > 28)
        }
    }

    @Test("The same tiles as from a builder given the geometry")
    func tiles() async throws {
        let input = try makeInput()
        try await Pyramid.build(
            URL(filePath: input), to: URL(filePath: folder.file("a.pyramid")), tileSize: 128, overlap: 2, quality: 0.6)
        let source = try PyramidSource(path: input)
        let geometry = try PyramidGeometry(size: source.size, tileSize: 128, overlap: 2)
        let sink = try PackedPyramidWriter(
            path: folder.file("b.pyramid"), geometry: geometry, encoding: TileEncoding(quality: 0.6))
        try PyramidBuilder().build(source, into: sink)
        let (own, other) = (
            try PackedPyramid(path: folder.file("a.pyramid")), try PackedPyramid(path: folder.file("b.pyramid"))
        )
        #expect(own.geometry == other.geometry && own.encoding == other.encoding)
        for level in geometry.levels.indices {
            for row in 0..<geometry.rowCount(level) {
                for column in 0..<geometry.columnCount(level) {
                    let address = TileAddress(level: level, column: column, row: row)
                    #expect(try own.tile(at: address) == other.tile(at: address))
                }
            }
        }
    }

    @Test("Transparency is kept where tiles can have it")
    func transparency() async throws {
        let input = try makeInput(hasAlpha: true)
        try await Pyramid.build(input, to: folder.file("a.pyramid"))
        let format = try PackedPyramid(path: folder.file("a.pyramid")).format
        #expect(format == (CodecRegistry.default.canEncode(.webP) ? .webP : .png))
        try await Pyramid.build(input, to: folder.file("b.pyramid"), format: .png)
        #expect(try PackedPyramid(path: folder.file("b.pyramid")).format == .png)
    }

    @Test("Progress ends with all tiles")
    func progress() async throws {
        let counts = Mutex<[(Int, Int)]>([])
        let geometry = try await Pyramid.build(makeInput(), to: folder.file("a.dzi")) { progress in
            counts.withLock { $0.append((progress.tileCount, progress.totalTileCount)) }
        }
        let last = try #require(counts.withLock { $0.last })
        #expect(last == (geometry.tileCount, geometry.tileCount))
    }

    @Test("What can't be built leaves nothing, and says why")
    func failures() async throws {
        let input = try makeInput()
        let words = try folder.write(Array("nothing but some words, and a few more".utf8), to: "words.txt")
        let empty = try folder.write([], to: "empty")
        try await Pyramid.build(input, to: folder.file("there.dzi"))
        let before = try folder.names()
        let cases: [(String, String, PyramidLayout?, Bool, ImageError.Code, String)] = [
            (folder.file("missing.jpg"), "a.dzi", nil, true, .inputOutput, "missing.jpg"),
            (words, "a.dzi", nil, true, .unknownFormat, "words.txt"),
            (empty, "a.dzi", nil, true, .unknownFormat, "empty"),
            (input, "a.png", nil, true, .invalidParameter, "no pyramid layout has the extension png; use dzi"),
            (input, "a.szi", .zoomify, true, .invalidParameter, "an SZI file holds Deep Zoom tiles, not zoomify"),
            (input, "a.zip", .packed, true, .invalidParameter, "packed is one file"),
            (input, "there.dzi", nil, false, .inputOutput, "it exists already"),
            (input, "nowhere/a.dzi", nil, true, .inputOutput, "nowhere/a"),
        ]
        for (from, to, layout, overwrites, code, words) in cases {
            let error = await #expect(throws: ImageError.self, "\(to)") {
                try await Pyramid.build(from, to: folder.file(to), as: layout, overwriting: overwrites)
            }
            #expect(
                error?.code == code && error?.message.contains(words) == true, "\(to): \(String(describing: error))")
            #expect(try folder.names() == before)
        }
        for tileSize in [0, -1, 10_000] {
            let error = await #expect(throws: ImageError.self) {
                try await Pyramid.build(input, to: folder.file("a.dzi"), tileSize: tileSize)
            }
            #expect(error?.code == .invalidParameter)
        }
        let web = try #require(URL(string: "https://example.com/survey.jpg"))
        let error = await #expect(throws: ImageError.self) { try await TiledImage(contentsOf: web) }
        #expect(error?.code == .invalidParameter && error?.message.hasPrefix("\(web) is not a file URL; ") == true)
        try await Pyramid.build(input, to: folder.file("there.dzi"))
    }

    @Test("Cancelling leaves nothing")
    func cancelling() async throws {
        let input = try makeInput()
        let folder = folder
        let path = folder.file("a.dzi")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await Pyramid.build(input, to: path)
        }
        task.cancel()
        let result = await task.result
        #expect(errorCode { try result.get() } == .cancelled)
        #expect(try folder.names() == ["survey"])
    }

    @Test("A picture arrives in Data as in arrays")
    func dataArrives() async throws {
        let bytes = try ImageDestination(format: .jpeg).encode(Bitmap.grainy(Self.size))
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        for start in stride(from: 0, to: bytes.count, by: 10_000) {
            continuation.yield(Data(bytes[start..<min(bytes.count, start + 10_000)]))
        }
        continuation.finish()
        let picture = ArrivingImage(stream)
        try await picture.complete()
        #expect(try await picture.header().size == Self.size)
        #expect(try await TiledImage(Data(bytes)).size == Self.size)
    }
}
