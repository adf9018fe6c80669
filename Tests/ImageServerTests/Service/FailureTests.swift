import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImageServer
import Raster
import TestSupport
import Testing

@Suite("Responses for images that can't be shown")
struct FailureTests {
    private static let page = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    /// Files that are no whole picture.
    private static func damaged() throws -> [(name: String, bytes: [UInt8])] {
        let photo = try Bitmap.grainy(PixelSize(width: 600, height: 400))
        var files: [(String, [UInt8])] = [("text.jpg", Array("no picture".utf8)), ("empty.png", [])]
        for format in [ImageFormat.png, .jpeg, .gif, .bmp, .webP, .tiff, .jpng]
        where CodecRegistry.default.canEncode(format) {
            let bytes = try ImageDestination(format: format).encode(photo)
            let name = format.filenameExtension
            files.append(("start.\(name)", Array(bytes.prefix(40))))
            files.append(("half.\(name)", Array(bytes.prefix(bytes.count / 2))))
            // Noise where the pixels are.
            var noise = bytes
            for index in noise.indices.dropFirst(noise.count / 3).prefix(noise.count / 3) {
                noise[index] = UInt8(truncatingIfNeeded: index &* 197)
            }
            files.append(("noise.\(name)", noise))
        }
        return files
    }

    @Test("A damaged image is a client error with the reason")
    func damaged() async throws {
        let gallery = try Gallery()
        var refusedCount = 0
        for (name, bytes) in try Self.damaged() {
            try Data(bytes).write(to: URL(fileURLWithPath: gallery.folder.file(name)))
            for target in [
                "/api/picture/\(name)", "/iiif/3/\(name)/info.json", "/iiif/3/\(name)/full/max/0/default.png",
                "/iiif/3/\(name)/0,0,256,256/256,256/0/default.jpg", "/image/\(name)?w=100", "/dzi/\(name).dzi",
            ] {
                let response = await gallery.get(target)
                // What is whole enough is shown.
                guard response.status != 200 else { continue }
                refusedCount += 1
                #expect([400, 422].contains(response.status), "\(target): \(response.status) \(response.text)")
                guard response.status == 422 else { continue }
                #expect(response.text.count > 30 && response.failure.map { response.text == $0.message + "\n" } == true)
                #expect(
                    !response.text.contains("/proc") && !response.text.contains(gallery.folder.path), "\(response.text)"
                )
            }
        }
        #expect(refusedCount > 40)
    }

    @Test("A missing page is HTML for browsers, and text for programs and images")
    func pages() async throws {
        let gallery = try Gallery()
        try Data("<&>".utf8).write(to: URL(fileURLWithPath: gallery.folder.file("text.jpg")))
        for (target, status) in [
            ("/nothing", 404), ("/image/nothing.jpg", 404), ("/image/text.jpg", 422),
            ("/image/photo.png?%3Cb%3E=1", 400),
        ] {
            var request = ServiceRequest(.get, target)
            request.accept = Self.page
            let page = await gallery.respond(to: request)
            #expect(page.status == status && page["Content-Type"] == "text/html; charset=utf-8", "\(target)")
            #expect(page.text.hasPrefix("<!doctype html>") && page["Content-Security-Policy"] != nil)
            #expect(!page.text.contains("{{") && !page.text.contains("<b>"), "\(target)")
            for accept in [nil, "*/*", "application/json", "image/avif,image/webp,image/*,*/*;q=0.8"] {
                request.accept = accept
                let text = await gallery.respond(to: request)
                #expect(text.status == status && text["Content-Type"] == "text/plain; charset=utf-8", "\(target)")
            }
        }
        #expect(await gallery.get("/assets/failure.html").status == 404)
    }
}
