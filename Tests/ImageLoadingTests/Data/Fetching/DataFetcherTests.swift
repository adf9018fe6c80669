import ImageLoading
import ImageLoadingTestSupport
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Fetching data", .timeLimit(.minutes(15)))
struct DataFetcherTests {
    private let url = "http://a.example/1"
    private let loader = ScriptedDataLoader()
    private let clock = TestClock()
    private let lost = DataLoadingError.transport(DataTransportFailure(.connectionLost, "lost"))

    private var request: DataRequest { DataRequest(url: URL(string: url)!, headers: ["X-Own": "1"]) }

    private func fetcher(_ configuration: DataFetching = DataFetching(rateLimiter: nil)) -> DataFetcher {
        DataFetcher(loader: loader, configuration: configuration, clock: clock.clock, random: { 0.5 })
    }

    @Test("The response and its bytes are reported in order")
    func reportsResponseAndBytesInOrder() async throws {
        loader.answer(url, with: ScriptedAnswer(pieces: [Data([1, 2]), Data(), Data([3])]))
        let transcript = try await fetcher().transcript(request)
        #expect(transcript.events == ["200", "+2", "+1"] && transcript.bytes == [1, 2, 3])
        #expect(loader.loads[0].request.headers == ["X-Own": "1"])
    }

    @Test("Failures that may be temporary are retried")
    func triesAgainWhatMaySucceedNextTime() async throws {
        loader.answer(
            url, with: ScriptedAnswer(status: 503), .failure(lost), ScriptedAnswer(pieces: [Data([1])]))
        let transcript = try await fetcher().transcript(request)
        #expect(transcript.events == ["200", "+1"])
        #expect(clock.sleeps == [.milliseconds(250), .milliseconds(500)])
        // The bodies of refused responses are let go.
        #expect(loader.loadCount == 3 && loader.runningLoads.isEmpty)
    }

    @Test("The last failure is reported after the last attempt")
    func givesUpWithTheLastFailure() async throws {
        loader.answer(url, with: .failure(lost), .failure(lost), ScriptedAnswer(status: 502, pieces: [Data([1])]))
        let error = await #expect(throws: DataLoadingError.self) { try await fetcher().transcript(request) }
        #expect(error?.response?.statusCode == 502 && loader.loadCount == 3)
        #expect(error?.description == "the server answered 502 (bad gateway)")
    }

    @Test("Permanent failures aren't retried", arguments: [400, 403, 404, 410, 501, 304, 206, 302, 416])
    func failsAtOnceWhereTryingIsVain(status: Int) async throws {
        loader.answer(url, with: [1], status: status)
        await #expect(throws: DataLoadingError.self) { try await fetcher().transcript(request) }
        #expect(loader.loadCount == 1 && clock.sleeps.isEmpty)
    }

    @Test("The server's Retry-After is observed")
    func waitsAsLongAsTheServerAsks() async throws {
        loader.answer(
            url, with: ScriptedAnswer(status: 429, headers: ["Retry-After": "7"]), ScriptedAnswer(pieces: [Data([1])]))
        _ = try await fetcher().transcript(request)
        #expect(clock.sleeps == [.seconds(7)])
    }

    @Test("A transfer that can't be resumed starts over")
    func beginsAgainWhatCannotBeContinued() async throws {
        loader.answer(
            url, with: ScriptedAnswer(pieces: [Data([1, 2])], announcedByteCount: 3, error: lost),
            ScriptedAnswer(pieces: [Data([4, 5, 6])]))
        let transcript = try await fetcher().transcript(request)
        #expect(transcript.events == ["200", "+2", "restart", "200", "+3"] && transcript.bytes == [4, 5, 6])
        #expect(loader.loads[1].request.headers == ["X-Own": "1"])
    }

