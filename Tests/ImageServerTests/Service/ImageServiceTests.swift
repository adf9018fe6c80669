import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImageServer
import Raster
import TestSupport
import Testing

@Suite("Responses of the service")
struct ImageServiceTests {
    @Test("Images are decoded by the server's codecs, and others aren't found")
    func codecs() async throws {
        let gallery = try Gallery { $0.codecs.unregister(.png) }
        #expect(await gallery.get("/iiif/3/photo.png/full/max/0/default.jpg").status == 404)
        #expect(await gallery.get("/image/photo.png").status == 404)
        #expect(try await gallery.picture("/iiif/3/cutout.jpng/full/20,/0/default.jpg").size.width == 20)
        #expect(try await Gallery().picture("/image/photo.png?w=20").size.width == 20)
    }

    @Test("Only formats that the server's own codecs write are offered and made")
    func writing() async throws {
        let gallery = try Gallery {
            $0.codecs.unregister(.png)
            $0.codecs.unregister(.gif)
        }
        for (target, status) in [
            ("/iiif/3/cutout.jpng/full/20,/0/default.png", 400), ("/iiif/2/cutout.jpng/full/20,/0/default.gif", 400),
            ("/dzi/cutout.jpng_files/0/0_0.png", 400), ("/xyz/cutout.jpng/0/0/0.png", 400),
            ("/image/cutout.jpng?format=png&w=20", 501), ("/iiif/3/none.jpng/full/20,/0/default.png", 400),
            ("/iiif/3/none.jpng/full/20,/0/default.jpg", 404), ("/dzi/cutout.jpng_files/0/0_0.jpg", 200),
            ("/xyz/cutout.jpng/0/0/0.jpg", 200),
        ] {
            let response = await gallery.get(target)
            #expect(response.status == status, "\(target): \(response.text)")
            if status == 400 { #expect(response.text.contains("can't be written by this server")) }
        }
        let information = await gallery.get("/iiif/3/cutout.jpng/info.json").text
        #expect(information.contains("\"jpng\"") && !information.contains("\"gif\""))
        #expect(!information.contains("\"png\""))
        #expect(await gallery.get("/dzi/cutout.jpng.dzi").text.contains("Format=\"jpg\""))
        #expect(try await Gallery().get("/iiif/3/cutout.jpng/info.json").text.contains("\"gif\""))
    }

    @Test("A region at its own size has the image's pixels")
    func part() async throws {
        let gallery = try Gallery()
        let part = try await gallery.picture("/iiif/3/photo.png/30,20,100,50/max/0/default.png")
        #expect(
            try part.largestDifference(from: gallery.photo.cropped(to: PixelRect(x: 30, y: 20, width: 100, height: 50)))
                == 0)
    }

    @Test(
        "Quarter turns and mirroring move pixels",
        arguments: [
            ("0", Orientation.up), ("90", .right), ("180", .down), ("270", .left), ("!0", .upMirrored),
        ] as [(String, Orientation)])
    func turned(_ rotation: String, _ orientation: Orientation) async throws {
        let gallery = try Gallery()
        let turned = try await gallery.picture("/iiif/3/photo.png/full/max/\(rotation)/default.png")
        #expect(try turned.largestDifference(from: gallery.photo.oriented(by: orientation)) == 0)
    }

    @Test("Other rotations have transparent corners in PNG and the background in JPEG")
    func anyAngle() async throws {
        let gallery = try Gallery()
        let turned = try await gallery.picture("/iiif/3/photo.png/full/300,/30/default.png")
        #expect(turned.size == PixelSize(width: 360, height: 324))
        #expect(turned.pixels[0].alpha == 0)
        let corner = try await gallery.picture("/iiif/3/photo.png/full/300,/30/default.jpg").pixels[0]
        #expect(min(corner.red, corner.green, corner.blue) > 250)
    }

    @Test("Grey has no colours, and bitonal only black and white")
    func qualities() async throws {
        let gallery = try Gallery()
        let gray = try await gallery.picture("/iiif/3/photo.png/full/max/0/gray.png").pixels
        #expect(gray.allSatisfy { $0.red == $0.green && $0.green == $0.blue } && Set(gray).count > 50)
        let bitonal = try await gallery.picture("/iiif/3/photo.png/full/max/0/bitonal.png").pixels
        #expect(Set(bitonal) == [RGBA8(0, 0, 0), RGBA8(255, 255, 255)])
    }

