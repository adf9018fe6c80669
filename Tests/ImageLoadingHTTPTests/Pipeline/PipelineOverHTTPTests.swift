#if HTTP
import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import TestSupport
import Testing

@Suite("A pipeline and a server")
struct PipelineOverHTTPTests {
    private func makePipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> ImagePipeline {
        ImagePipeline {
            $0.imageCache = ImageCache(memoryPressure: nil)
            configure(&$0)
        }
    }

    /// Where it is known that each scan but the last is complete: behind the header of the next.
    private func scanEnds(_ bytes: [UInt8]) -> [Int] {
        let starts = (0..<bytes.count - 1).filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        return starts.dropFirst().map { $0 + 4 + Int(bytes[$0 + 3]) }
    }

    @Test(
        "A progressive JPEG has a preview for each scan, for any split, and then the image",
        arguments: [
            1 << 20, 61,
        ])
    func scans(pieceByteCount: Int) async throws {
        let bytes = [UInt8](try TestPicture.progressiveJPEG(orientation: .left))
        let whole = try ImageSource.decode(bytes).bitmap
        let folder = try TemporaryFolder()
        let disk = DataCache(directory: folder.file("cache"))
        try await withServer { server async throws in
            let held = server.hold("/p.jpg", byteCount: bytes.count)
            let pipeline = makePipeline {
                $0.isProgressiveDecodingEnabled = true
                $0.dataCache = disk
            }
            let task = pipeline.imageTask(with: server.url("/p.jpg"))
            var previews = task.previews.makeAsyncIterator()
            var sent = 0
            func send(upTo end: Int) {
                while sent < end {
                    let next = min(end, sent + pieceByteCount)
                    held.send(bytes[sent..<next])
                    sent = next
                }
            }
            for (index, end) in scanEnds(bytes).enumerated() {
                send(upTo: end)
                let preview = try #require(await previews.next())
                #expect(preview.isPreview)
                #expect(preview.container.userInfo[.scanNumberKey] as? Int == index + 1)
                #expect(preview.image.size == whole.size)
                #expect(pipeline.cachedResponse(for: server.url("/p.jpg")) == nil)
            }
            send(upTo: bytes.count)
            held.finish()
            let response = try await task.response
            #expect(try response.image.bitmap().tightBytes() == whole.tightBytes())
            #expect(await previews.next() == nil)
            #expect(response.source == .network)
            #expect(response.metrics.byteCount == bytes.count)
            await pipeline.flush()
            #expect(await disk.statistics().all.entryCount == 1)
            #expect(
                await disk.entry(for: DataCacheKey(group: server.url("/p.jpg").absoluteString))?.data == Data(bytes))
        }
    }

    @Test("A thumbnail of a served image is small, and has previews")
    func thumbnail() async throws {
        let bytes = [UInt8](try TestPicture.progressiveJPEG(640, 480))
        try await withServer { server async throws in
            server.respond("/p.jpg", .bytes(bytes))
            var request = ImageRequest(url: server.url("/p.jpg"))
            request.thumbnail = .init(maxPixelSize: 64)
            let response = try await makePipeline().response(for: request)
            #expect(response.image.size == PixelSize(width: 64, height: 48))
            #expect(response.container.type == .jpeg)
        }
    }

    @Test("An unchanged image is confirmed by a 304 and not decoded again")
    func notModified() async throws {
        let bytes = [UInt8](try TestPicture.progressiveJPEG())
        try await withServer { server async throws in
            server.respond("/p.jpg") { request in
                request.headers["If-None-Match"] == "\"1\""
                    ? .status(304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0"])
                    : .bytes(bytes, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0"])
            }
            let pipeline = makePipeline()
            var request = ImageRequest(url: server.url("/p.jpg"))
            request.cachePolicy = .revalidate
            let first = try await pipeline.response(for: request)
            let second = try await pipeline.response(for: request)
            #expect((first.source, second.source) == (.network, .revalidated))
            #expect(second.metrics.stages.allSatisfy { $0.name != .decode })
            #expect(server.requests("/p.jpg").count == 2)
        }
    }

    @Test("Many tasks for one image are one request, and cancelling them closes the connection")
    func cancelled() async throws {
        try await withServer { server async throws in
            let held = server.hold("/a", byteCount: 100)
            let pipeline = makePipeline()
            let tasks = (0..<20).map { _ in pipeline.imageTask(with: server.url("/a")) }
            await server.waitForRequests(1, "/a")
            held.send([1, 2, 3])
            for task in tasks { task.cancel() }
            await server.waitForClose("/a")
            #expect(server.requests("/a").count == 1)
            held.finish()
        }
    }

    @Test("Unknown formats, missing files and false lengths are errors that name the stage")
    func failures() async throws {
        try await withServer { server async throws in
            server.respond(
                "/text", .bytes(Array("<html>not found</html>".utf8), headers: ["Content-Type": "image/png"]))
            server.respond("/gone", .status(404))
            server.respond("/cut", .cut([UInt8](repeating: 0xFF, count: 5000), after: 500))
            let pipeline = makePipeline { $0.dataFetching.retry = .never }
            for (path, stage) in [("/text", ImagePipeline.Stage.decode), ("/gone", .data), ("/cut", .data)] {
                let error = await #expect(throws: ImagePipeline.Error.self) {
                    try await pipeline.image(for: server.url(path))
                }
                #expect(error?.stage == stage, "\(path): \(String(describing: error))")
            }
        }
    }

    @Test("An interrupted transfer is resumed, once for all tasks")
    func resumed() async throws {
        let bytes = [UInt8](try TestPicture.progressiveJPEG())
        try await withServer { server async throws in
            let file = TestFile(bytes, entityTag: "\"1\"")
            server.respond("/p.jpg") { request in
                request.headers["Range"] == nil
                    ? .cut(bytes, after: 300, headers: ["ETag": "\"1\"", "Accept-Ranges": "bytes"])
                    : file.reply(to: request)
            }
            let pipeline = makePipeline {
                $0.dataFetching.retry = RetryPolicy(baseDelay: .zero)
                $0.isProgressiveDecodingEnabled = true
            }
            let tasks = (0..<3).map { _ in pipeline.imageTask(with: server.url("/p.jpg")) }
            for task in tasks { #expect(try await task.response.image.size == PixelSize(width: 96, height: 64)) }
            #expect(server.requests("/p.jpg").count == 2)
            #expect(server.requests("/p.jpg").last?.headers["Range"] == "bytes=300-")
        }
    }

    @Test("Bytes are read as they arrive, with back pressure")
    func streamed() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try await withServer { server async throws in
            server.respond("/a", .bytes(bytes))
            var all: [UInt8] = []
            for try await chunk in try await makePipeline().bytes(for: server.url("/a")) { all += chunk }
            #expect(all == bytes)
        }
    }

    @Test("A video's bytes are passed on to a player")
    func video() async throws {
        var bytes: [UInt8] = [0, 0, 0, 24]
        bytes += Array("ftypisom".utf8) + [0, 0, 2, 0] + Array("isommp42".utf8) + Array(repeating: 7, count: 100)
        let video = bytes
        try await withServer { server async throws in
            server.respond("/a", .bytes(video))
            let container = try await makePipeline().response(for: ImageRequest(url: server.url("/a"))).container
            #expect(container.data == Data(video))
            #expect(container.type?.mimeType == "video/mp4")
        }
    }
}
#endif
