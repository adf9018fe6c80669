import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("The registry of encoders")
struct ImageEncoderRegistryTests {
    private struct Named: ImageEncoding {
        let name: String
        func encode(image: Image) throws -> Data { Data(name.utf8) }
    }

    private func context(_ type: ImageFormat? = nil) throws -> ImageEncodingContext {
        ImageEncodingContext(
            request: ImageRequest(url: URL(string: "https://example.com/a")!),
            container: ImageContainer(image: Image(try TestPicture.bitmap(3, 3)), type: type))
    }

    @Test("The newest encoder is asked first until it is unregistered")
    func theNewestIsAskedFirstUntilItIsTakenBack() throws {
        let registry = ImageEncoderRegistry()
        #expect(registry.encoder(for: try context()) is ImageEncoders.Default)
        let token = registry.register { context in context.container.type == .gif ? Named(name: "gif") : nil }
        #expect(registry.encoder(for: try context()) is ImageEncoders.Default)
        #expect((registry.encoder(for: try context(.gif)) as? Named)?.name == "gif")
        registry.register { [weak registry] _ in
            registry?.unregister(token)
            return nil
        }
        #expect(registry.encoder(for: try context(.gif)) is Named)
        #expect(registry.encoder(for: try context(.gif)) is ImageEncoders.Default)
        registry.clear()
        #expect(registry.encoder(for: try context()) == nil)
    }

    @Test("An encoder of images also encodes containers")
    func anEncoderOfImagesEncodesContainers() throws {
        let context = try context()
        #expect(try Named(name: "x").encode(context.container, context: context) == Data("x".utf8))
    }
}
