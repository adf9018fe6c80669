import Tessera
import TestSupport
import Testing

/// What goes along beside the pixels, and what may be asked for.
@Suite("tessera convert: metadata and limits")
struct ConvertKeepingTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let metadata = ImageMetadata(
            orientation: .right, xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8),
            resolution: ImageMetadata.Resolution(horizontal: 300, vertical: 150))
        try folder.write(
            Pictures.photograph().file(.jpeg, EncodingOptions(metadata: metadata)), to: "photo.jpg")
    }

    private func metadata(_ name: String) throws -> ImageMetadata {
        try ImageSource.header(of: folder.read(name), options: DecodingOptions(color: .asStored)).metadata
    }

    @Test("Metadata is dropped by default", arguments: ["jpg", "png", "webp", "tif", "jxl", "avif", "heic"])
    func dropsMetadataByDefault(name: String) throws {
        #expect(try Command.run("convert", "photo.jpg", "a.\(name)", in: folder).status == 0)
        let kept = try metadata("a.\(name)")
        #expect(kept.exif == nil && kept.xmp == nil && kept.orientation == .up)
        #expect(try ImageSource.header(of: folder.read("a.\(name)")).size == PixelSize(width: 40, height: 60))
    }

    @Test("Metadata is kept on request", arguments: ["jpg", "png", "webp", "tif"])
    func keepsAllOnRequest(name: String) throws {
        #expect(try Command.run("convert", "photo.jpg", "a.\(name)", "--keep", "all", in: folder).status == 0)
        let kept = try metadata("a.\(name)")
        #expect(kept.orientation == .up)
        #expect(kept.xmp.map { String(decoding: $0, as: UTF8.self).contains("xmpmeta") } ?? false)
        #expect(try ImageSource.header(of: folder.read("a.\(name)")).size == PixelSize(width: 40, height: 60))
    }

    @Test("Limits are applied")
    func holdsToLimits() throws {
        for limit in ["pixels=2000", "side=50", "memory=1,pixels=2K"] {
            let outcome = try Command.run("convert", "photo.jpg", "a.png", "--limits", limit, in: folder)
            #expect(outcome.status == 1 && outcome.errors.contains("limit"), "\(limit): \(outcome.errors)")
        }
        #expect(try Command.run("convert", "photo.jpg", "a.png", "--limits", "none", in: folder).status == 0)
        #expect(
            try Command.run("convert", "photo.jpg", "b.png", "--limits", "pixels=1G,side=1M", in: folder).status == 0)
        for nonsense in ["pixel=3", "pixels", "pixels=-1", "pixels=9999999T", "", "pixels=x"] {
            let outcome = try Command.run("convert", "photo.jpg", "c.png", "--limits", nonsense, in: folder)
            #expect(outcome.status == 64, "\(nonsense)")
        }
    }

    @Test(
        "Limits can be lifted",
        arguments: ["jpng", "jpg", "png", "gif", "webp", "tif", "jxl", "avif", "heic", "bmp", "ico"])
    func worksWithoutAnyLimit(name: String) throws {
        try folder.write(Pictures.cutout().file(.png), to: "cutout.png")
        for (input, output) in [("cutout.png", "a.\(name)"), ("a.\(name)", "b.png")] {
            let outcome = try Command.run("convert", input, output, "--limits", "none", in: folder)
            #expect(outcome.status == 0 && outcome.errors == "", "\(input): \(outcome.errors)")
        }
        #expect(try ImageSource.header(of: folder.read("b.png")).size == PixelSize(width: 48, height: 32))
    }

    @Test("Drawings can be drawn without a memory limit")
    func drawsWithoutALimitOfMemory() throws {
        let drawing = #"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><circle r="9"/></svg>"#
        try folder.write(Array(drawing.utf8), to: "logo.svg")
        let outcome = try Command.run("convert", "logo.svg", "logo.png", "--limits", "none", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
    }

    @Test("A JPEG is packed without loss and restored")
    func packsAJPEGWithoutLossAndMakesItAgain() throws {
        let packed = try Command.run("convert", "photo.jpg", "photo.jxl", "--lossless", "--keep", "all", in: folder)
        #expect(packed.status == 0)
        let again = try Command.run("convert", "photo.jxl", "again.jpg", "--lossless", "--keep", "all", in: folder)
        #expect(again.status == 0 && again.errors == "")
        #expect(try folder.read("again.jpg") == folder.read("photo.jpg"))
    }

    @Test("A drawing fills a box")
    func fillsABoxWithADrawing() throws {
        let drawing =
            #"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><circle cx="9" cy="9" r="9"/></svg>"#
        try folder.write(Array(drawing.utf8), to: "logo.svg")
        #expect(try Command.run("convert", "logo.svg", "logo.png", "--size", "300x300", in: folder).status == 0)
        #expect(try ImageSource.header(of: folder.read("logo.png")).size == PixelSize(width: 300, height: 150))
    }
}
