import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import Testing

@Suite("The registry of decoders")
struct ImageDecoderRegistryTests {
    private func context(_ data: Data, isCompleted: Bool = true) -> ImageDecodingContext {
        ImageDecodingContext(
            request: ImageRequest(url: URL(string: "https://example.com/a")!), data: data, isCompleted: isCompleted)
    }

    /// Says by its name who was found.
    private struct Named: ImageDecoding {
        let name: String
        func decode(_ data: Data) throws -> ImageContainer { throw ImageError(.unsupported, name) }
    }

    private func name(_ registry: ImageDecoderRegistry, _ data: Data = Data([0])) -> String? {
        (registry.decoder(for: context(data)) as? Named)?.name
    }

    @Test("A registry starts with the default decoder")
    func beginsWithTheDefaultDecoder() throws {
        let png = try TestPicture.file(.png, TestPicture.bitmap(5, 4))
        let registry = ImageDecoderRegistry()
        #expect(registry.decoder(for: context(png)) is ImageDecoders.Default)
        #expect(registry.decoder(for: context(Data("no picture".utf8))) == nil)
        #expect(registry.decoder(for: context(Data())) == nil)
        registry.clear()
        #expect(registry.decoder(for: context(png)) == nil)
    }

    @Test("The newest decoder is asked first until it is unregistered")
    func theNewestIsAskedFirstUntilItIsTakenBack() {
        let registry = ImageDecoderRegistry()
        let first = registry.register { _ in Named(name: "first") }
        let second = registry.register { $0.data.isEmpty ? nil : Named(name: "second") }
        #expect(name(registry) == "second")
        #expect(name(registry, Data()) == "first")
        let other = ImageDecoderRegistry()
        other.unregister(second)
        #expect(name(registry) == "second")
        registry.unregister(second)
        registry.unregister(second)
        #expect(name(registry) == "first")
        registry.unregister(first)
        #expect(name(registry) == nil)
    }

    /// Knows which of its initialisers made it.
    private struct ByType: ImageDecoderRegistering {
        let isForAll: Bool
        init?(data: Data, context: ImageDecodingContext) {
            guard data.first == 7 else { return nil }
            isForAll = true
        }
        init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) {
            guard data.first == 7 else { return nil }
            isForAll = false
        }
        func decode(_ data: Data) throws -> ImageContainer { throw ImageError(.unsupported, "never") }
    }

    /// Has no initialiser for the first bytes.
    private struct WholeOnly: ImageDecoderRegistering {
        init?(data: Data, context: ImageDecodingContext) {}
        func decode(_ data: Data) throws -> ImageContainer { throw ImageError(.unsupported, "never") }
    }

    @Test("A decoder type is created for complete data or for the first bytes")
    func aTypeIsMadeOfAllBytesOrOfTheFirst() {
        let registry = ImageDecoderRegistry()
        registry.register(ByType.self)
        #expect((registry.decoder(for: context(Data([7]))) as? ByType)?.isForAll == true)
        #expect((registry.decoder(for: context(Data([7]), isCompleted: false)) as? ByType)?.isForAll == false)
        #expect(registry.decoder(for: context(Data([8]))) == nil)
        registry.register(WholeOnly.self)
        #expect(registry.decoder(for: context(Data([8]))) is WholeOnly)
        #expect(registry.decoder(for: context(Data([7]), isCompleted: false)) is ByType)
    }

    @Test("Closures may change the registry")
    func closuresMayChangeTheRegistry() {
        let registry = ImageDecoderRegistry()
        let token = Mutex<RegistrationToken?>(nil)
        let made = registry.register { [weak registry] _ in
            registry?.register { _ in Named(name: "late") }
            if let token = token.withLock({ $0 }) { registry?.unregister(token) }
            return nil
        }
        token.withLock { $0 = made }
        // What is registered meanwhile is asked the next time.
        #expect(name(registry) == nil)
        #expect(name(registry) == "late")
    }

    /// Changes its registry when it goes.
    private final class Farewell: Sendable {
        let registry: ImageDecoderRegistry
        init(_ registry: ImageDecoderRegistry) { self.registry = registry }
        deinit { registry.clear() }
    }

    @Test("A deallocated closure may change the registry")
    func whatIsLetGoMayChangeTheRegistry() {
        let registry = ImageDecoderRegistry()
        let other = ImageDecoderRegistry()
        let token = registry.register { [farewell = Farewell(registry)] _ in
            _ = farewell
            return nil
        }
        registry.register { _ in Named(name: "last") }
        other.unregister(token)
        #expect(name(registry) == "last")
        registry.unregister(token)
        #expect(name(registry) == nil)
    }

    @Test("A video's bytes are passed on")
    func videosAreHandedOn() throws {
        let registry = ImageDecoderRegistry()
        let mp4 = Data([0, 0, 0, 16]) + Data("ftypisom".utf8) + Data([0, 0, 2, 0]) + Data("moov".utf8)
        let decoder = try #require(registry.decoder(for: context(mp4)))
        let container = try decoder.decode(mp4)
        #expect(container.type == .mp4 && container.data == mp4 && container.image.size.pixelCount == 1)
        #expect(registry.decoder(for: context(mp4.prefix(11), isCompleted: false)) == nil)
        #expect(registry.decoder(for: context(mp4, isCompleted: false)) is ImageDecoders.Empty)
        // Processors have nothing to do with it.
        let processed = try ImageProcessors.Resize(width: 10).process(
            container, context: ImageProcessingContext(request: context(mp4).request))
        #expect(processed.data == mp4)
    }
}
