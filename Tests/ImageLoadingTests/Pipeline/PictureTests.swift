import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import TestSupport
import Testing

@Suite("Real images through a pipeline")
struct PictureTests {
    private let folder: TemporaryFolder
    private let cache = ImageCache(memoryPressure: nil)
    private let pipeline: ImagePipeline

    init() throws {
        folder = try TemporaryFolder()
        let cache = cache
        pipeline = ImagePipeline { $0.imageCache = cache }
    }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> URL {
        URL(fileURLWithPath: try folder.write(bytes, to: name))
    }

    @Test(
        "A file's image is what its decoder makes of it, JPNG included",
        arguments: [ImageFormat.png, .jpeg, .jpng, .bmp])
    func files(_ format: ImageFormat) async throws {
        let bitmap = try TestPicture.bitmap(40, 30)
        let bytes = try ImageDestination(format: format).encode(bitmap)
        let response = try await pipeline.response(for: ImageRequest(url: file("a", bytes)))
        #expect(response.source == .local)
        #expect(response.container.type == format)
        #expect(response.container.metadata != nil)
        #expect(try response.image.bitmap().tightBytes() == ImageSource.decode(bytes).bitmap.tightBytes())
        #expect(response.metrics.stages.map(\.name) == [.decode])
    }

    @Test("A thumbnail is made by the decoder, and a processor's image is decoded no larger than needed")
    func small() async throws {
        let bytes = try ImageDestination(format: .jpeg).encode(TestPicture.bitmap(400, 300))
        var request = ImageRequest(url: try file("a.jpg", bytes))
        request.thumbnail = .init(width: 100, height: 100)
        #expect(try await pipeline.image(for: request).size == PixelSize(width: 100, height: 75))
        request.thumbnail = .init(width: 50, height: 50, contentMode: .aspectFill)
        #expect(try await pipeline.image(for: request).size == PixelSize(width: 50, height: 50))
        request.thumbnail = nil
        request.processors = [.resize(width: 80)]
        let resized = try await pipeline.response(for: request)
        #expect(resized.image.size == PixelSize(width: 80, height: 60))
        #expect(resized.image.isDecoded)
        request.processors = []
        request.options = .skipDecompression
        let deferred = try await pipeline.image(for: request)
        #expect(!deferred.isDecoded)
        #expect(deferred.size == PixelSize(width: 400, height: 300))
    }

    @Test("A larger cached image serves a smaller request if that is allowed")
    func larger() async throws {
        let url = try file("a.png", try ImageDestination(format: .png).encode(TestPicture.bitmap(200, 100)))
        var request = ImageRequest(url: url)
        request.thumbnail = .init(width: 100, height: 100)
        _ = try await pipeline.image(for: request)
        request.thumbnail = .init(width: 40, height: 40)
        request.options = [.usesLargerCachedImages, .disableMemoryCacheWrites]
        let smaller = try await pipeline.response(for: request)
        #expect(smaller.image.size == PixelSize(width: 40, height: 20))
        #expect(smaller.source == .memory)
        // One that is cropped, or smaller, is of no use.
        request.thumbnail = .init(width: 150, height: 150)
        #expect(try await pipeline.response(for: request).source == .local)
        request.thumbnail = .init(width: 40, height: 40)
        request.options = .disableMemoryCacheWrites
        #expect(try await pipeline.response(for: request).source == .local)
    }

    @Test("A data: URL is loaded like any other")
    func dataURL() async throws {
        let bytes = try ImageDestination(format: .png).encode(TestPicture.bitmap(3, 2))
        let url = try #require(URL(string: "data:image/png;base64," + Data(bytes).base64EncodedString()))
        #expect(try await pipeline.image(for: url).size == PixelSize(width: 3, height: 2))
    }

    @Test("An animation comes as its first frame with all frames; processing applies to the frames and drops the bytes")
    func animation() async throws {
        let bytes = try TestPicture.animation(count: 3)
        let url = try file("a.gif", Array(bytes))
        let plain = try await pipeline.response(for: ImageRequest(url: url)).container
        #expect(plain.data == bytes)
        #expect(plain.animation?.durations.count == 3)
        let processed = try await pipeline.response(for: ImageRequest(url: url, processors: [.resize(width: 4)]))
            .container
        #expect(processed.data == nil)
        #expect(processed.image.size.width == 4)
        let frame = try await #require(processed.animation).frame(at: 2)
        #expect(frame.size.width == 4)
    }

    @Test(
        "Missing, unknown and truncated files are errors",
        arguments: [
            ("missing", nil, ImagePipeline.Stage.decode), ("text", Array("hello".utf8), .decode),
            ("empty", [], .decode),
        ] as [(String, [UInt8]?, ImagePipeline.Stage)])
    func failures(_ name: String, _ bytes: [UInt8]?, _ stage: ImagePipeline.Stage) async throws {
        let url = URL(fileURLWithPath: folder.file(name))
        if let bytes { try folder.write(bytes, to: name) }
        let error = await #expect(throws: ImagePipeline.Error.self) { try await pipeline.image(for: url) }
        #expect(error?.description.isEmpty == false)
        #expect(error?.stage == (bytes == nil || bytes == [] ? .data : stage))
    }

    @Test("A truncated image's error has the partial image")
    func truncated() async throws {
        let bytes = try ImageDestination(format: .png).encode(TestPicture.bitmap(60, 60))
        let url = try file("a.png", Array(bytes.prefix(bytes.count * 3 / 4)))
        let error = await #expect(throws: ImagePipeline.Error.self) { try await pipeline.image(for: url) }
        guard case .incomplete(let container, _)? = error?.underlying as? ImageDecodingError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(container.image.size == PixelSize(width: 60, height: 60))
    }

    @Test("A resize to the same size yields decoded pixels, which the memory cache counts", arguments: [true, false])
    func nothingToDo(isDeferred: Bool) async throws {
        let bytes = try ImageDestination(format: .jpeg).encode(TestPicture.bitmap(640, 480))
        let request = ImageRequest(
            url: try file("a.jpg", bytes), processors: [.resize(width: 2000)],
            options: isDeferred ? .skipDecompression : [])
        let image = try await pipeline.image(for: request)
        #expect(image.size == PixelSize(width: 640, height: 480))
        #expect(image.isDecoded == !isDeferred)
        #expect(cache.statistics.cost == (isDeferred ? bytes.count : 640 * 480 * 4))
    }

    @Test(
        "A truncated JPEG's error has the partial image, whichever processor is first",
        arguments: [[], [.resize(width: 40)], [.circle()], [.resize(width: 40), .circle()]] as [[any ImageProcessing]])
    func truncatedAndProcessed(processors: [any ImageProcessing]) async throws {
        let bytes = try ImageDestination(format: .jpeg).encode(TestPicture.bitmap(160, 120))
        let url = try file("a.jpg", Array(bytes.prefix(bytes.count * 3 / 4)))
        let error = await #expect(throws: ImagePipeline.Error.self) {
            try await pipeline.image(for: ImageRequest(url: url, processors: processors))
        }
        #expect(error?.stage == .decode)
        guard case .incomplete(let container, let reason)? = error?.underlying as? ImageDecodingError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(container.image.size == PixelSize(width: 160, height: 120))
        #expect(reason.code == .truncated)
        let row = try container.image.bitmap().oriented(by: .up)
        #expect(row.size == container.image.size)
    }
}
