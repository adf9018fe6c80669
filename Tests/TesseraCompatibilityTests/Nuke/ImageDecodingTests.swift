import Foundation
import ImageLoadingTestSupport
import TesseraCompatibility
import Testing

@Suite("Decoders that return nil")
struct ImageDecodingTests {
    /// Decodes data that begins with a zero no more than Nuke's decoders would.
    private final class Decoder: ImageDecoderRegistering {
        init?(data: Data, context: ImageDecodingContext) {}

        init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) {}

        func decode(_ data: Data) -> ImageContainer? {
            guard let first = data.first, first != 0 else { return nil }
            return (try? .pixel(first)).map { ImageContainer(image: $0, data: data) }
        }

        func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            (try? .pixel(data[data.endIndex - 1])).map { ImageContainer(image: $0, isPreview: true) }
        }
    }

    private let fixture = PipelineFixture {
        let registry = ImageDecoderRegistry()
        registry.register(Decoder.self)
        $0.makeImageDecoder = { registry.decoder(for: $0) }
        $0.isProgressiveDecodingEnabled = true
    }

    @Test("A registered decoder makes the image and its previews")
    func image() async throws {
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 2)
        var previews = task.previews.makeAsyncIterator()
        load.send([7])
        #expect(await previews.next()?.image.pixelValue == 7)
        load.send([8])
        load.finish()
        let response = try await task.response
        #expect(response.image.pixelValue == 7 && response.container.data == Data([7, 8]))
    }

    @Test("Nil fails with the decoder's name and the number of bytes")
    func failure() async throws {
        fixture.loader.answer("http://test/a", with: [0, 1, 2])
        let error = await #expect(throws: ImagePipeline.Error.self) {
            try await fixture.pipeline.image(for: fixture.request("a"))
        }
        let reason = try #require(error?.underlying as? ImageError)
        #expect(reason.code == .corrupt && reason.message == "Decoder returned no image for 3 bytes")
    }

    @Test("Both forms of a decoder work side by side")
    func bothForms() throws {
        struct Throwing: ImageLoading.ImageDecoding {
            func decode(_ data: Data) throws -> ImageContainer { ImageContainer(image: try .pixel(data[0])) }
        }
        let registry = ImageDecoderRegistry()
        registry.register(Decoder.self)
        registry.register { context in context.data.first == 9 ? Throwing() : nil }
        let context = { ImageDecodingContext(request: fixture.request("a"), data: Data([$0])) }
        #expect(registry.decoder(for: context(9)) is Throwing)
        #expect(try registry.decoder(for: context(8))?.decode(Data([8])).image.pixelValue == 8)
    }
}
