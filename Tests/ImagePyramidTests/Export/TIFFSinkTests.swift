import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import TestSupport
import Testing

@Suite("Pyramids in TIFF")
struct TIFFSinkTests {
    private let folder: TemporaryFolder
    private let maker: PlainTileMaker
    private var path: String { folder.file("a.tif") }

    init() throws {
        folder = try TemporaryFolder()
        let geometry = try PyramidGeometry(size: PixelSize(width: 701, height: 515), tileSize: 128)
        maker = try PlainTileMaker(.grainy(geometry.size), geometry, TileEncoding(quality: 0.9, padding: .edges))
    }

    @discardableResult
    private func write() throws -> [UInt8] {
        let sink = try TIFFSink(path: path, geometry: maker.geometry, encoding: maker.encoding)
        try maker.write(to: sink)
        try sink.finish()
        return try folder.read("a.tif")
    }

    @Test("Every tile decodes to the same pixels with its tables in the directory")
    func roundTrip() throws {
        try write()
        let pyramid = try TIFFPyramid(path: path)
        #expect(pyramid.geometry == maker.geometry)
        for address in maker.addresses {
            let tile = try ImageSource.decode(try #require(try pyramid.tile(at: address))).bitmap
            let expected = try ImageSource.decode(maker.tile(address)).bitmap
            #expect(tile.largestDifference(from: expected) == 0, "\(address)")
        }
        #expect(try folder.names() == ["a.tif"])
    }

    @Test("libvips reads each level's tiles", .needs(CommandLineTool("vips")))
    func vips() throws {
        try write()
        let pyramid = try TIFFPyramid(path: path)
        for level in maker.geometry.levels.indices {
            let output = folder.file("\(level).png")
            #expect(try CommandLineTool("vips").run(["copy", "\(path)[page=\(level)]", output]))
            let theirs = try ImageSource.decode(folder.read("\(level).png")).bitmap.converted(to: .rgba8)
            let ours = try LevelRowSource(pyramid, level: level).makeBitmap()
            // libtiff has libjpeg sharpen colours or not as it is built.
            let noise = try #require(ours.noise(against: theirs.converted(alpha: ours.alpha)))
            #expect(noise > 40, "level \(level)")
        }
    }

    @Test(
        "tiffinfo finds a directory for each level, and no warnings",
        .needs(CommandLineTool("tiffinfo")))
    func tiffinfo() throws {
        try write()
        let text = String(decoding: try #require(try CommandLineTool("tiffinfo").output([path])), as: UTF8.self)
        #expect(text.split(separator: "\n").filter { $0.contains("=== TIFF directory") }.count == 4)
        #expect(text.contains("Compression Scheme: JPEG"))
        #expect(text.contains("reduced-resolution image"))
    }

    @Test("An unfinished file leaves no trace")
    func unfinished() throws {
        var sink: TIFFSink? = try TIFFSink(path: path, geometry: maker.geometry, encoding: maker.encoding)
        if let sink { try maker.write(to: sink) }
        sink = nil
        #expect(try folder.names() == [])
    }

    @Test("Options that TIFF doesn't have are refused")
    func refusals() throws {
        let size = maker.geometry.size
        func code(_ geometry: PyramidGeometry, _ encoding: TileEncoding) -> ImageError.Code? {
            errorCode { try TIFFSink(path: path, geometry: geometry, encoding: encoding) }
        }
        #expect(code(try PyramidGeometry(size: size, tileSize: 100), maker.encoding) == .invalidParameter)
        #expect(code(try PyramidGeometry(size: size, tileSize: 128, overlap: 1), maker.encoding) == .invalidParameter)
        #expect(code(maker.geometry, TileEncoding()) == .invalidParameter)
        #expect(code(maker.geometry, TileEncoding(format: .png, padding: .edges)) == .unsupported)
        let sink = try TIFFSink(path: path, geometry: maker.geometry, encoding: maker.encoding)
        let first = maker.addresses[0]
        for bytes: [UInt8] in [[], [1, 2, 3], Array(try maker.tile(first).prefix(100))] {
            #expect(errorCode { try sink.write(bytes.span.bytes, at: first) } != nil)
        }
        let small = try ImageDestination(format: .jpeg).encode(.grainy(PixelSize(width: 8, height: 8)))
        #expect(errorCode { try sink.write(small.span.bytes, at: first) } == .invalidParameter)
    }

    @Test("Sampling factors that TIFF can't represent are refused", arguments: [1, 2])
    func sampling(component: Int) throws {
        let sink = try TIFFSink(path: path, geometry: maker.geometry, encoding: maker.encoding)
        let first = maker.addresses[0]
        var tile = try maker.tile(first)
        try sink.write(tile.span.bytes, at: first)
        // SOF0: length, precision, size and count, then three bytes for each component.
        let frame = try #require(tile.firstRange(of: [0xFF, 0xC0, 0, 17, 8])).lowerBound
        let factors = frame + 10 + 3 * component + 1
        #expect(tile[factors] == 0x11)
        for other: UInt8 in [0x12, 0x21, 0x22] {
            tile[factors] = other
            #expect(errorCode { try sink.write(tile.span.bytes, at: first) } == .invalidParameter)
        }
    }

    @Test("Damaged files end in an error, never in a trap")
    func damage() throws {
        let bytes = try write()
        let start = bytes.count - 4000
        var generator = SeededGenerator(11)
        for round in 0..<1500 {
            var damaged = bytes
            for _ in 0..<2 {
                let place = Bool.random(using: &generator) ? 0..<16 : start..<bytes.count
                damaged[Int.random(in: place, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if round % 10 == 0 { damaged.removeLast(Int.random(in: 0..<bytes.count, using: &generator)) }
            try folder.write(damaged, to: "b.tif")
            guard let pyramid = try? TIFFPyramid(path: folder.file("b.tif")) else { continue }
            for level in pyramid.geometry.levels.indices {
                _ = try? pyramid.tile(at: TileAddress(level: level, column: 0, row: 0))
            }
        }
    }
}
