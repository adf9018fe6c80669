import ImageLoading
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.timeLimit(.minutes(1))) struct HTTPDataLoaderTests {
    private let loader = HTTPDataLoader(configuration: .init(proxies: .none))
    private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test func loadsBytesWithTheirResponse() async throws {
        try await withServer { server in
            server.respond("/a.jpg?x=1", .bytes(bytes, type: "image/jpeg; q=1", headers: ["X-Two": "1", "x-two": "2"]))
            let (response, received) = try await load(server.url("/a.jpg?x=1"))
            #expect(received == bytes)
            #expect(response.statusCode == 200 && response.expectedByteCount == bytes.count)
            #expect(response.mimeType == "image/jpeg" && response.url == server.url("/a.jpg?x=1"))
            #expect(response.headers.values("X-TWO") == ["1", "2"])
            let request = try #require(server.requests.first)
            #expect(request.method == "GET" && request.headers["User-Agent"] == "Tessera")
            #expect(request.headers["Accept-Encoding"] == "identity")
        }
    }

    @Test func loadsChunkedBodies() async throws {
        try await withServer { server in
            server.respond("/a", .bytes(bytes).chunked())
            let (response, received) = try await load(server.url("/a"))
            #expect(received == bytes && response.expectedByteCount == nil)
            server.respond("/b", .throttled(bytes, pieceByteCount: 9000, pause: .milliseconds(1)))
            #expect(try await load(server.url("/b")).1 == bytes)
        }
    }

    private func load(_ url: URL, headers: HTTPHeaders = HTTPHeaders()) async throws -> (DataResponse, [UInt8]) {
        let download = try await loader.load(DataRequest(url: url, headers: headers))
        var bytes: [UInt8] = []
        for try await chunk in download.body { bytes += chunk }
        return (download.response, bytes)
    }
}
