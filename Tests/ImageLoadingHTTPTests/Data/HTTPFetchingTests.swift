#if HTTP
import ImageLoading
import ImageLoadingTestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What `DataFetcher` makes of a real server's ways.
@Suite("Fetching from a real server", .timeLimit(.minutes(15)))
struct HTTPFetchingTests {
    private let loader = HTTPDataLoader(configuration: .init(proxies: .none))
    private let clock = TestClock(start: 784_111_777)
    private let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    private let other = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 17) }

    private func fetcher(_ configuration: DataFetching = DataFetching(rateLimiter: nil)) -> DataFetcher {
        DataFetcher(loader: loader, configuration: configuration, clock: clock.clock)
    }

    @Test("Interrupted transfers are resumed")
    func continuesTransfersThatBreakOff() async throws {
        try await withServer { server async throws in
            var file = TestFile(bytes, type: "image/png", entityTag: "\"1\"")
            file.cutsAfter = 90_000
            server.serve("/a", file)
            // What the server has written needn't have left it when the connection is closed.
            let fetcher = fetcher(DataFetching(retry: RetryPolicy(maximumAttempts: 50), rateLimiter: nil))
            let transcript = try await fetcher.transcript(DataRequest(url: server.url("/a")))
            #expect(transcript.bytes == bytes && !transcript.events.contains("restart"))
            #expect(transcript.response?.expectedByteCount == bytes.count)
            let requests = server.requests("/a")
            #expect(requests.count >= 3)
            #expect(requests[0].headers["Range"] == nil && requests[0].headers["If-Range"] == nil)
            for request in requests.dropFirst() {
                #expect(request.headers["Range"] != nil && request.headers["If-Range"] == "\"1\"")
            }
        }
    }

    @Test("A transfer that was cancelled before is resumed")
    func continuesWhatWasCancelledBefore() async throws {
        try await withServer { server async throws in
            let held = HeldBody()
            server.respond(
                "/a", .held(held, byteCount: bytes.count, headers: ["ETag": "\"1\"", "Accept-Ranges": "bytes"]))
            let store = ResumableDataStore()
            let fetcher = fetcher(DataFetching(rateLimiter: nil, resumableData: store))
            let request = DataRequest(url: server.url("/a"))
            let (arrivals, arrival) = AsyncStream<Void>.makeStream()
            let task = Task {
                try await fetcher.fetch(request) { event in
                    if case .data = event { arrival.yield() }
                }
            }
            held.send(bytes.prefix(100))
            for await _ in arrivals { break }
            task.cancel()
            await server.waitForClose("/a")
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(store.byteCount == 100)
            server.serve("/a", TestFile(bytes, entityTag: "\"1\""))
            let transcript = try await fetcher.transcript(request)
            #expect(transcript.bytes == bytes && transcript.events.prefix(2) == ["200", "+100"])
            #expect(server.requests("/a").last?.headers["Range"] == "bytes=100-")
        }
    }

    @Test("A new version starts over")
    func beginsAgainWhenTheVersionChanges() async throws {
        for ignoresIfRange in [false, true] {
            try await withServer { server async throws in
                var old = TestFile(bytes, entityTag: "\"1\"")
                old.cutsAfter = 1000
                var new = TestFile(other, entityTag: "\"2\"")
                new.ignoresIfRange = ignoresIfRange
                server.respond("/a") { [unowned server, old, new] request in
                    (server.requests("/a").count == 1 ? old : new).reply(to: request)
                }
                let transcript = try await fetcher().transcript(DataRequest(url: server.url("/a")))
                #expect(transcript.bytes == other && transcript.events.count { $0 == "restart" } == 1)
                // A server that sends parts of whatever it has is asked for the whole.
                #expect(server.requests("/a").count == (ignoresIfRange ? 3 : 2))
            }
        }
    }

    @Test("A server without ranges starts over")
    func beginsAgainWhereNoPartsAreServed() async throws {
        try await withServer { server async throws in
            server.respond("/a", inTurn: .cut(bytes, after: 1000), .bytes(bytes))
            let transcript = try await fetcher().transcript(DataRequest(url: server.url("/a")))
            #expect(transcript.bytes == bytes && transcript.events.contains("restart"))
        }
    }

    @Test("A file that became shorter starts over")
    func beginsAgainWhereTheFileBecameShorter() async throws {
        try await withServer { server async throws in
            var old = TestFile(bytes, entityTag: "\"1\"")
            old.cutsAfter = 160_000
            // Of the same name, against all rules: so it has no such part.
            let new = TestFile(other, entityTag: "\"1\"")
            server.respond("/a") { [unowned server, old] request in
                (server.requests("/a").count == 1 ? old : new).reply(to: request)
            }
            let transcript = try await fetcher().transcript(DataRequest(url: server.url("/a")))
            #expect(transcript.bytes == other)
            #expect(server.requests("/a").count == 3)
        }
    }

    @Test("A 304 confirms the stored copy")
    func hearsThatNothingHasChanged() async throws {
        try await withServer { server async throws in
            let file = TestFile(
                bytes, type: "image/png", entityTag: "\"1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
                cacheControl: "max-age=60")
            server.serve("/a", file)
            let request = DataRequest(url: server.url("/a"))
            let first = try await fetcher().transcript(request)
            let metadata = DataCacheMetadata(response: try #require(first.response), receivedAt: 0)
            #expect(metadata.entityTag == "\"1\"" && metadata.mimeType == "image/png" && metadata.hasValidator)
            #expect(metadata.url == server.url("/a").absoluteString)
            let second = try await fetcher().transcript(request, conditionalOn: metadata)
            #expect(second.events == ["304"])
            server.serve("/a", TestFile(other, entityTag: "\"2\""))
            let third = try await fetcher().transcript(request, conditionalOn: metadata)
            #expect(third.bytes == other)
        }
    }

    @Test("A 401 leads to authorisation")
    func authorisesWhereTheServerAsksForIt() async throws {
        try await withServer { server async throws in
            server.respond("/a") { request in
                request.headers["Authorization"] == "token"
                    ? .bytes([1]) : .status(401, headers: ["WWW-Authenticate": "Test"])
            }
            let configuration = DataFetching(rateLimiter: nil) { request, authorization in
                if authorization.rejection?.headers["WWW-Authenticate"] == "Test" {
                    request.headers["Authorization"] = "token"
                }
            }
            #expect(try await fetcher(configuration).transcript(DataRequest(url: server.url("/a"))).bytes == [1])
            #expect(server.requests("/a").count == 2)
            // Several at a time, each on its own.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        _ = try await fetcher(configuration).transcript(DataRequest(url: server.url("/a")))
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.requests("/a").count == 42)
        }
    }

    @Test("Busy servers are retried after their delay")
    func waitsForBusyServers() async throws {
        try await withServer { server async throws in
            server.respond(
                "/a",
                inTurn: .status(429, headers: ["Retry-After": "20"]),
                .status(503, headers: ["Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"]), .bytes([1]))
            let transcript = try await fetcher().transcript(DataRequest(url: server.url("/a")))
            #expect(transcript.bytes == [1])
            // By the second answer 20 of the 30 seconds until then have passed.
            #expect(clock.sleeps == [.seconds(20), .seconds(10)])
        }
    }

    @Test("Requests are retried until the server is there")
    func triesAgainUntilTheServerIsThere() async throws {
        let url = try await withServer { $0.url("/a") }
        let error = await #expect(throws: DataLoadingError.self) {
            try await fetcher().transcript(DataRequest(url: url))
        }
        guard case .transport(let failure) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason == .cannotConnect && clock.sleeps.count == 2)
    }

    @Test("A body beyond the limit isn't read to its end")
    func stopsReadingWhatIsTooLarge() async throws {
        try await withServer { server async throws in
            let configuration = DataFetching(rateLimiter: nil, maximumByteCount: 1000)
            for path in ["/announced", "/endless"] {
                let held = server.hold(path, byteCount: path == "/announced" ? 1001 : nil)
                // Not all that was announced: the connection would be kept for the next request.
                held.send(bytes.prefix(path == "/announced" ? 500 : 1001))
                let error = await #expect(throws: DataLoadingError.self) {
                    try await fetcher(configuration).transcript(DataRequest(url: server.url(path)))
                }
                guard case .tooLarge(1000) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                await server.waitForClose(path)
                #expect(server.requests(path).count == 1)
            }
        }
    }
}
#endif
