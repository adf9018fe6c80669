import Foundation
import ImageLoadingTestSupport
import TesseraCompatibility
import Testing

@Suite("Encoders that return nil")
struct ImageEncodingTests {
    private struct Encoder: TesseraCompatibility.ImageEncoding {
        let bytes: [UInt8]?
        func encode(image: PlatformImage) -> Data? { bytes.map { Data($0) } }
    }

    private static func context(_ image: Image) -> ImageEncodingContext {
        let request = ImageRequest(url: URL(fileURLWithPath: "/a"))
        return ImageEncodingContext(request: request, container: ImageContainer(image: image))
    }

    @Test("Nil fails with the encoder's name and the image's size")
    func failure() throws {
        let image = try Image.pixel(1)
        let context = Self.context(image)
        #expect(try Encoder(bytes: [1]).encode(context.container, context: context) == Data([1]))
        let error = #expect(throws: ImageError.self) {
            try Encoder(bytes: nil).encode(context.container, context: context)
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message == "Encoder returned no data for an image of 1x1")
    }

    @Test("A pipeline stores what such an encoder returns")
    func stored() async throws {
        let folder = NSTemporaryDirectory() + "tessera-tests-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cache = DataCache(directory: folder)
        let fixture = PipelineFixture {
            $0.dataCache = cache
            $0.dataCacheOptions.storedItems = [.finalImage]
            $0.makeImageEncoder = { _ in Encoder(bytes: [5]) }
        }
        fixture.loader.answer("http://test/a", with: [3])
        let processor = ImageProcessors.Anonymous(id: "same") { $0 }
        let request = fixture.request("a", processors: [processor])
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.flush()
        #expect(await fixture.pipeline.cache.cachedData(for: request) == Data([5]))
    }

    @Test("The built-in encoders return data, and nil for a format that can't be written")
    func builtIn() throws {
        let image = Image(try TestPicture.bitmap(20, 12))
        let data = try #require(ImageEncoders.ImageIO(type: .png, compressionRatio: 0.8).encode(image: image))
        #expect(ImageType(data) == .png && ImageType(data)?.rawValue == "public.png")
        #expect(ImageEncoders.Default().encode(image: image).flatMap { ImageType($0) } == .jpeg)
        #expect(ImageEncoders.ImageIO(type: .mp4).encode(image: image) == nil)
        #expect(!ImageEncoders.ImageIO.isSupported(type: .mp4))
    }

    @Test("An animation stays one")
    func animation() throws {
        let file = try TestPicture.animation()
        let request = ImageRequest(url: URL(fileURLWithPath: "/a.gif"))
        let decoder = ImageDecoders.Default(context: ImageDecodingContext(request: request, data: file))
        let container = try decoder.decode(file)
        let context = ImageEncodingContext(request: request, container: container)
        #expect(try ImageEncoders.Default().encode(container, context: context) == file)
        let png = try ImageEncoders.ImageIO(type: .png).encode(container, context: context)
        #expect(try AnimatedImage(data: png).frames.count == 4)
    }

    /// In another process, as it changes the registry that all pipelines share.
    @Test("The preference for HEIF applies to pipelines, and can be withdrawn")
    func preference() async {
        await #expect(processExitsWith: .success) {
            func prefersHEIF() throws -> Bool {
                let encoder = ImageEncoderRegistry.shared.encoder(for: ImageEncodingTests.context(try .pixel(1)))
                return try #require(encoder as? ImageLoading.ImageEncoders.Default).isHEIFPreferred
            }
            try #require(try !prefersHEIF() && !ImageEncoders.Default.isHEIFPreferred)
            ImageEncoders.Default.isHEIFPreferred = true
            ImageEncoders.Default.isHEIFPreferred = true
            try #require(try prefersHEIF() && ImageEncoders.Default.isHEIFPreferred)
            let data = ImageEncoders.Default().encode(image: try .pixel(1))
            let heif = CodecRegistry.default.canEncode(.heic)
            try #require(data.flatMap { ImageType($0) } == (heif ? .heic : .jpeg))
            ImageEncoders.Default.isHEIFPreferred = false
            try #require(try !prefersHEIF() && !ImageEncoders.Default.isHEIFPreferred)
        }
    }
}