    @Test("Grey has no colours, where a format without transparency shows the background too")
    func grayOnBackground() async throws {
        let gallery = try Gallery { $0.background = RGBA8(255, 0, 0) }
        let transparent = try await gallery.picture("/iiif/3/cutout.png/full/max/0/gray.png")
        #expect(transparent.alpha.hasAlpha && transparent.pixels.contains { $0.alpha < 255 })
        let opaque = try await gallery.picture("/iiif/3/cutout.png/full/max/0/gray.jpg").pixels
        #expect(opaque.allSatisfy { $0.red == $0.green && $0.green == $0.blue })
    }

    @Test("A tile is the same at each of its URLs")
    func tiles() async throws {
        let gallery = try Gallery()
        let iiif = await gallery.get("/iiif/3/photo.png/256,256,256,144/256,144/0/default.png")
        for other in [
            "/iiif/2/photo.png/256,256,256,144/256,/0/default.png", "/dzi/photo.png_files/10/1_1.png",
            "/zoomify/photo.png/TileGroup0/2-1-1.png",
        ] {
            let response = await gallery.get(other)
            #expect(response.status == 200, "\(other): \(response.text)")
            #expect(response.text == iiif.text, "\(other)")
        }
        let padded = try await gallery.picture("/xyz/photo.png/2/1/1.png")
        #expect(padded.size == PixelSize(width: 256, height: 256))
        let tile = try padded.cropped(to: PixelRect(x: 0, y: 0, width: 256, height: 144))
        #expect(
            try tile.largestDifference(
                from: gallery.photo.cropped(to: PixelRect(x: 256, y: 256, width: 256, height: 144))) == 0)
        #expect(padded.pixels.suffix(256).allSatisfy { $0.alpha == 0 })
    }

    @Test(
        "Tiles show the complete file, not its first bytes", arguments: ["progressive.jpg", "cutout.jpng"])
    func lastPass(name: String) async throws {
        let gallery = try Gallery()
        let size = PixelSize(width: 1300, height: 900)
        var options = EncodingOptions(quality: 0.95)
        options.jpeg.isProgressive = true
        let format: ImageFormat = name.hasSuffix("jpng") ? .jpng : .jpeg
        let picture = try format == .jpng ? Bitmap.pattern(size.width, size.height) : .grainy(size)
        let file = try ImageDestination(format: format, options: options).encode(picture)
        try Data(file).write(to: URL(fileURLWithPath: gallery.folder.file(name)))
        let whole = try ImageSource.decode(file).bitmap.converted(to: .rgba8, alpha: .premultiplied)
        for rect in [
            PixelRect(x: 0, y: 0, width: 256, height: 256), PixelRect(x: 700, y: 500, width: 300, height: 200),
        ] {
            let size = "\(rect.width),\(rect.height)"
            let part = try await gallery.picture("/iiif/3/\(name)/\(rect.x),\(rect.y),\(size)/max/0/default.png")
            // Tiles are kept with alpha multiplied in, which takes half a step of a colour.
            let shown = try part.converted(to: .rgba8, alpha: .premultiplied)
            let difference = try #require(shown.largestDifference(from: whole.cropped(to: rect)))
            #expect(difference <= (format == .jpng ? 1 : 0))
        }
    }

    @Test("A full-resolution tile of a JPEG copies its bits")
    func copiedTiles() async throws {
        let gallery = try Gallery()
        let tile = try await gallery.picture(
            "/iiif/3/a%20b%2Fgro%C3%9Fe%20%C3%9Cbersicht.jpg/256,0,256,256/256,256/0/default.jpg")
        let whole = try ImageSource.decode(
            Array(Data(contentsOf: URL(fileURLWithPath: gallery.folder.file("a b/große Übersicht.jpg"))))
        ).bitmap
        // Chroma is smoothed across a tile's edges when the whole is decoded, and only there.
        let difference = try #require(
            tile.cropped(to: PixelRect(x: 2, y: 2, width: 252, height: 252)).largestDifference(
                from: whole.cropped(to: PixelRect(x: 258, y: 2, width: 252, height: 252))))
        #expect(difference == 0)
    }

    @Test(
        "An identifier may have slashes and no extension, and no other form",
        arguments: [
            ("/original/a%20b/gro%C3%9Fe%20%C3%9Cbersicht.jpg", 200),
            ("/original/a%20b%2Fgro%C3%9Fe%20%C3%9Cbersicht", 200),
            ("/original/photo", 200), ("/original/cutout", 404), ("/original/photo.jpg", 404), ("/original/", 404),
            ("/original/a%252Fb", 404), ("/original/%2e%2e/photo.png", 404), ("/iiif/3/a%20b/x.jpg/info.json", 404),
        ])
    func identifiers(_ target: String, _ status: Int) async throws {
        let gallery = try Gallery()
        #expect(await gallery.get(target).status == status)
    }

    @Test(
        "Errors have the reason and no path of the server",
        arguments: [
            ("/iiif/3/photo.png/full/full/0/default.jpg", 400), ("/iiif/3/photo.png/700,0,1,1/max/0/default.jpg", 400),
            ("/iiif/3/photo.png/full/9000,/0/default.jpg", 400), ("/iiif/3/broken.png/info.json", 422),
            ("/iiif/4/photo.png/info.json", 404), ("/image/photo.png?radius=x", 400),
            ("/image/photo.png?nothing=1", 400),
            ("/nothing", 404), ("/dzi/photo.png_files/99/0_0.jpg", 404), ("/jpng-part/photo.png/mask.png", 404),
            ("/api/pictures?limit=0", 400), ("/api/pictures?folder=..", 404), ("/image/photo.png?q=2", 400),
            ("/%zz", 400), ("/" + String(repeating: "a", count: 5000), 414),
        ])
    func failures(_ target: String, _ status: Int) async throws {
        let gallery = try Gallery()
        let response = await gallery.get(target)
        #expect(response.status == status, "\(response.text)")
        #expect(
            !response.text.isEmpty && !response.text.contains(gallery.folder.path) && !response.text.contains("/proc"))
    }

    @Test("Only GET, HEAD and OPTIONS are allowed")
    func methods() async throws {
        let gallery = try Gallery()
        #expect(await gallery.respond(to: ServiceRequest(.other, "/")).status == 405)
        #expect(await gallery.respond(to: ServiceRequest(.options, "/iiif/3/photo.png/info.json")).status == 204)
        let head = await gallery.respond(to: ServiceRequest(.head, "/original/photo.png"))
        #expect(head.status == 200 && head.byteCount > 0)
    }

    @Test("An unchanged image is answered with 304")
    func conditions() async throws {
        let gallery = try Gallery()
        let target = "/iiif/3/photo.png/full/60,/0/default.jpg"
        let tag = try #require(await gallery.get(target)["ETag"])
        var request = ServiceRequest(.get, target)
        request.ifNoneMatch = "\"other\", W/\(tag)"
        #expect(await gallery.respond(to: request).status == 304)
        try Gallery.write(gallery.cutout, .png, to: gallery.folder.file("photo.png"))
        let changed = await gallery.respond(to: request)
        #expect(changed.status == 200 && changed["ETag"] != tag)
    }

    @Test("Originals are served whole or in part")
    func ranges() async throws {
        let gallery = try Gallery()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: gallery.folder.file("photo.png")))
        func get(_ range: String, if condition: String? = nil) async -> ServiceResponse {
            var request = ServiceRequest(.get, "/original/photo.png")
            (request.range, request.ifRange) = (range, condition)
            return await gallery.respond(to: request)
        }
        let part = await get("bytes=10-19")
        #expect(part.status == 206 && part["Content-Range"] == "bytes 10-19/\(bytes.count)" && part.byteCount == 10)
        #expect(await get("bytes=\(bytes.count)-").status == 416)
        #expect(await get("bytes=0-1", if: "\"old\"").status == 200)
        #expect(await get("lines=0-1").byteCount == bytes.count)
    }

    @Test("format=auto follows Accept, and sends Vary")
    func negotiation() async throws {
        let gallery = try Gallery()
        for (accept, type) in [("image/webp,*/*", "image/webp"), ("*/*", "image/jpeg"), ("image/png", "image/png")] {
            var request = ServiceRequest(.get, "/image/photo.png?w=60&format=auto")
            request.accept = accept
            let response = await gallery.respond(to: request)
            #expect(response["Content-Type"] == type && response["Vary"] == "Accept", "\(accept)")
        }
        var request = ServiceRequest(.get, "/image/photo.png?w=60&radius=10&format=auto")
        request.accept = "*/*"
        // Round corners are transparent, which a JPEG can't be.
        #expect(await gallery.respond(to: request)["Content-Type"] == "image/png")
    }

    @Test("Effects are applied")
    func effects() async throws {
        let gallery = try Gallery()
        let card = try await gallery.picture("/image/photo.png?w=120&radius=20&format=png")
        #expect(card.size == PixelSize(width: 120, height: 80))
        #expect(card.pixels[0].alpha == 0 && card.pixels[40 * 120 + 60].alpha == 255)
        let dense = try await gallery.picture("/image/photo.png?w=120&dpr=2&format=png")
        #expect(dense.size == PixelSize(width: 240, height: 160))
        let masked = try await gallery.picture("/image/photo.png?mask=cutout.png&format=png")
        #expect(masked.alpha != .none)
    }

    @Test("A JPNG's parts are served")
    func parts() async throws {
        let gallery = try Gallery()
        let photo = try await gallery.picture("/jpng-part/cutout.jpng/photo.jpg")
        let mask = try await gallery.picture("/jpng-part/cutout.jpng/mask.png")
        #expect(photo.size == gallery.cutout.size && mask.size == gallery.cutout.size)
        #expect(mask.pixels.map(\.red) == gallery.cutout.pixels.map(\.alpha))
    }

    @Test("Pages are part of the program, and their policy allows no other code")
    func pages() async throws {
        let gallery = try Gallery()
        for target in ["/", "/view/photo.png", "/effects/photo.png", "/jpng", "/docs"] {
            let page = await gallery.get(target)
            #expect(page.status == 200 && page["Content-Type"] == "text/html; charset=utf-8", "\(target)")
            #expect(page["Content-Security-Policy"]?.contains("script-src 'self'") == true)
        }
        #expect(await gallery.get("/assets/tessera-image.js").status == 200)
        #expect(await gallery.get("/assets/..%2Fphoto.png").status == 404)
    }

    @Test("The catalogue lists, searches and sorts")
    func catalogue() async throws {
        let gallery = try Gallery()
        struct Listing: Decodable {
            struct Picture: Decodable { let id: String, bytes: Int, modified: String, format: String }
            struct Folder: Decodable { let name: String, path: String }
            let folder: String, folders: [Folder], pictures: [Picture], total: Int
        }
        func list(_ query: String) async throws -> Listing {
            try JSONDecoder().decode(Listing.self, from: Data(await gallery.get("/api/pictures?\(query)").text.utf8))
        }
        let top = try await list("")
        #expect(top.folders.map(\.path) == ["a b"])
        #expect(top.pictures.map(\.id) == ["broken.png", "cutout.jpng", "cutout.png", "photo.png"])
        #expect(try await list("sort=size&order=desc").pictures.first?.id == "photo.png")
        #expect(try await list("search=%C3%BCber").pictures.map(\.id) == ["a b/große Übersicht.jpg"])
        #expect(try await list("offset=1&limit=2").pictures.map(\.id) == ["cutout.jpng", "cutout.png"])
        #expect(top.total == 4)
    }

    @Test("An image is described")
    func description() async throws {
        struct Description: Decodable {
            struct Parts: Decodable { let photoBytes: Int, maskBytes: Int }
            let id: String, width: Int, height: Int, hasAlpha: Bool, format: String, iiif: String, jpng: Parts?
        }
        let gallery = try Gallery()
        let text = await gallery.get("/api/picture/cutout.jpng").text
        let found = try JSONDecoder().decode(Description.self, from: Data(text.utf8))
        #expect(found.width == 90 && found.height == 70 && found.hasAlpha && found.format == "jpng")
        #expect(found.jpng.map { $0.photoBytes > 0 && $0.maskBytes > 0 } == true)
    }
}
