import ImageLoading
import ImageLoadingTestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Resuming transfers", .timeLimit(.minutes(15)))
struct DataResumingTests {
    private let url = "http://a.example/1"
    private let loader = ScriptedDataLoader()
    private let store = ResumableDataStore()
    private let lost = DataLoadingError.transport(DataTransportFailure(.connectionLost, "lost"))
    private let version: HTTPHeaders = ["Accept-Ranges": "bytes", "ETag": "\"1\"", "Content-Type": "image/png"]

    private var request: DataRequest { DataRequest(url: URL(string: url)!) }

    private func fetcher(
        retry: RetryPolicy = RetryPolicy(), store: ResumableDataStore? = nil, limit: Int? = nil
    ) -> DataFetcher {
        DataFetcher(
            loader: loader,
            configuration: DataFetching(
                retry: retry, rateLimiter: nil, resumableData: store ?? self.store, maximumByteCount: limit),
            clock: TestClock().clock)
    }

    /// The first four of six bytes, and then no more.
    private func broken(_ headers: HTTPHeaders? = nil) -> ScriptedAnswer {
        ScriptedAnswer(
            headers: headers ?? version, pieces: [Data([1, 2]), Data([3, 4])], announcedByteCount: 6, error: lost)
    }

    private func part(_ range: String, _ bytes: [UInt8], tag: String? = "\"1\"") -> ScriptedAnswer {
        var headers: HTTPHeaders = ["Content-Range": range, "X-New": "1"]
        headers["ETag"] = tag
        return ScriptedAnswer(status: 206, headers: headers, pieces: [Data(bytes)])
    }

    private func ranges() -> [String?] { loader.loads.map { $0.request.headers["Range"] } }

    @Test("A retry resumes the transfer")
    func continuesWhenTryingAgain() async throws {
        loader.answer(url, with: broken(), part("bytes 4-5/6", [5, 6]))
        let transcript = try await fetcher().transcript(request)
        #expect(transcript.events == ["200", "+2", "+2", "+2"] && transcript.bytes == [1, 2, 3, 4, 5, 6])
        #expect(ranges() == [nil, "bytes=4-"] && loader.loads[1].request.headers["If-Range"] == "\"1\"")
        #expect(store.count == 0)
    }

    @Test("A transfer can be resumed several times")
    func continuesSeveralTimes() async throws {
        var second = part("bytes 4-5/6", [5])
        second.error = lost
        loader.answer(url, with: broken(), second, part("bytes 5-5/6", [6]))
        #expect(try await fetcher().transcript(request).bytes == [1, 2, 3, 4, 5, 6])
        #expect(ranges() == [nil, "bytes=4-", "bytes=5-"])
    }

    @Test("A fetch resumes what an earlier one has left")
    func continuesWhatAnEarlierFetchLeft() async throws {
        loader.answer(url, with: broken(), part("bytes 4-5/6", [5, 6]))
        await #expect(throws: DataLoadingError.self) { try await fetcher(retry: .never).transcript(request) }
        #expect(store.count == 1 && store.byteCount == 4)
        let transcript = try await fetcher(retry: .never).transcript(request)
        #expect(transcript.events == ["200", "+4", "+2"] && transcript.bytes == [1, 2, 3, 4, 5, 6])
        // What is said of the whole, and what is new in it.
        let response = try #require(transcript.response)
        #expect(response.expectedByteCount == 6 && response.mimeType == "image/png")
        #expect(response.headers["X-New"] == "1" && response.headers["Content-Range"] == nil)
        #expect(store.count == 0 && store.byteCount == 0)
    }

    @Test("A cancelled transfer is resumed")
    func continuesWhatWasCancelled() async throws {
        let task = Task { try await fetcher().transcript(request) }
        let load = await loader.nextLoad()
        load.respond(headers: version, byteCount: 6)
        await load.deliver([1, 2, 3])
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        loader.answer(url, with: part("bytes 3-5/6", [4, 5, 6]))
        #expect(try await fetcher().transcript(request).bytes == [1, 2, 3, 4, 5, 6])
    }

