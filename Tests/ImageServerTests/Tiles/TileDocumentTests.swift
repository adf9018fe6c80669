import Foundation
import ImageFormats
import ImageServer
import Raster
import Testing

@Suite("Documents of tiles")
struct TileDocumentTests {
    private static let size = PixelSize(width: 1001, height: 667)

    @Test("Deep Zoom's document has the requested format and tile size")
    func deepZoom() throws {
        let request = try DeepZoomRequest(["a.dzi"], query: URLQuery("tile=254&overlap=1"))
        let text = String(decoding: try request.document(of: Self.size, format: .png), as: UTF8.self)
        for part in [
            "xmlns=\"http://schemas.microsoft.com/deepzoom/2008\"", "Format=\"png\"", "Overlap=\"1\"",
            "TileSize=\"254\"", "Height=\"667\"", "Width=\"1001\"",
        ] { #expect(text.contains(part)) }
        let standard = try DeepZoomRequest(["a.dzi"], query: URLQuery(""))
        let plain = String(decoding: try standard.document(of: Self.size, format: .jpeg), as: UTF8.self)
        for part in ["Format=\"jpg\"", "Overlap=\"0\"", "TileSize=\"256\""] { #expect(plain.contains(part)) }
        #expect(try standard.tile(of: Self.size) == nil)
        #expect(
            failureStatus { () throws(RequestFailure) in
                try standard.document(of: PixelSize(width: 0, height: 5), format: .png)
            } == 404)
    }

    @Test("Zoomify's counts all tiles")
    func zoomify() throws {
        let request = try ZoomifyRequest(["a", "ImageProperties.xml"])
        let text = String(decoding: try request.document(of: Self.size), as: UTF8.self)
        // 4 × 3 tiles, 2 × 2, and one.
        #expect(
            text == "<IMAGE_PROPERTIES WIDTH=\"1001\" HEIGHT=\"667\" NUMTILES=\"17\" NUMIMAGES=\"1\" VERSION=\"1.8\" "
                + "TILESIZE=\"256\" />\n")
    }

    @Test("TileJSON places the image at the map's top left")
    func tileJSON() throws {
        let request = try XYZRequest(["a", "tilejson.json"])
        let address = "http://localhost/xyz/a%22b"
        let bytes = try request.document(of: PixelSize(width: 512, height: 1024), address: address, format: .jpeg)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(object["tilejson"] as? String == "2.2.0")
        #expect(object["tiles"] as? [String] == [address + "/{z}/{x}/{y}.jpg"])
        #expect(object["minzoom"] as? Int == 0)
        #expect(object["maxzoom"] as? Int == 2)
        let bounds = try #require(object["bounds"] as? [Double])
        // Half of the world's width, and all of its height.
        for (bound, expected) in zip(bounds, [-180, -85.0511287798066, 0, 85.0511287798066]) {
            #expect(abs(bound - expected) < 1e-9)
        }
    }
}
