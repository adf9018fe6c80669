import ImageFormats
import ImageFormatsTestSupport
import ImageServer
import Raster
import TestSupport
import Testing

@Suite("How much a request may ask for")
struct OutputLimitTests {
    @Test(
        "The limit of pixels applies on every route",
        arguments: [
            "/image/photo.png", "/image/photo.png?format=jpg", "/image/photo.png?format=png&blur=2",
            "/image/photo.png?w=599", "/image/photo.png?crop=0,0,500,390", "/image/photo.png?w=280&h=280&rotate=45",
            "/image/photo.png?w=300&h=300&mode=stretch&shadow=0,0,90", "/iiif/3/photo.png/full/^600,/0/default.jpg",
            "/iiif/3/photo.png/full/500,400/0/default.png", "/iiif/2/photo.png/full/full/0/default.jpg",
        ])
    func pixels(_ target: String) async throws {
        let gallery = try Gallery { $0.maximumOutputPixelCount = 100_000 }
        let response = await gallery.get(target)
        #expect(response.status == 400, "\(target): \(response.status)")
    }

    @Test(
        "Images within the limit are made",
        arguments: [
            "/image/photo.png?w=300", "/image/photo.png?w=300&format=png&blur=2", "/image/cutout.png",
            "/iiif/3/photo.png/full/max/0/default.jpg", "/iiif/3/photo.png/0,0,256,256/max/0/default.png",
            "/dzi/photo.png_files/10/1_1.png",
        ])
    func within(_ target: String) async throws {
        let gallery = try Gallery { $0.maximumOutputPixelCount = 100_000 }
        let picture = try await gallery.picture(target)
        #expect(picture.size.pixelCount <= 100_000)
    }

    @Test("Effects enlarge no more than sizes may")
    func upscaling() async throws {
        let gallery = try Gallery()
        #expect(await gallery.get("/image/cutout.png?w=400").status == 400)
        #expect(await gallery.get("/image/cutout.png?w=360").status == 200)
    }

    @Test("Renders beyond the memory limit are refused with need and limit, and others are made")
    func memory() async throws {
        let gallery = try Gallery { $0.renderMemoryByteLimit = 64 << 20 }
        let refused = await gallery.get("/iiif/3/photo.png/full/^max/0/default.gif")
        #expect(refused.status == 400 && refused.text.contains("memory; the limit is 56 MB"), "\(refused.text)")
        #expect(await gallery.get("/iiif/3/photo.png/full/200,/0/default.gif").status == 200)
        #expect(await gallery.get("/image/photo.png?blur=3&format=jpg").status == 200)
    }

    @Test("Renders beyond the time limit are refused before they begin")
    func time() async throws {
        // Estimated at 10 s, and refused long before 5 s are over.
        let gallery = try Gallery {
            $0.maximumUpscaling = 16
            $0.renderMemoryByteLimit = 8 << 30
            $0.renderTimeout = .seconds(5)
        }
        let refused = await gallery.get("/iiif/3/photo.png/full/^max/0/default.gif")
        #expect(refused.status == 400 && refused.text.contains("processor time"), "\(refused.text)")
    }

    @Test("A large streamed result has the same pixels as a bitmap")
    func streamed() async throws {
        let folder = try TemporaryFolder()
        let photo = try Bitmap.grainy(PixelSize(width: 2600, height: 2100))
        try Gallery.write(photo, .png, to: folder.file("large.png"))
        var configuration = ImageServerConfiguration(folders: [folder.path])
        // Not what is looked at here, and a sanitizer takes longer.
        configuration.renderTimeout = .seconds(600)
        let service = try ImageService(configuration)
        func picture(_ target: String) async throws -> Bitmap {
            let response = await service.respond(to: ServiceRequest(.get, target))
            guard case .bytes(let bytes) = response.body, response.status == 200 else {
                throw RequestFailure(response.status, response.text)
            }
            return try ImageSource.decode(bytes.array).bitmap
        }
        let large = try await picture("/iiif/3/large.png/full/^5200,4200/0/default.png")
        #expect(large.size == PixelSize(width: 5200, height: 4200))
        #expect(try #require(large.largestDifference(from: photo.resampled(to: large.size))) <= 1)
        withExtendedLifetime(folder) {}
    }
}