    @Test("Missing bytes are an error")
    func noticesMissingBytes() async throws {
        loader.answer(url, with: ScriptedAnswer(pieces: [Data([1, 2])], announcedByteCount: 3))
        let error = await #expect(throws: DataLoadingError.self) { try await fetcher().transcript(request) }
        #expect(error?.description == "the transfer ended after 2 of 3 bytes" && loader.loadCount == 3)
    }

    @Test("A body that is announced too large is refused before it is read")
    func refusesWhatIsTooLargeBeforeReading() async throws {
        let task = Task {
            var transcript = FetchTranscript()
            do {
                try await fetcher(DataFetching(rateLimiter: nil, maximumByteCount: 10)).fetch(request) {
                    transcript.note($0)
                }
            } catch DataLoadingError.tooLarge(let limit) { transcript.events.append("limit \(limit)") }
            return transcript.events
        }
        let load = await loader.nextLoad()
        load.respond(byteCount: 11)
        #expect(try await task.value == ["limit 10"])
        await load.waitForEnd()
        #expect(load.isCancelled && loader.loadCount == 1)
    }

    @Test("The size limit holds whatever length is announced")
    func countsWhateverLengthIsAnnounced() async throws {
        for announced in [5, 10] {
            loader.answer(
                url, with: ScriptedAnswer(pieces: [Data(count: 6), Data(count: 5)], announcedByteCount: announced))
            var transcript = FetchTranscript()
            do {
                try await fetcher(DataFetching(rateLimiter: nil, maximumByteCount: 10)).fetch(request) {
                    transcript.note($0)
                }
            } catch DataLoadingError.tooLarge { transcript.events.append("too large") }
            #expect(transcript.events == ["200", "+6", "too large"])
        }
        loader.answer(url, with: ScriptedAnswer(pieces: [Data(count: 6), Data(count: 4)]))
        let fits = try await fetcher(DataFetching(rateLimiter: nil, maximumByteCount: 10)).transcript(request)
        #expect(fits.bytes.count == 10)
    }

    @Test("A stored copy is revalidated by its version")
    func asksForAnotherVersionOnly() async throws {
        let metadata = DataCacheMetadata(
            entityTag: "W/\"1\"", lastModified: "yesterday", freshness: CacheFreshness(validatedAt: 0, lifetime: 0))
        // The length is that of what the client has.
        loader.answer(
            url, with: ScriptedAnswer(status: 304, announcedByteCount: 100), ScriptedAnswer(pieces: [Data([1])]))
        #expect(try await fetcher().transcript(request, conditionalOn: metadata).events == ["304"])
        #expect(try await fetcher().transcript(request, conditionalOn: metadata).events == ["200", "+1"])
        for load in loader.loads {
            #expect(load.request.headers["If-None-Match"] == "W/\"1\"")
            #expect(load.request.headers["If-Modified-Since"] == "yesterday")
        }
        let bare = DataCacheMetadata(freshness: CacheFreshness(validatedAt: 0, lifetime: 0))
        _ = try await fetcher().transcript(request, conditionalOn: bare)
        #expect(loader.loads[2].request.headers == ["X-Own": "1"])
    }

    @Test("The caller's Range field is left unchanged")
    func leavesTheCallersOwnRangesAlone() async throws {
        loader.answer(url, with: [1, 2], status: 206)
        var request = request
        request.headers["Range"] = "bytes=5-6"
        #expect(try await fetcher().transcript(request).events == ["206", "+2"])
    }

    // MARK: Authorisation

    @Test("Each request is authorised, and once more after a 401")
    func authorisesEachRequestAndOnceMoreWhenTurnedDown() async throws {
        let seen = Mutex<[Int?]>([])
        let configuration = DataFetching(rateLimiter: nil) { request, authorization in
            let count = seen.withLock { seen in
                seen.append(authorization.rejection?.statusCode)
                return seen.count
            }
            #expect(request.headers["Authorization"] == nil)
            request.headers["Authorization"] = "token \(count)"
        }
        loader.answer(
            url, with: ScriptedAnswer(status: 401), ScriptedAnswer(status: 503), ScriptedAnswer(pieces: [Data([1])]))
        #expect(try await fetcher(configuration).transcript(request).bytes == [1])
        #expect(loader.loads.map { $0.request.headers["Authorization"] } == ["token 1", "token 2", "token 3"])
        #expect(seen.withLock { $0 } == [nil, 401, nil])
    }

