#if HTTP
import ImageLoading
import Raster
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Loading over HTTP", .timeLimit(.minutes(15)))
struct HTTPDataLoaderTests {
    private let loader = HTTPDataLoader(configuration: .init(proxies: .none))
    private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    @Test("Bytes come with their response")
    func loadsBytesWithTheirResponse() async throws {
        try await withServer { server async throws in
            server.respond("/a.jpg?x=1", .bytes(bytes, type: "image/jpeg; q=1", headers: ["X-Two": "1", "x-two": "2"]))
            let (response, received) = try await load(server.url("/a.jpg?x=1"), headers: ["X-Own": "a"])
            #expect(received == bytes)
            #expect(response.statusCode == 200 && response.expectedByteCount == bytes.count)
            #expect(response.mimeType == "image/jpeg" && response.url == server.url("/a.jpg?x=1"))
            #expect(response.headers.values("X-TWO") == ["1", "2"])
            let request = try #require(server.requests.first)
            #expect(request.method == "GET" && request.headers["X-Own"] == "a")
            #expect(request.headers["User-Agent"] == "Tessera" && request.headers["Accept-Encoding"] == "identity")
        }
    }

    @Test(
        "Paths are requested as they are written, whether or not they are UTF-8",
        arguments: [
            "/a%FFb.png", "/%C3%28/x.png?q=%FE&r=a%20b", "/b%C3%A4r.png", "/%E2%82", "/a%2Fb%25.png", "/a.png?q=%FF%20",
        ])
    func requestsPathsAsWritten(_ path: String) async throws {
        try await withServer { server async throws in
            server.respond(path, .bytes(bytes))
            server.respond("/", .bytes([1]))
            server.respond("/redirected", .status(302, headers: ["Location": path]))
            // Also on a connection that is there already, and among other paths.
            for target in [path, "/redirected", path] { #expect(try await load(server.url(target)).1 == bytes) }
            #expect(try await load(server.url("/")).1 == [1])
            #expect(server.requests.map(\.path) == [path, "/redirected", path, path, "/"])
            #expect(server.requests.allSatisfy { $0.headers["Tessera-Target"] == nil })
        }
    }

    @Test("Chunked and slow bodies are loaded")
    func loadsChunkedAndSlowBodies() async throws {
        try await withServer { server async throws in
            server.respond("/a", .bytes(bytes).chunked())
            let (response, received) = try await load(server.url("/a"))
            #expect(received == bytes && response.expectedByteCount == nil)
            server.respond("/b", .throttled(bytes, pieceByteCount: 9000, pause: .milliseconds(1)))
            #expect(try await load(server.url("/b")).1 == bytes)
        }
    }

    @Test("Chunks are delivered as they arrive")
    func deliversPiecesAsTheyArrive() async throws {
        try await withServer { server async throws in
            let held = server.hold("/a", byteCount: 3)
            let download = try await loader.load(DataRequest(url: server.url("/a")))
            var pieces = download.body.makeAsyncIterator()
            // Each is sent after the one before has arrived.
            for byte in [1, 2, 3] as [UInt8] {
                held.send([byte])
                #expect(try await pieces.next() == Data([byte]))
            }
            held.finish()
            #expect(try await pieces.next() == nil)
        }
    }

    @Test("A body that nobody reads stops the sender, and comes whole once it is read")
    func stopsTheSenderOfAnUnreadBody() async throws {
        let server = try LongAnswer(byteCount: 64 << 20)
        let download = try await loader.load(DataRequest(url: server.url))
        var pieces = download.body.makeAsyncIterator()
        var count = try await pieces.next()?.count ?? 0
        var (sent, before) = (0, -1)
        while sent != before {
            (before, sent) = (sent, server.sentByteCount)
            try await Task.sleep(for: .milliseconds(500))
        }
        // What the system keeps for two sockets, and what the transfer does.
        #expect(sent > 0 && sent < 32 << 20)
        while let piece = try await pieces.next() {
            // Each byte says where it is.
            for (index, byte) in zip(count..., piece) where byte != UInt8(truncatingIfNeeded: index >> 12) {
                Issue.record("byte \(index) is \(byte)")
                return
            }
            count += piece.count
        }
        #expect(count == 64 << 20)
    }

    @Test("Interim responses come before the one that counts")
    func skipsInterimResponses() async throws {
        let answer =
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 200 OK\r\nX-Own: 1\r\nContent-Length: 2\r\n\r\nhi"
        let server = try LongAnswer(text: answer)
        let (response, received) = try await load(server.url)
        #expect(response.statusCode == 200 && received == Array("hi".utf8))
        #expect(response.headers["X-Own"] == "1" && response.headers["Link"] == nil)
    }

    @Test("A header without end is refused", arguments: ["X-Many: 1\r\n", "X"])
    func refusesEndlessHeaders(_ piece: String) async throws {
        let server = try LongAnswer(text: "HTTP/1.1 200 OK\r\n" + String(repeating: piece, count: 1 << 20))
        let refusal = try #require(try await failure(server.url))
        #expect(refusal.reason == .invalidResponse, "\(refusal)")
    }

    @Test("A certificate that nobody vouches for is refused", .needs(SecureServer.tool))
    func refusesUnknownCertificates() async throws {
        let server = try SecureServer()
        let refusal = try #require(try await failure(server.url))
        #expect(refusal.reason == .insecure && refusal.message.contains("certificate"), "\(refusal)")
        // A server without TLS.
        let plain = try await withServer { server async throws in
            let url = server.url("/a").absoluteString.replacing("http:", with: "https:")
            return try await failure(try #require(URL(string: url)))
        }
        #expect(plain?.reason == .insecure)
    }

    @Test("Every status is a response")
    func leavesStatusesToOthers() async throws {
        try await withServer { server async throws in
            server.respond("/a", .bytes([1, 2], status: 503))
            #expect(try await load(server.url("/a")).0.statusCode == 503)
            #expect(try await load(server.url("/missing")).0.statusCode == 404)
        }
    }

    @Test("Many loads run concurrently")
    func loadsManyAtATime() async throws {
        try await withServer { server async throws in
            for number in 0..<100 {
                server.respond("/\(number)", .bytes([UInt8](repeating: UInt8(number), count: 5000)))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let received = try await load(server.url("/\(number)")).1
                        #expect(received == [UInt8](repeating: UInt8(number), count: 5000))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    // MARK: Redirections

    @Test("Redirections are followed")
    func followsRedirections() async throws {
        try await withServer { other async throws in
            try await withServer { server async throws in
                server.respond("/a", .redirect(to: "b/c", status: 301))
                server.respond("/b/c", .redirect(to: other.url("/d").absoluteString, status: 307))
                other.respond("/d", .bytes([4]))
                let (response, received) = try await load(
                    server.url("/a"), headers: ["Authorization": "me", "X-Own": "1"])
                #expect(received == [4] && response.url == other.url("/d"))
                #expect(server.requests.map { $0.headers["Authorization"] } == ["me", "me"])
                #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
                #expect(other.requests.map { $0.headers["X-Own"] } == ["1"])
            }
        }
    }

    @Test("Redirection loops end")
    func stopsGoingRoundInCircles() async throws {
        try await withServer { server async throws in
            server.respond("/a", .redirect(to: "/b"))
            server.respond("/b", .redirect(to: "/a"))
            #expect(try await failure(server.url("/a"))?.reason == .tooManyRedirects)
            #expect(server.requests.count == 11)
            server.respond("/c", .redirect(to: "file:///etc/hostname"))
            #expect(try await failure(server.url("/c"))?.reason == .invalidResponse)
        }
    }

    // MARK: Failures

    @Test("Broken transfers are reported")
    func reportsBrokenTransfers() async throws {
        try await withServer { server async throws in
            server.respond("/cut", .cut(bytes, after: 5000))
            #expect(try await failure(server.url("/cut"))?.reason == .connectionLost)
            server.respond("/long", .bytes(bytes).announcing(bytes.count + 1))
            #expect(try await failure(server.url("/long"))?.reason == .connectionLost)
            server.respond("/short", .bytes(bytes).announcing(10))
            #expect(try await load(server.url("/short")).1 == Array(bytes.prefix(10)))
            server.respond(
                "/chunks", TestReply(status: 200, headers: [:], announcedByteCount: nil) { _ in throw TestReply.Cut() })
            #expect(try await failure(server.url("/chunks"))?.reason == .connectionLost)
        }
    }

    @Test("A reset connection is distinguished from one that was never made")
    func tellsAConnectionThatWasResetFromOneThatNeverWas() async throws {
        let server = try ResettingServer()
        let lost = try #require(try await failure(server.url))
        #expect(lost.reason == .connectionLost && lost.message.contains("127.0.0.1"), "\(lost)")
        withExtendedLifetime(server) {}
    }

    @Test("A request is repeated when a reused connection fails", arguments: FickleServer.Fault.allCases)
    func asksAgainWhereAnOldConnectionFails(fault: FickleServer.Fault)
        async throws
    {
        let server = try FickleServer(fault)
        // On its own thread: when all tests wait for each other's, a connection is idle for longer than it is kept.
        try await withTaskExecutorPreference(ImageExecutor(width: 1)) { () async throws in
            // Each but the first is sent on the connection of the one before, and again on a new one.
            for requestCount in [1, 3, 5, 7] {
                #expect(try await load(server.url).1 == Array("hello".utf8))
                #expect(server.requestCount == requestCount)
            }
        }
        withExtendedLifetime(server) {}
    }

    @Test("A request is repeated only once", arguments: FickleServer.Fault.allCases) func asksAgainOnlyOnce(
        fault: FickleServer.Fault
    ) async throws {
        let server = try FickleServer(fault, isBroken: true)
        let failure = try await withTaskExecutorPreference(ImageExecutor(width: 1)) { () async throws in
            _ = try await load(server.url)
            return try #require(try await self.failure(server.url))
        }
        #expect(failure.reason == (fault == .surplus ? .invalidResponse : .connectionLost), "\(failure)")
        #expect(server.requestCount == 3 && server.connectionCount == 2)
        withExtendedLifetime(server) {}
    }

    @Test("Missing servers are reported")
    func reportsServersThatAreNotThere() async throws {
        let url = try await withServer { $0.url("/a") }
        let refusal = try #require(try await failure(url))
        #expect(refusal.reason == .cannotConnect)
        #expect(refusal.message == "there is no connection to 127.0.0.1: Connection refused")
    }

    @Test("The message for an unknown host names no types of other libraries")
    func unknownNames() async throws {
        let url = try await withServer { $0.url("/a") }
        let local = try #require(URL(string: url.absoluteString.replacing("127.0.0.1", with: "localhost")))
        let refused = try #require(try await failure(local))
        #expect(refused.message == "there is no connection to localhost: Connection refused")
        let nowhere = try #require(URL(string: "http://nowhere.invalid/a"))
        let unknown = try #require(try await failure(nowhere))
        #expect(unknown.reason == .cannotConnect && !unknown.message.contains("SocketAddress"), "\(unknown)")
    }

    @Test("Unrequested compression is refused as such, not as a damaged image")
    func unaskedEncoding() async throws {
        try await withServer { server async throws in
            server.respond("/a", .bytes(bytes, headers: ["Content-Encoding": "gzip"]))
            let refusal = try #require(try await failure(server.url("/a")))
            #expect(refusal.reason == .invalidResponse)
            #expect(
                refusal.message == "127.0.0.1 sent Content-Encoding: gzip, which the request didn't accept")
            server.respond("/b", .bytes(bytes, headers: ["Content-Encoding": "identity"]))
            #expect(try await load(server.url("/b")).1 == bytes)
            // Who asks for it gets it.
            let (_, received) = try await load(server.url("/a"), headers: ["Accept-Encoding": "gzip"])
            #expect(received == bytes)
        }
    }

    @Test("A silent server times out")
    func losesPatienceWithSilence() async throws {
        let loader = HTTPDataLoader(configuration: .init(idleTimeout: .milliseconds(50), proxies: .none))
        try await withServer { server async throws in
            _ = server.hold("/body", byteCount: 3)
            #expect(try await failure(server.url("/body"), loader)?.reason == .timedOut)
            let gate = TestGate()
            server.respond("/head") { _ in
                await gate.wait()
                return .bytes([1])
            }
            #expect(try await failure(server.url("/head"), loader)?.reason == .timedOut)
            gate.open()
        }
    }

    @Test("URLs and fields that aren't HTTP's are refused")
    func refusesWhatIsNotHTTP() async throws {
        for url in ["ftp://a.example/b", "file:///a", "data:,a", "http:///a", "/a"] {
            await #expect(throws: DataLoadingError.self) {
                try await loader.load(DataRequest(url: try #require(URL(string: url))))
            }
        }
        try await withServer { server async throws in
            #expect(
                try await failure(server.url("/a"), headers: ["X-Own": "a\r\nX-Other: b"])?.reason == .invalidRequest)
            for name in ["", "X Own", "X:Own", "X\nOwn", "Größe"] {
                #expect(try await failure(server.url("/a"), headers: [name: "a"])?.reason == .invalidRequest)
            }
            #expect(server.requests.isEmpty)
        }
    }

    // MARK: Cancelling

    @Test("Cancelling closes the connection")
    func cancellingClosesTheConnection() async throws {
        try await withServer { server async throws in
            let gate = TestGate()
            server.respond("/head") { _ in
                await gate.wait()
                return .bytes([1])
            }
            let head = Task { try await load(server.url("/head")) }
            await server.waitForRequests(1, "/head")
            head.cancel()
            await server.waitForClose("/head")
            await #expect(throws: CancellationError.self) { try await head.value }
            gate.open()

            let held = server.hold("/body", byteCount: 3)
            let (arrivals, arrival) = AsyncStream<Void>.makeStream()
            let body = Task {
                for try await _ in try await loader.load(DataRequest(url: server.url("/body"))).body { arrival.yield() }
                try Task.checkCancellation()
            }
            held.send([1])
            for await _ in arrivals { break }
            body.cancel()
            await server.waitForClose("/body")
            await #expect(throws: CancellationError.self) { try await body.value }
        }
    }

    @Test("Dropping a body closes the connection")
    func lettingGoOfABodyClosesTheConnection() async throws {
        try await withServer { server async throws in
            _ = server.hold("/unread", byteCount: 3)
            _ = try await loader.load(DataRequest(url: server.url("/unread"))).response
            await server.waitForClose("/unread")
            let held = server.hold("/begun", byteCount: 3)
            held.send([1])
            for try await _ in try await loader.load(DataRequest(url: server.url("/begun"))).body { break }
            await server.waitForClose("/begun")
        }
    }

    @Test("Bodies outlive their loader")
    func bodiesOutliveTheirLoader() async throws {
        try await withServer { server async throws in
            let held = server.hold("/a", byteCount: 2)
            let body = try await HTTPDataLoader(configuration: .init(proxies: .none)).load(
                DataRequest(url: server.url("/a"))
            ).body
            var pieces = body.makeAsyncIterator()
            held.send([1])
            #expect(try await pieces.next() == Data([1]))
            held.send([2])
            held.finish()
            #expect(try await pieces.next() == Data([2]))
            #expect(try await pieces.next() == nil)
        }
    }

    // MARK: Proxies

    @Test("Requests go through the proxy")
    func goesThroughTheProxy() async throws {
        try await withServer { server async throws in
            let proxy = HTTPProxy(host: "127.0.0.1", port: server.port, credentials: "me:secret")
            let loader = HTTPDataLoader(configuration: .init(proxies: HTTPProxySettings(proxy)))
            // The server here doesn't connect to others, so it refuses.
            let url = try #require(URL(string: "http://pictures.example:8080/a"))
            #expect(try await failure(url, loader)?.reason == .proxy)
            let request = try #require(server.requests.first)
            #expect(request.method == "CONNECT")
            #expect(request.headers["Proxy-Authorization"] == "Basic bWU6c2VjcmV0")
            // This machine's own are reached directly.
            server.respond("/a", .bytes([1]))
            #expect(try await load(server.url("/a"), loader).1 == [1])
        }
        let unusable = HTTPProxySettings(environment: ["http_proxy": "https://a:b@proxy.example"])
        let loader = HTTPDataLoader(configuration: .init(proxies: unusable))
        let refusal = try #require(try await failure(URL(string: "http://pictures.example/")!, loader))
        #expect(refusal.reason == .proxy && refusal.message == "the proxy https://…@proxy.example can't be used")
    }

    private func load(
        _ url: URL, _ loader: HTTPDataLoader? = nil, headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> (DataResponse, [UInt8]) {
        let download = try await (loader ?? self.loader).load(DataRequest(url: url, headers: headers))
        var bytes: [UInt8] = []
        for try await chunk in download.body { bytes += chunk }
        return (download.response, bytes)
    }

    private func failure(
        _ url: URL, _ loader: HTTPDataLoader? = nil, headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> DataTransportFailure? {
        do {
            _ = try await load(url, loader, headers: headers)
            return nil
        } catch DataLoadingError.transport(let failure) { return failure }
    }
}
#endif
