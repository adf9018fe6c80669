import Foundation
import ImageFormats
import ImageServer
import Raster
import Testing

@Suite("Image information documents")
struct ImageInformationTests {
    private static let size = PixelSize(width: 6000, height: 4000)

    private func object(_ information: ImageInformation) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(information.json))
        return try #require(object as? [String: Any])
    }

    @Test("Version 3")
    func version3() throws {
        let id = "http://localhost:8080/iiif/3/a%2Fb%20%22c%22.jpg"
        let information = ImageInformation(version: .v3, id: id, size: Self.size, limits: .standard)
        let object = try object(information)
        #expect(String(decoding: information.json, as: UTF8.self).hasPrefix("{\"@context\":"))
        #expect(object["@context"] as? String == "http://iiif.io/api/image/3/context.json")
        #expect(object["id"] as? String == id)
        #expect(object["type"] as? String == "ImageService3")
        #expect(object["protocol"] as? String == "http://iiif.io/api/image")
        #expect(object["profile"] as? String == "level2")
        #expect(object["width"] as? Int == 6000)
        #expect(object["height"] as? Int == 4000)
        #expect(object["maxWidth"] as? Int == 16384)
        #expect(object["maxHeight"] as? Int == 16000)
        #expect(object["maxArea"] as? Int == 50_000_000)
        #expect(object["extraQualities"] as? [String] == ["color", "gray", "bitonal"])
        let features = try #require(object["extraFeatures"] as? [String])
        #expect(
            Set(features) == [
                "canonicalLinkHeader", "mirroring", "profileLinkHeader", "rotationArbitrary", "sizeUpscaling",
            ])
        let formats = try #require(object["extraFormats"] as? [String])
        #expect(formats == IIIFFormat.extra(by: .default).map { IIIFFormat.name(of: $0) })
        #expect(formats.contains("gif") && formats.contains("jpng"))
        #expect(!formats.contains("jpg") && !formats.contains("png"))
        #expect(object["preferredFormats"] == nil)
        let sizes = try #require(object["sizes"] as? [[String: Int]])
        #expect(sizes.map { $0["width"] } == [188, 375, 750, 1500, 3000, 6000])
        #expect(sizes.map { $0["height"] } == [125, 250, 500, 1000, 2000, 4000])
        let tiles = try #require(object["tiles"] as? [[String: Any]])
        #expect(tiles.count == 1)
        #expect(tiles[0]["width"] as? Int == 256)
        #expect(tiles[0]["scaleFactors"] as? [Int] == [1, 2, 4, 8, 16, 32])
    }

    @Test("Version 2")
    func version2() throws {
        let object = try object(
            ImageInformation(version: .v2, id: "http://localhost/iiif/2/a", size: Self.size, limits: .standard))
        #expect(object["@context"] as? String == "http://iiif.io/api/image/2/context.json")
        #expect(object["@id"] as? String == "http://localhost/iiif/2/a")
        #expect(object["protocol"] as? String == "http://iiif.io/api/image")
        for name in ["id", "type", "maxWidth", "extraFormats", "extraFeatures", "extraQualities"] {
            #expect(object[name] == nil)
        }
        let profile = try #require(object["profile"] as? [Any])
        #expect(profile.count == 2)
        #expect(profile[0] as? String == "http://iiif.io/api/image/2/level2.json")
        let more = try #require(profile[1] as? [String: Any])
        #expect(more["maxWidth"] as? Int == 16384)
        #expect(more["maxHeight"] as? Int == 16000)
        #expect(more["maxArea"] as? Int == 50_000_000)
        #expect(more["qualities"] == nil)
        #expect((more["formats"] as? [String])?.contains("gif") == true)
        let features = try #require(more["supports"] as? [String])
        #expect(
            Set(features) == [
                "canonicalLinkHeader", "mirroring", "profileLinkHeader", "regionSquare", "rotationArbitrary",
                "sizeAboveFull",
            ])
        #expect((object["sizes"] as? [Any])?.count == 6)
    }

    @Test("Missing features aren't offered")
    func lacking() throws {
        var limits = RenderingLimits.standard
        limits.maximumUpscaling = 1
        let gray = try object(
            ImageInformation(
                version: .v3, id: "http://a/b", size: Self.size, limits: limits, hasAlpha: true, hasColor: false))
        #expect(gray["extraQualities"] as? [String] == ["gray", "bitonal"])
        #expect((gray["extraFeatures"] as? [String])?.contains("sizeUpscaling") == false)
        #expect(gray["preferredFormats"] as? [String] == ["png"])
        #expect(gray["maxWidth"] as? Int == 16384)
        let old = try object(ImageInformation(version: .v2, id: "http://a/b", size: Self.size, limits: limits))
        let profile = try #require((old["profile"] as? [Any])?.last as? [String: Any])
        #expect((profile["supports"] as? [String])?.contains("sizeAboveFull") == false)
    }

    @Test("Every offered size and tile is served, and canonical", arguments: IIIFVersion.allCases)
    func servable(version: IIIFVersion) throws {
        var few = RenderingLimits.standard
        few.maximumArea = 300_000
        var tiny = RenderingLimits.standard
        (tiny.maximumWidth, tiny.maximumHeight) = (200, 100)
        for (size, limits) in [
            (PixelSize(width: 1001, height: 667), .standard), (PixelSize(width: 1, height: 1), .standard),
            (PixelSize(width: 257, height: 255), .standard), (PixelSize(width: 4097, height: 30), .standard),
            (PixelSize(width: 20000, height: 17), .standard), (PixelSize(width: 3001, height: 2003), few),
            (PixelSize(width: 3001, height: 2003), tiny),
        ] as [(PixelSize, RenderingLimits)] {
            let object = try object(ImageInformation(version: version, id: "http://a/b", size: size, limits: limits))
            let sizes = try #require(object["sizes"] as? [[String: Int]])
            for entry in sizes {
                let (width, height) = (try #require(entry["width"]), try #require(entry["height"]))
                let request = try IIIFImageRequest(
                    region: "full", size: "\(width),\(height)", rotation: "0", file: "default.jpg", version: version)
                #expect(
                    try request.rendering(of: size, limits: limits).size == PixelSize(width: width, height: height))
                let canonical = try request.canonical(of: size, limits: limits)
                let expected: Set<String> =
                    version == .v3 ? ["\(width),\(height)", "max"] : ["\(width),", "\(width),\(height)", "full"]
                #expect(expected.contains(String(canonical.split(separator: "/")[1])), "\(canonical)")
            }
            guard let tiles = object["tiles"] as? [[String: Any]] else {
                #expect(limits.maximumHeight == 100)
                continue
            }
            let side = try #require(tiles[0]["width"] as? Int)
            let factors = try #require(tiles[0]["scaleFactors"] as? [Int])
            for factor in factors {
                // The last of a row and the last of a column are the ones that may be slivers.
                let x = (size.width - 1) / (side * factor) * side * factor
                let y = (size.height - 1) / (side * factor) * side * factor
                for (x, y) in [(0, 0), (x, 0), (0, y), (x, y)] {
                    let (width, height) = (min(side * factor, size.width - x), min(side * factor, size.height - y))
                    let result = PixelSize(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
                    let request = try IIIFImageRequest(
                        region: "\(x),\(y),\(width),\(height)", size: "\(result.width),\(result.height)", rotation: "0",
                        file: "default.jpg", version: version)
                    #expect(try request.rendering(of: size, limits: limits).size == result)
                    let one = try IIIFImageRequest(
                        region: "\(x),\(y),\(width),\(height)", size: "\(result.width),", rotation: "0",
                        file: "default.jpg", version: version)
                    #expect(try one.rendering(of: size, limits: limits).size.width == result.width)
                }
            }
        }
    }

    @Test(
        "The media type is the requested one",
        arguments: [
            (nil, "l", "p"), ("", "l", "p"), ("*/*", "l", "p"), ("application/*", "l", "p"),
            ("application/json", "p", "p"), ("application/ld+json", "l", "l"),
            ("application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\"", "l", "l"),
            ("application/json, text/plain, */*", "p", "p"), ("application/ld+json, application/json", "l", "l"),
            ("application/json, application/ld+json;q=0.5", "p", "p"),
            ("application/json;q=0.5, application/ld+json", "l", "l"), ("application/ld+json;q=0, */*", "p", "p"),
            ("application/json;q=0, */*", "l", "p"), ("text/html,application/xhtml+xml,*/*;q=0.8", "l", "p"),
            ("image/png", "l", "p"), ("application/ld+json;q=0", "l", "p"), ("APPLICATION/JSON", "p", "p"),
            (";;;,,", "l", "p"),
        ] as [(String?, String, String)])
    func mediaTypes(accept: String?, v3: String, v2: String) {
        let linked = [
            IIIFVersion.v3: "application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\"",
            .v2: "application/ld+json",
        ]
        for (version, expected) in [(IIIFVersion.v3, v3), (.v2, v2)] {
            let type = version.mediaType(accepting: accept)
            #expect(type == (expected == "l" ? linked[version] : "application/json"), "\(version)")
        }
    }

    @Test(
        "Formats have the standard's names, and the writable ones are offered",
        arguments: IIIFVersion.allCases)
    func formats(version: IIIFVersion) throws {
        for format in IIIFFormat.all {
            #expect(IIIFFormat.format(named: IIIFFormat.name(of: format)) == format)
        }
        for name in ["jpeg", "JPG", "", "heic", "svg", "pdf", "j2k", "bmp", "tiff"] {
            #expect(IIIFFormat.format(named: name) == nil)
        }
        #expect(IIIFFormat.all.starts(with: [.jpeg, .png]))
        for (codecs, offered) in [
            (CodecRegistry([JPEGCodec(), GIFCodec(), BMPCodec()]), ["gif"]),
            (CodecRegistry([JPEGCodec(), PNGCodec(), JPNGCodec(), GIFCodec()]), ["jpng", "gif"]),
        ] {
            let object = try object(
                ImageInformation(version: version, id: "http://a/b", size: Self.size, limits: .standard, codecs: codecs)
            )
            let formats: Any?
            switch version {
            case .v3: formats = object["extraFormats"]
            case .v2: formats = ((object["profile"] as? [Any])?.last as? [String: Any])?["formats"]
            }
            #expect(formats as? [String] == offered)
        }
    }
}