    @Test("A second 401 is final")
    func givesUpWhenTurnedDownAgain() async throws {
        loader.answer(url, with: [], status: 401)
        for (hook, count) in [(nil, 1), ({ @Sendable _, _ in }, 2)]
            as [((@Sendable (inout DataRequest, DataAuthorization) async throws -> Void)?, Int)]
        {
            let before = loader.loadCount
            let error = await #expect(throws: DataLoadingError.self) {
                try await fetcher(DataFetching(rateLimiter: nil, authorize: hook)).transcript(request)
            }
            guard case .unauthorized = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(loader.loadCount - before == count)
        }
    }

    @Test("A failure to authorise is reported")
    func failsAsAuthorisingDoes() async throws {
        struct Refused: Error {}
        let configuration = DataFetching(rateLimiter: nil) { _, _ in throw Refused() }
        await #expect(throws: Refused.self) { try await fetcher(configuration).transcript(request) }
        #expect(loader.loadCount == 0)
    }

    // MARK: Rate, local files, receivers, cancellation

    @Test("Every attempt counts towards the rate limit")
    func keepsToTheRateWithEveryAttempt() async throws {
        let limiter = RateLimiter(rate: 0.001, burst: 2, clock: clock.clock)
        loader.answer(
            url, with: ScriptedAnswer(status: 500), ScriptedAnswer(status: 500), ScriptedAnswer(pieces: [Data([1])]))
        _ = try await fetcher(DataFetching(rateLimiter: limiter)).transcript(request)
        #expect(clock.clock.now() > .seconds(990))
    }

    @Test("Files are neither retried nor limited in rate")
    func doesNothingOfTheKindForFiles() async throws {
        let limiter = RateLimiter(rate: 0.001, burst: 1, clock: clock.clock)
        let fetcher = fetcher(DataFetching(rateLimiter: limiter) { _, _ in Issue.record("asked") })
        loader.answer("file:///a", with: [1])
        loader.answer("data:,a", with: .failure(lost))
        for _ in 0..<3 { _ = try await fetcher.transcript(DataRequest(url: URL(string: "file:///a")!)) }
        await #expect(throws: DataLoadingError.self) {
            try await fetcher.transcript(DataRequest(url: URL(string: "data:,a")!))
        }
        #expect(clock.sleeps.isEmpty && loader.loadCount == 4)
    }

    @Test("A fetch ends when its receiver leaves")
    func stopsWhenItsReceiverDoes() async throws {
        loader.answer(url, with: ScriptedAnswer(pieces: [Data([1]), Data([2])]))
        await #expect(throws: DataLoadingError.self) {
            try await fetcher().fetch(request) { event in
                // Such a failure of the server's would be tried again.
                if case .data = event { throw lost }
            }
        }
        #expect(loader.loadCount == 1 && loader.loads[0].isCancelled)
    }

    @Test("A fetch can be cancelled at any point")
    func cancelsWhereverItIs() async throws {
        // Before the response.
        let first = Task { try await fetcher().transcript(request) }
        let load = await loader.nextLoad()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(load.isCancelled)
        // Between pieces.
        let second = Task { try await fetcher().transcript(request) }
        let body = await loader.nextLoad()
        await body.deliver([1])
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(body.isCancelled)
        // While it waits to try again.
        let held = TestClock(isHolding: true)
        let third = Task {
            try await DataFetcher(loader: loader, configuration: DataFetching(), clock: held.clock).transcript(request)
        }
        await loader.nextLoad().fail(lost)
        await held.waitForSleeps(1)
        third.cancel()
        await #expect(throws: CancellationError.self) { try await third.value }
        #expect(loader.loadCount == 3)
    }
}
