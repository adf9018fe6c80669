import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import TestSupport
import Testing

@Suite("Trees of tiles")
struct TreeTests {
    private let folder: TemporaryFolder
    private static let size = PixelSize(width: 700, height: 515)

    init() throws { folder = try TemporaryFolder() }

    private func makeMaker(
        _ layout: TreeLayout, format: ImageFormat = .jpeg, overlap: Int = 0, size: PixelSize = Self.size
    ) throws -> PlainTileMaker {
        let geometry = try PyramidGeometry(size: size, tileSize: 128, overlap: overlap, depth: layout.depth)
        let encoding = TileEncoding(format: format, quality: 0.9, padding: layout.padding)
        return try PlainTileMaker(.grainy(size), geometry, encoding)
    }

    private func makeSink(
        _ name: String, _ layout: TreeLayout, _ maker: PlainTileMaker, overwrites: Bool = false, resumes: Bool = false,
        source: String = ""
    ) throws -> TreeSink {
        try TreeSink(
            path: folder.file(name), layout: layout, geometry: maker.geometry, encoding: maker.encoding,
            overwrites: overwrites, resumes: resumes, source: source)
    }

    /// Every file below the folder.
    private func files() throws -> [String] {
        let all = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return all.filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder.file(path), isDirectory: &isFolder)
            return !isFolder.boolValue
        }.sorted()
    }

    @Test("A tree or an archive is read back with every tile", arguments: TreeLayout.allCases, [false, true])
    func roundTrip(layout: TreeLayout, isZipped: Bool) throws {
        let maker = try makeMaker(layout, overlap: layout.takesOverlap ? 1 : 0)
        let name = isZipped ? "ä.b.zip" : "ä.b"
        let sink: any TileSink =
            isZipped
            ? try ZipSink(
                path: folder.file(name), layout: layout, geometry: maker.geometry, encoding: maker.encoding)
            : try makeSink(name, layout, maker)
        try maker.write(to: sink)
        try sink.finish()
        let pyramid = try TreePyramid(path: folder.file(name))
        #expect(pyramid.layout == layout)
        #expect(pyramid.format == .jpeg)
        #expect(pyramid.geometry.levels.count == maker.geometry.levels.count)
        if layout != .google { #expect(pyramid.geometry == maker.geometry) }
        for address in maker.addresses {
            #expect(try pyramid.tile(at: address) == maker.tile(address), "\(address)")
        }
    }

    @Test("A level's rows are the image in every layout", arguments: TreeLayout.allCases)
    func rows(layout: TreeLayout) throws {
        let maker = try makeMaker(layout, format: .png, overlap: layout.takesOverlap ? 2 : 0)
        let sink = try makeSink("a", layout, maker)
        try maker.write(to: sink)
        try sink.finish()
        let pyramid = try TreePyramid(path: folder.file("a"))
        for level in maker.geometry.levels.indices {
            let rows = try LevelRowSource(pyramid, level: level)
            var bitmap = try rows.makeBitmap()
            // Google's tree doesn't say where the picture ends.
            bitmap = try bitmap.cropped(to: PixelRect(maker.geometry.levels[level]))
            #expect(bitmap.largestDifference(from: try maker.levels[level].converted(alpha: bitmap.alpha)) == 0)
        }
        #expect(errorCode { try LevelRowSource(pyramid, level: 99) } == .invalidParameter)
    }

    @Test(
        "Names and sizes are libvips's", .needs(CommandLineTool("vips")),
        arguments: [
            (.deepZoom, "dz", 0), (.deepZoom, "dz", 1), (.zoomify, "zoomify", 0), (.google, "google", 0),
            (.iiif3, "iiif3", 0), (.iiif2, "iiif", 0),
        ] as [(TreeLayout, String, Int)])
    func vips(layout: TreeLayout, name: String, overlap: Int) throws {
        for size in [Self.size, PixelSize(width: 257, height: 1025), PixelSize(width: 100, height: 90)] {
            let other = try TemporaryFolder()
            let maker = try makeMaker(layout, overlap: overlap, size: size)
            let picture = try ImageDestination(format: .png).encode(maker.levels[0])
            try other.write(picture, to: "in.png")
            #expect(
                try CommandLineTool("vips").run([
                    "dzsave", other.file("in.png"), other.file("out"), "--layout", name, "--tile-size", "128",
                    "--overlap", "\(overlap)", "--skip-blanks", "-1",
                ]))
            let sink = try makeSink("out", layout, maker, overwrites: true)
            try maker.write(to: sink)
            try sink.finish()
            var expected = try TreeTests.tiles(other.path)
            var found = try TreeTests.tiles(folder.path)
            expected["in.png"] = nil
            // Before version 8.15, libvips had no name of its own for a tile that is the whole.
            let whole = "out/0,0,\(size.width),\(size.height)/"
            for (path, tile) in expected where path.hasPrefix(whole) {
                expected[path] = nil
                expected["out/full/" + path.dropFirst(whole.count)] = tile
            }
            // Beside the tiles, IIIF has the whole picture in some sizes.
            if layout == .iiif2 || layout == .iiif3 {
                found = found.filter { path, _ in expected[path] != nil || !path.hasPrefix("out/full/") }
            }
            #expect(found == expected)
        }
    }

    /// The pictures below a folder, and their sizes.
    private static func tiles(_ path: String) throws -> [String: String] {
        var sizes: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            guard name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") || name.hasSuffix(".png") else { continue }
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
            sizes[name] = try ImageSource.header(of: bytes).size.description
        }
        return sizes
    }

    @Test("IIIF has the whole image in its listed sizes and at full size", arguments: [300, 2600])
    func whole(width: Int) throws {
        for layout in [TreeLayout.iiif2, .iiif3] {
            let name = "\(layout)"
            let maker = try makeMaker(layout, size: PixelSize(width: width, height: 200))
            let sink = try makeSink(name, layout, maker)
            try maker.write(to: sink)
            try sink.finish()
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(folder.read("\(name)/info.json"))) as? [String: Any])
            #expect(document["width"] as? Int == width)
            let sizes = try #require(document["sizes"] as? [[String: Int]])
            #expect(sizes.last?["width"] == (width > 2048 ? width / 2 : width))
            for size in sizes {
                let (width, height) = (size["width"] ?? 0, size["height"] ?? 0)
                let path = "full/\(layout == .iiif3 ? "\(width),\(height)" : "\(width),")/0/default.jpg"
                let bytes = try folder.read("\(name)/\(path)")
                #expect(try ImageSource.header(of: bytes).size == PixelSize(width: width, height: height))
                let level = try #require(maker.geometry.levels.firstIndex { $0.width == width })
                // Encoding once more what tiles make up costs a little.
                let tiles = try LevelRowSource(TreePyramid(path: folder.file(name)), level: level).makeBitmap()
                let exact = maker.levels[level]
                let (noise, tileNoise) = (
                    try ImageSource.decode(bytes).bitmap.noise(against: exact), tiles.noise(against: exact)
                )
                #expect(try #require(noise) > #require(tileNoise) - 3)
            }
            let largest = try ImageSource.header(of: folder.read("\(name)/full/max/0/default.jpg")).size
            #expect(largest.width == sizes.last?["width"])
            if layout == .iiif3 { #expect(document["maxWidth"] as? Int == (width > 2048 ? width / 2 : nil)) }
        }
    }

    @Test("An unfinished tree leaves no files", arguments: TreeLayout.allCases)
    func unfinished(layout: TreeLayout) throws {
        let maker = try makeMaker(layout)
        for isZipped in [false, true] {
            var sink: (any TileSink)? =
                isZipped
                ? try ZipSink(
                    path: folder.file("a.zip"), layout: layout, geometry: maker.geometry, encoding: maker.encoding)
                : try makeSink("a", layout, maker)
            if let sink { try maker.write(Array(maker.addresses.prefix(9)), to: sink) }
            sink = nil
            #expect(try folder.names() == [])
        }
    }

    @Test("An existing tree stays unless it may be replaced, and another folder stays always")
    func existing() throws {
        for layout in TreeLayout.allCases {
            let maker = try makeMaker(layout)
            for quality in [0.2, 0.3] {
                let again = quality == 0.3
                if again { #expect(errorCode { try makeSink("a", layout, maker) } == .inputOutput) }
                let sink = try makeSink("a", layout, maker, overwrites: again)
                try maker.write(to: sink)
                try sink.finish()
            }
            #expect(try TreePyramid(path: folder.file("a")).layout == layout)
            #expect(try folder.names() == (layout == .deepZoom ? ["a.dzi", "a_files"] : ["a"]))
            for name in try folder.names() { try FileManager.default.removeItem(atPath: folder.file(name)) }
        }
        try FileManager.default.createDirectory(atPath: folder.file("mine"), withIntermediateDirectories: false)
        try folder.write([1], to: "mine/letter.txt")
        #expect(errorCode { try makeSink("mine", .zoomify, makeMaker(.zoomify), overwrites: true) } == .inputOutput)
        #expect(try folder.names(in: "mine") == ["letter.txt"])
    }

    @Test(
        "An interrupted tree is resumed: complete tiles stay, and the others are made again",
        arguments: TreeLayout.allCases)
    func resuming(layout: TreeLayout) throws {
        let maker = try makeMaker(layout)
        let addresses = maker.addresses
        do {
            let first = try makeSink("a", layout, maker, resumes: true, source: "x")
            #expect(!first.isResumed)
            try maker.write(Array(addresses.prefix(10)), to: first)
        }
        #expect(try folder.names() == [layout == .deepZoom ? "a_files.part" : "a.part"])
        let tile = try #require(try files().first { $0.hasSuffix(".jpg") || $0.hasSuffix(".jpeg") })
        try folder.write(Array(folder.read(tile).dropLast(30)), to: tile)
        let second = try makeSink("a", layout, maker, resumes: true, source: "x")
        #expect(second.isResumed)
        if layout != .iiif2, layout != .iiif3 { #expect(addresses.filter { second.contains($0) }.count == 9) }
        try maker.write(to: second)
        try second.finish()
        let pyramid = try TreePyramid(path: folder.file("a"))
        for address in addresses { #expect(try pyramid.tile(at: address) == maker.tile(address)) }
        #expect(try !files().contains { $0.contains("unfinished") || $0.contains(".part") })
    }

    @Test(
        "Complete tiles of an interrupted tree stay in every format", arguments: [ImageFormat.jpeg, .png, .jpng, .webP])
    func resuming(format: ImageFormat) throws {
        guard CodecRegistry.builtIn.canEncode(format) else { return }
        let maker = try makeMaker(.deepZoom, format: format)
        let written = Array(maker.addresses.prefix(4))
        do { try maker.write(written, to: makeSink("a", .deepZoom, maker, resumes: true, source: "x")) }
        let tile = try #require(try files().first { $0.contains("/0_0.") })
        try folder.write(Array(folder.read(tile).dropLast(2)), to: tile)
        let sink = try makeSink("a", .deepZoom, maker, resumes: true, source: "x")
        #expect(sink.isResumed && maker.addresses.filter { sink.contains($0) } == Array(written.dropFirst()))
    }

    @Test("A partial tree of another image is replaced")
    func resumingOthers() throws {
        let maker = try makeMaker(.zoomify)
        do {
            let first = try makeSink("a", .zoomify, maker, resumes: true, source: "x")
            try maker.write(to: first)
        }
        let second = try makeSink("a", .zoomify, maker, resumes: true, source: "y")
        #expect(!second.isResumed)
        #expect(maker.addresses.allSatisfy { !second.contains($0) })
        #expect(try files().filter { $0.hasSuffix(".jpg") } == [])
    }

    @Test("Tiles are made and read by the codecs that are handed over")
    func codecs() throws {
        let codecs = CodecRegistry([JPEGCodec()])
        let maker = try makeMaker(.iiif3, format: .png)
        let sink = try makeSink("a", .iiif3, maker)
        try maker.write(to: sink)
        try sink.finish()
        let pyramid = try StoredPyramids.open(path: folder.file("a"), codecs: codecs)
        let address = TileAddress(level: 0, column: 0, row: 0)
        #expect(pyramid.fault(at: address) == nil && pyramid.fault(at: address, codecs: codecs) != nil)
        #expect(errorCode { try LevelRowSource(pyramid, level: 0, codecs: codecs).makeBitmap() } == .unknownFormat)
        let small = try PyramidGeometry(size: Self.size, tileSize: 128, depth: .onePixel)
        #expect(
            errorCode { try pyramid.copyTiles(to: MemoryTiles(small, maker.encoding), codecs: codecs) }
                == .unknownFormat)
        try pyramid.copyTiles(to: MemoryTiles(small, maker.encoding))

        var builder = PyramidBuilder()
        builder.codecs = codecs
        let picture = PyramidSource(maker.levels[0].makeRowSource())
        #expect(
            errorCode { try builder.build(picture, into: MemoryTiles(maker.geometry, maker.encoding)) }
                == .unsupported)
        for layout in [TreeLayout.iiif3, .google] {
            let maker = try makeMaker(layout, format: .png)
            for sink in [
                try TreeSink(
                    path: folder.file("b"), layout: layout, geometry: maker.geometry, encoding: maker.encoding,
                    codecs: codecs),
                try ZipSink(
                    path: folder.file("b.zip"), layout: layout, geometry: maker.geometry, encoding: maker.encoding,
                    codecs: codecs),
            ] as [any TileSink] {
                try maker.write(to: sink)
                #expect(errorCode { try sink.finish() } == .unsupported)
            }
        }
    }

    @Test("Overlaps and padding that a layout doesn't have are refused")
    func refusals() throws {
        for layout in TreeLayout.allCases {
            let good = try makeMaker(layout)
            let overlapping = try PyramidGeometry(size: Self.size, tileSize: 128, overlap: 1)
            var encoding = good.encoding
            let code = errorCode {
                try TreeSink(path: folder.file("a"), layout: layout, geometry: overlapping, encoding: encoding)
            }
            #expect(code == (layout.takesOverlap ? nil : .invalidParameter))
            encoding.padding = layout == .google ? .none : .background
            #expect(
                errorCode {
                    try ZipSink(path: folder.file("a.zip"), layout: layout, geometry: good.geometry, encoding: encoding)
                } == .invalidParameter)
        }
        #expect(errorCode { try makeSink("none/a", .zoomify, makeMaker(.zoomify)) } == .inputOutput)
    }

    @Test("An .szi archive of the same tiles is the same at any time")
    func slide() throws {
        let maker = try makeMaker(.deepZoom)
        let sink = try ZipSink(
            path: folder.file("a.szi"), layout: .deepZoom, geometry: maker.geometry, encoding: maker.encoding)
        try maker.write(to: sink)
        try sink.finish()
        let text = String(decoding: try folder.read("a.szi"), as: UTF8.self)
        #expect(text.contains("<image xmlns=\"http://www.pathozoom.com/szi\" version=\"1.0\">"))
        #expect(!text.contains("date="))
    }

    @Test("Python's zipfile accepts an archive, .szi included", .needs(.python), arguments: ["zip", "szi"])
    func zipfile(filenameExtension: String) throws {
        let maker = try makeMaker(.deepZoom)
        let path = folder.file("a.\(filenameExtension)")
        let sink = try ZipSink(path: path, layout: .deepZoom, geometry: maker.geometry, encoding: maker.encoding)
        try maker.write(to: sink)
        try sink.finish()
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            assert z.testzip() is None
            assert all(i.compress_type == 0 for i in z.infolist())
            print("\\n".join(z.namelist()), end="")
            """
        let output = try #require(try CommandLineTool.python.output(["-c", script, path]))
        let names = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(names.count == maker.addresses.count + (filenameExtension == "szi" ? 2 : 1))
        #expect(names.contains("a/a.dzi") && names.contains("a/a_files/0/0_0.jpeg"))
        #expect(names.contains("a/scan-properties.xml") == (filenameExtension == "szi"))
    }
}
