import ImagePyramid
import ImageServer
import Raster
import Testing

@Suite("Requests for tiles")
struct TileRequestTests {
    private static let size = PixelSize(width: 1001, height: 667)

    /// `level x,y,w,h w,h`, or the status of the failure.
    private func text(_ body: () throws(RequestFailure) -> TileRequest?) -> String {
        do {
            guard let tile = try body() else { return "document" }
            let (rect, size) = (tile.rect, tile.size)
            return "\(tile.level) \(rect.x),\(rect.y),\(rect.width),\(rect.height) \(size.width),\(size.height)"
        } catch {
            return "\(error.status)"
        }
    }

    private func segments(_ path: String) throws(RequestFailure) -> [String] { try URLPath("/" + path).rawSegments }

    @Test(
        "Deep Zoom",
        arguments: [
            ("a.dzi", "", "document"), ("a_files/10/0_0.jpg", "", "0 0,0,256,256 256,256"),
            ("a_files/10/3_2.jpg", "", "0 768,512,233,155 233,155"),
            ("a_files/9/1_1.jpeg", "", "1 512,512,489,155 245,78"),
            ("a_files/8/0_0.png", "", "2 0,0,1001,667 251,167"), ("a_files/0/0_0.jpg", "", "10 0,0,1001,667 1,1"),
            ("a_files/10/1_0.jpg", "tile=254&overlap=1", "0 253,0,256,255 256,255"),
            ("a_files/10/0_0.jpg", "tile=254&overlap=1", "0 0,0,255,255 255,255"),
            ("a_files/9/1_1.jpg", "tile=254&overlap=1", "1 506,506,495,161 248,81"),
            ("a_files/10/0_0.jpg", "tile=512", "0 0,0,512,512 512,512"),
            ("a_files/11/0_0.jpg", "", "404"), ("a_files/10/4_0.jpg", "", "404"), ("a_files/10/0_3.jpg", "", "404"),
            ("a_files/999999999999999/0_0.jpg", "", "404"), ("a_files/10/999999999999999_0.jpg", "", "404"),
            ("a_files/10/0_0", "", "404"), ("a_files/10/0-0.jpg", "", "404"), ("a_files/10/0.jpg", "", "404"),
            ("a_files/10/0_x_0.jpg", "", "404"), ("a_files/10/0_0_0.jpg", "", "404"),
            ("a_files/10/-1_0.jpg", "", "404"),
            ("a_files/x/0_0.jpg", "", "404"), ("a/10/0_0.jpg", "", "404"), ("_files/10/0_0.jpg", "", "404"),
            (".dzi", "", "404"), ("a", "", "404"), ("", "", "404"), ("a.xml", "", "404"),
            ("a_files/10/0_0.exe", "", "400"), ("a_files/10/0_0.bmp", "", "400"), ("a.dzi", "tile=63", "400"),
            ("a.dzi", "tile=4097", "400"), ("a.dzi", "tile=-1", "400"), ("a.dzi", "tile=", "400"),
            ("a.dzi", "tile=256&overlap=129", "400"), ("a.dzi", "overlap=x", "400"), ("a.dzi", "tile=1e3", "400"),
        ])
    func deepZoom(path: String, query: String, result: String) {
        let found = text { () throws(RequestFailure) in
            try DeepZoomRequest(segments(path), query: URLQuery(query)).tile(of: Self.size)
        }
        #expect(found == result)
    }

    @Test(
        "Zoomify",
        arguments: [
            ("a/ImageProperties.xml", "document"), ("a/TileGroup0/0-0-0.jpg", "2 0,0,1001,667 251,167"),
            ("a/TileGroup0/2-3-2.jpg", "0 768,512,233,155 233,155"),
            ("a/TileGroup77/1-1-1.jpg", "1 512,512,489,155 245,78"),
            ("a/TileGroup0/3-0-0.jpg", "404"), ("a/TileGroup0/2-4-0.jpg", "404"), ("a/TileGroup0/2-0-3.jpg", "404"),
            ("a/TileGroup/0-0-0.jpg", "404"), ("a/TileGroupX/0-0-0.jpg", "404"), ("a/Group0/0-0-0.jpg", "404"),
            ("a/TileGroup0/0-0.jpg", "404"), ("a/TileGroup0/0-0-0-0.jpg", "404"), ("a/TileGroup0/0-0-0.exe", "400"),
            ("a", "404"), ("", "404"), ("ImageProperties.xml", "404"), ("TileGroup0/0-0-0.jpg", "404"),
        ])
    func zoomify(path: String, result: String) {
        let found = text { () throws(RequestFailure) in try ZoomifyRequest(segments(path)).tile(of: Self.size) }
        #expect(found == result)
    }

    @Test(
        "XYZ",
        arguments: [
            ("a/tilejson.json", "document"), ("a/0/0/0.jpg", "2 0,0,1001,667 251,167"),
            ("a/2/3/2.png", "0 768,512,233,155 233,155"), ("a/1/1/0.jpg", "1 512,0,489,512 245,256"),
            ("a/3/0/0.jpg", "404"), ("a/2/4/0.jpg", "404"), ("a/2/0/3.jpg", "404"), ("a/0/0/0", "404"),
            ("a/0/0.jpg", "404"), ("0/0/0.jpg", "404"), ("a/-1/0/0.jpg", "404"), ("a/0/0/0.exe", "400"), ("a", "404"),
        ])
    func xyz(path: String, result: String) {
        let found = text { () throws(RequestFailure) in try XYZRequest(segments(path)).tile(of: Self.size) }
        #expect(found == result)
    }