    @Test("Partial data stays when resuming fails")
    func keepsWhatIsThereWhenContinuingFails() async throws {
        loader.answer(url, with: broken(), .failure(lost), ScriptedAnswer(status: 503), part("bytes 4-5/6", [5, 6]))
        for _ in 0..<3 {
            await #expect(throws: DataLoadingError.self) { try await fetcher(retry: .never).transcript(request) }
            #expect(store.byteCount == 4)
        }
        #expect(try await fetcher(retry: .never).transcript(request).bytes == [1, 2, 3, 4, 5, 6])
    }

    @Test("A new version starts over")
    func beginsAgainWithANewVersion() async throws {
        let new = ScriptedAnswer(headers: ["ETag": "\"2\""], pieces: [Data([7, 8])])
        loader.answer(url, with: broken(), new)
        let transcript = try await fetcher().transcript(request)
        #expect(transcript.events == ["200", "+2", "+2", "restart", "200", "+2"] && transcript.bytes == [7, 8])
        // Nobody has heard of the old one yet.
        loader.answer(url, with: broken(), new)
        await #expect(throws: DataLoadingError.self) { try await fetcher(retry: .never).transcript(request) }
        #expect(try await fetcher(retry: .never).transcript(request).events == ["200", "+2"])
    }

    @Test(
        "A part that doesn't fit makes it fetch the whole",
        arguments: [
            "bytes 3-5/6", "bytes 5-5/6", "bytes 4-6/7", "bytes */6", "bytes 4-5", "bytes 5-4/6", "items 4-5/6",
            "bytes 4-9/6",
            "bytes -4-5/6", "bytes 4-99999999999999999999/6", "",
        ])
    func asksForTheWholeAfterAPartThatDoesNotFit(range: String) async throws {
        loader.answer(url, with: broken(), part(range, [9, 9]), ScriptedAnswer(pieces: [Data([7, 8])]))
        let transcript = try await fetcher().transcript(request)
        #expect(transcript.events == ["200", "+2", "+2", "restart", "200", "+2"] && transcript.bytes == [7, 8])
        #expect(ranges() == [nil, "bytes=4-", nil])
    }

    @Test("A part of another version makes it fetch the whole", arguments: ["\"2\"", "W/\"1\"", nil])
    func asksForTheWholeAfterAPartOfAnotherVersion(tag: String?) async throws {
        loader.answer(
            url, with: broken(), part("bytes 4-5/6", [9, 9], tag: tag), ScriptedAnswer(pieces: [Data([7, 8])]))
        #expect(try await fetcher().transcript(request).bytes == [7, 8])
        #expect(ranges() == [nil, "bytes=4-", nil])
    }

    @Test("A 416 answer makes it fetch the whole")
    func asksForTheWholeWhereThereIsNoSuchPart() async throws {
        loader.answer(url, with: broken(), ScriptedAnswer(status: 416), ScriptedAnswer(pieces: [Data([7])]))
        let transcript = try await fetcher(retry: RetryPolicy(maximumAttempts: 2)).transcript(request)
        #expect(transcript.bytes == [7] && transcript.events.contains("restart"))
        // From an earlier fetch: with no attempt to spare.
        loader.answer(url, with: broken(), ScriptedAnswer(status: 416), ScriptedAnswer(pieces: [Data([7])]))
        await #expect(throws: DataLoadingError.self) { try await fetcher(retry: .never).transcript(request) }
        #expect(try await fetcher(retry: .never).transcript(request).events == ["200", "+1"])
        #expect(store.count == 0)
    }

