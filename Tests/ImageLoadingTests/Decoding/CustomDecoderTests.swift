import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import Testing

/// Decoders as programs write them, and the guide's samples.
@Suite("Custom decoders")
struct CustomDecoderTests {
    /// Knows whole data only: nothing but `decode`.
    private struct Solid: ImageDecoding {
        func decode(_ data: Data) throws -> ImageContainer {
            guard let side = data.first, side > 0 else { throw ImageError(.corrupt, "no side") }
            let info = BitmapInfo(size: PixelSize(width: Int(side), height: Int(side)), format: .gray8)
            return ImageContainer(image: Image(try MutableBitmap(info).freeze()), userInfo: ["side": Int(side)])
        }
    }

    @Test("A decoder can support complete data only")
    func aDecoderMayKnowWholeDataOnly() throws {
        #expect(Solid().decodePartiallyDownloadedData(Data([4])) == nil)
        #expect(try Solid().decode(Data([4, 1])).image.size == PixelSize(width: 4, height: 4))
    }

    /// Keeps something from one call to the next.
    private final class Counting: ImageDecoding, ImageDecoderRegistering {
        private let calls = Mutex(0)

        init?(data: Data, context: ImageDecodingContext) {}
        init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) {
            guard data.count >= 4 else { return nil }
        }

        func decode(_ data: Data) throws -> ImageContainer {
            var container = try Solid().decode(data)
            container.userInfo["calls"] = calls.withLock { $0 }
            return container
        }

        func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            calls.withLock { $0 += 1 }
            var container = try? Solid().decode(data)
            container?.isPreview = true
            return container
        }
    }

    @Test("A decoder can keep state")
    func aDecoderMayKeepState() throws {
        let registry = ImageDecoderRegistry()
        registry.register(Counting.self)
        let request = ImageRequest(url: URL(string: "https://example.com/a")!)
        let all = Data([3, 0, 0, 0, 0])
        var decoder: (any ImageDecoding)?
        for count in 1..<all.count where decoder == nil {
            decoder = registry.decoder(
                for: ImageDecodingContext(request: request, data: all.prefix(count), isCompleted: false))
            #expect((decoder != nil) == (count >= 4))
        }
        let kept = try #require(decoder)
        #expect(kept.decodePartiallyDownloadedData(all.prefix(4))?.isPreview == true)
        #expect(kept.decodePartiallyDownloadedData(all)?.isPreview == true)
        #expect(try kept.decode(all).userInfo["calls"] as? Int == 2)
    }

    // MARK: - The guide's samples

    @Test("A drawing is recognised by its URL")
    func aDrawingIsKnownByItsAddress() throws {
        let registry = ImageDecoderRegistry()
        registry.register { (context: ImageDecodingContext) in
            // Replace this with whatever works for you. There are no magic numbers for SVG.
            let isSVG = context.urlResponse?.url?.absoluteString.hasSuffix(".svg") ?? false
            return isSVG ? ImageDecoders.Empty() : nil
        }
        let url = try #require(URL(string: "https://upload.wikimedia.org/wikipedia/commons/9/9d/Swift_logo.svg"))
        let data = Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)
        let context = ImageDecodingContext(
            request: ImageRequest(url: url), data: data, urlResponse: DataResponse(url: url))
        let container = try #require(registry.decoder(for: context)).decode(data)
        #expect(container.data == data)
        var other = context
        other.urlResponse = nil
        #expect(!(registry.decoder(for: other) is ImageDecoders.Empty))
    }

    @Test("A decoder receives the request's options")
    func aDecoderSeesWhatTheRequestSays() throws {
        struct Sized: ImageDecoding {
            let side: UInt8
            func decode(_ data: Data) throws -> ImageContainer { try Solid().decode(Data([side])) }
        }
        let registry = ImageDecoderRegistry()
        registry.register { context in (context.request.userInfo["side"] as? UInt8).map { Sized(side: $0) } }
        let request = ImageRequest(url: URL(string: "https://example.com/a")!, userInfo: ["side": UInt8(9)])
        let decoder = try #require(registry.decoder(for: ImageDecodingContext(request: request, data: Data())))
        #expect(try decoder.decode(Data()).image.size.width == 9)
    }
}