    @Test("Identifiers may have slashes, encoded or not")
    func identifiers() throws {
        let query = try URLQuery("")
        for path in ["a%2Fb%20c.jpg", "a/b%20c.jpg"] {
            #expect(try DeepZoomRequest(segments(path + ".dzi"), query: query).identifier == "a/b c.jpg")
            #expect(try DeepZoomRequest(segments(path + "_files/0/0_0.jpg"), query: query).identifier == "a/b c.jpg")
            #expect(try ZoomifyRequest(segments(path + "/ImageProperties.xml")).identifier == "a/b c.jpg")
            #expect(try ZoomifyRequest(segments(path + "/TileGroup0/0-0-0.jpg")).identifier == "a/b c.jpg")
            #expect(try XYZRequest(segments(path + "/0/0/0.jpg")).identifier == "a/b c.jpg")
            #expect(try XYZRequest(segments(path + "/tilejson.json")).identifier == "a/b c.jpg")
        }
    }

    @Test("A map's tiles have one size")
    func canvas() throws {
        let tile = try #require(try XYZRequest(["a", "2", "3", "2.png"]).tile(of: Self.size))
        #expect(tile.canvas == PixelSize(width: 256, height: 256))
        #expect(tile.address(in: try PyramidGeometry(size: Self.size)) == nil)
        let inner = try #require(try XYZRequest(["a", "2", "0", "0.png"]).tile(of: Self.size))
        #expect(inner.address(in: try PyramidGeometry(size: Self.size)) == TileAddress(level: 0, column: 0, row: 0))
    }

    @Test(
        "Every tile of an image is found by its region",
        arguments: [
            PixelSize(width: 1001, height: 667), PixelSize(width: 256, height: 256), PixelSize(width: 257, height: 1),
            PixelSize(width: 1, height: 1), PixelSize(width: 5000, height: 3),
        ])
    func addresses(size: PixelSize) throws {
        let geometry = try PyramidGeometry(size: size)
        let query = try URLQuery("")
        let deep = try PyramidGeometry(size: size, depth: .onePixel)
        for level in geometry.levels.indices {
            for row in 0..<geometry.rowCount(level) {
                for column in 0..<geometry.columnCount(level) {
                    let address = TileAddress(level: level, column: column, row: row)
                    let segments = ["a_files", "\(deep.levels.count - 1 - level)", "\(column)_\(row).jpg"]
                    let tile = try #require(try DeepZoomRequest(segments, query: query).tile(of: size))
                    #expect(tile.address(in: geometry) == address)
                    #expect(tile.rect.lies(within: size))
                    #expect(tile.size == geometry.rect(of: address).size)
                    // The same part as IIIF asks for it.
                    let rect = tile.rect
                    let request = try IIIFImageRequest(
                        region: "\(rect.x),\(rect.y),\(rect.width),\(rect.height)",
                        size: "\(tile.size.width),\(tile.size.height)", rotation: "0", file: "default.jpg", version: .v3
                    )
                    let rendering = try request.rendering(of: size, limits: .standard)
                    #expect(rendering == tile.rendering)
                    #expect(geometry.address(of: rendering.region, size: rendering.size) == address)
                }
            }
        }
        let other = try PyramidGeometry(size: size, tileSize: 512)
        let tile = try #require(
            try DeepZoomRequest(["a_files", "0", "0_0.jpg"], query: URLQuery("tile=128")).tile(of: size))
        #expect(size.width < 3 || tile.address(in: other) == nil)
    }

    @Test("Regions that are no tile have no address")
    func noAddress() throws {
        let geometry = try PyramidGeometry(size: Self.size)
        for (rect, size) in [
            (PixelRect(x: 1, y: 0, width: 256, height: 256), PixelSize(width: 256, height: 256)),
            (PixelRect(x: 0, y: 0, width: 255, height: 256), PixelSize(width: 255, height: 256)),
            (PixelRect(x: 0, y: 0, width: 256, height: 256), PixelSize(width: 128, height: 128)),
            (PixelRect(x: 0, y: 0, width: 512, height: 512), PixelSize(width: 255, height: 256)),
            (PixelRect(x: 0, y: 0, width: 1001, height: 667), PixelSize(width: 1001, height: 667)),
            (PixelRect(x: 768, y: 512, width: 256, height: 256), PixelSize(width: 256, height: 256)),
            (PixelRect(x: -256, y: 0, width: 256, height: 256), PixelSize(width: 256, height: 256)),
        ] {
            #expect(geometry.address(of: rect, size: size) == nil, "\(rect)")
        }
        let overlapping = try PyramidGeometry(size: Self.size, overlap: 1)
        #expect(
            overlapping.address(
                of: PixelRect(x: 0, y: 0, width: 256, height: 256), size: PixelSize(width: 256, height: 256)) == nil)
    }
}