    @Test(
        "Data without a reliable version isn't resumed",
        arguments: [
            [:], ["ETag": "\"1\""], ["Accept-Ranges": "bytes"], ["Accept-Ranges": "none", "ETag": "\"1\""],
            ["Accept-Ranges": "bytes", "ETag": "W/\"1\""], ["Accept-Ranges": "bytes", "ETag": "1"],
            ["Accept-Ranges": "bytes", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
            // It may have changed again in the same second.
            [
                "Accept-Ranges": "bytes", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Date": "Sun, 06 Nov 1994 08:49:50 GMT",
            ],
            ["Accept-Ranges": "bytes", "Last-Modified": "recently", "Date": "Sun, 06 Nov 1994 08:49:50 GMT"],
        ] as [HTTPHeaders])
    func continuesNothingOfDoubtfulVersion(headers: HTTPHeaders) async throws {
        loader.answer(url, with: broken(headers), ScriptedAnswer(pieces: [Data([7])]))
        #expect(try await fetcher().transcript(request).bytes == [7])
        loader.answer(url, with: broken(headers))
        await #expect(throws: DataLoadingError.self) { try await fetcher(retry: .never).transcript(request) }
        #expect(ranges() == [nil, nil, nil] && store.count == 0)
    }

    @Test("A Last-Modified date identifies the version")
    func continuesByDate() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        loader.answer(
            url,
            with: broken(["Accept-Ranges": "bytes", "Last-Modified": date, "Date": "Sun, 06 Nov 1994 08:50:37 GMT"]),
            part("bytes 4-5/6", [5, 6], tag: nil))
        #expect(try await fetcher().transcript(request).bytes == [1, 2, 3, 4, 5, 6])
        #expect(loader.loads[1].request.headers["If-Range"] == date)
    }

    @Test("Responses that must not be stored aren't kept")
    func doesNotKeepWhatMustNotBeKept() async throws {
        var headers = version
        headers["Cache-Control"] = "no-store"
        loader.answer(url, with: broken(headers))
        await #expect(throws: DataLoadingError.self) { try await fetcher(retry: .never).transcript(request) }
        #expect(store.count == 0)
        // Within a fetch nothing is kept.
        loader.answer(url, with: broken(headers), part("bytes 4-5/6", [5, 6]))
        #expect(try await fetcher().transcript(request).bytes == [1, 2, 3, 4, 5, 6])
    }

    @Test("The newest partial data is kept, within its limits")
    func keepsTheNewestWithinItsBounds() async throws {
        let small = ResumableDataStore(maximumByteCount: 9, maximumCount: 3)
        func leave(_ path: String, _ count: Int) async {
            let url = "http://a.example/\(path)"
            loader.answer(
                url,
                with: ScriptedAnswer(
                    headers: version, pieces: [Data(count: count)], announcedByteCount: 99, error: lost))
            _ = try? await fetcher(retry: .never, store: small).transcript(DataRequest(url: URL(string: url)!))
        }
        await leave("a", 4)
        await leave("b", 5)
        #expect(small.count == 2 && small.byteCount == 9)
        await leave("c", 2)
        #expect(small.count == 2 && small.byteCount == 7)
        await leave("d", 10)
        #expect(small.count == 2 && small.byteCount == 7)
        await leave("e", 1)
        await leave("f", 1)
        #expect(small.count == 3 && small.byteCount == 4)
        small.removeAll()
        #expect(small.count == 0 && small.byteCount == 0)
    }

    @Test("The size limit counts the part from before")
    func limitsTheWholeOfWhatIsContinued() async throws {
        loader.answer(url, with: broken(), part("bytes 4-5/6", [5, 6]))
        await #expect(throws: DataLoadingError.self) { try await fetcher(retry: .never).transcript(request) }
        let error = await #expect(throws: DataLoadingError.self) { try await fetcher(limit: 5).transcript(request) }
        guard case .tooLarge(5) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A new version's own partial data is resumed")
    func continuesANewVersionThatWasAskedFor() async throws {
        let metadata = DataCacheMetadata(entityTag: "\"0\"", freshness: CacheFreshness(validatedAt: 0, lifetime: 0))
        loader.answer(url, with: broken(), part("bytes 4-5/6", [5, 6]))
        #expect(try await fetcher().transcript(request, conditionalOn: metadata).bytes == [1, 2, 3, 4, 5, 6])
        #expect(loader.loads.map { $0.request.headers["If-None-Match"] } == ["\"0\"", nil])
    }
}
