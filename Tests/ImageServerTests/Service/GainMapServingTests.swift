import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImageServer
import Raster
import TestSupport
import Testing

@Suite("Gain maps served")
struct GainMapServingTests {
    private let gallery: Gallery
    private static let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2), alternateHeadroom: 2)
    private static let size = PixelSize(width: 600, height: 400)

    init() throws {
        gallery = try Gallery()
        let map = try gallery.photo.resampled(to: PixelSize(width: 150, height: 100)).converted(to: .gray8)
        let image = Image(gallery.photo).withGainMap(GainMap(Image(map), Self.metadata))
        try Data(image.data(as: .jpeg, quality: 0.95)).write(to: URL(filePath: gallery.folder.file("bright.jpg")))
    }

    private func file(_ target: String, accept: String? = nil) async throws -> [UInt8] {
        var request = ServiceRequest(.get, target)
        request.accept = accept
        let response = await gallery.respond(to: request)
        guard case .bytes(let bytes) = response.body, response.status == 200 else {
            throw RequestFailure(response.status, response.text)
        }
        return bytes.array
    }

    private func image(_ target: String, accept: String? = nil) async throws -> Image {
        try Image(data: await file(target, accept: accept))
    }

    @Test(
        "JPEGs have their part of the map, at its place",
        arguments: [
            ("/iiif/3/bright.jpg/full/max/0/default.jpg", 150, 100),
            ("/iiif/3/bright.jpg/256,0,256,256/256,/0/default.jpg", 64, 64),
            ("/iiif/3/bright.jpg/256,0,256,256/128,/90/default.jpg", 32, 32),
            ("/iiif/3/bright.jpg/0,0,512,400/256,/!0/default.jpg", 64, 50),
            ("/dzi/bright.jpg_files/10/1_0.jpg", 64, 64), ("/xyz/bright.jpg/2/1/0.jpg", 64, 64),
            ("/image/bright.jpg?w=300", 75, 50), ("/image/bright.jpg?crop=100,40,200,200&format=jpg", 50, 50),
            ("/image/bright.jpg?hdr=1&w=300", 75, 50),
        ] as [(String, Int, Int)])
    func parts(target: String, width: Int, height: Int) async throws {
        let image = try await image(target)
        let map = try #require(image.gainMap, "\(target)")
        #expect(map.metadata == Self.metadata && map.image.size == PixelSize(width: width, height: height), "\(target)")
        #expect(try #require(try image.gainMapMisfit()) < 14, "\(target)")
    }

    @Test(
        "Renderings that change colours have none, and so have those that don't want it",
        arguments: [
            "/iiif/3/bright.jpg/full/max/0/gray.jpg", "/iiif/3/bright.jpg/full/max/10/default.jpg",
            "/image/bright.jpg?w=300&hdr=0", "/image/bright.jpg?sepia=1&format=jpg", "/image/bright.jpg?format=png",
        ])
    func none(target: String) async throws { #expect(try await image(target).gainMap == nil) }

    @Test("The description of an image has its map and headroom")
    func description() async throws {
        struct Description: Decodable {
            struct Map: Decodable, Equatable {
                var width, height: Int
                var baseHeadroom, alternateHeadroom: Double
            }
            var gainMap: Map?
            var highDynamicRange: String?
        }
        func described(_ name: String) async throws -> Description {
            try JSONDecoder().decode(Description.self, from: Data(await gallery.get("/api/picture/\(name)").text.utf8))
        }
        let bright = try await described("bright.jpg")
        #expect(
            bright.gainMap == Description.Map(width: 150, height: 100, baseHeadroom: 0, alternateHeadroom: 2))
        #expect(bright.highDynamicRange == nil)
        let plain = try await described("photo.png")
        #expect(plain.gainMap == nil && plain.highDynamicRange == nil)
    }

    @Test(
        "A base in high dynamic range is served as the rendition that its map leads to",
        arguments: [
            "/image/high.avif?format=png", "/iiif/3/high.avif/full/max/0/default.png", "/dzi/high.avif_files/7/0_0.png",
        ])
    func highBase(target: String) async throws {
        guard CodecRegistry.default.canEncode(.avif) else { return }
        let (standard, high) = try GainMapFixture.highBase()
        let file = try GainMapFixture.file(high, as: .avif)
        try Data(file).write(to: URL(filePath: gallery.folder.file("high.avif")))
        let served = try await image(target).bitmap()
        let expected = try Image(data: file).rendered(for: .standard).bitmap()
        #expect(served.profile == .sRGB && served.size == standard.size)
        #expect(try #require(served.noise(against: expected)) > 50, "\(target)")
    }

    @Test("hdr=1 selects a format for high dynamic range, and renders the map for it")
    func negotiation() async throws {
        let accept = "image/webp,image/jpeg;q=0.9,*/*;q=0.1"
        #expect(try await image("/image/bright.jpg?w=300&format=auto", accept: accept).format == .webP)
        #expect(try await image("/image/bright.jpg?w=300&format=auto&hdr=1", accept: accept).gainMap != nil)
        let header = try ImageSource.header(of: await file("/image/bright.jpg?w=300&format=png&hdr=1"))
        #expect(header.profile.isHighDynamicRange && header.size == PixelSize(width: 300, height: 200))
        #expect(await gallery.get("/image/bright.jpg?hdr=2").status == 400)
        // An image without a map is served as ever.
        #expect(try await image("/image/photo.png?w=300&format=jpg&hdr=1").gainMap == nil)
    }
}
