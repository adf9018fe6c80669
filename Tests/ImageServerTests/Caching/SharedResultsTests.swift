#if HTTP
import Foundation
import ImageLoading
import ImageServer
import Synchronization
import TestSupport
import Testing

@Suite("Results in a bucket")
struct SharedResultsTests {
    private let server: BucketServer
    private let results: SharedResults

    init() throws {
        server = try BucketServer()
        results = try Self.results(server)
    }

    private static func results(
        _ server: BucketServer, _ prefix: String = "s3://renders/r", settings: String = "1"
    ) throws -> SharedResults {
        SharedResults(try S3Address(prefix), settings: settings, store: server.configuration)
    }

    private static func picture(_ text: String) -> RenderedPicture {
        RenderedPicture(mediaType: "image/webp", bytes: Array(text.utf8))
    }

    /// Hits, misses, written and failed ones.
    private static func counts(_ results: SharedResults) -> [Int] {
        let counts = results.counts
        return [counts.hitCount, counts.missCount, counts.writtenCount, counts.failureCount]
    }

    private func store(_ groups: [String]) async {
        for group in groups {
            for name in ["small", "large"] { results.store(Self.picture(name), "\(group) \(name)", of: group) }
            await results.flush()
        }
    }

    @Test("A response is read by every server with the same settings, and by no other")
    func readsWhatOthersWrote() async throws {
        results.store(Self.picture("pixels"), "a.png 1 w=20", of: "a.png")
        await results.flush()
        let other = try Self.results(server)
        let found = try #require(await other.picture("a.png 1 w=20", of: "a.png"))
        #expect(found.mediaType == "image/webp" && found.bytes.array == Array("pixels".utf8))
        #expect(await other.picture("a.png 2 w=20", of: "a.png") == nil)
        #expect(await other.picture("a.png 1 w=20", of: "b.png") == nil)
        #expect(await (try Self.results(server, settings: "2")).picture("a.png 1 w=20", of: "a.png") == nil)
        #expect(await (try Self.results(server, "s3://renders/q")).picture("a.png 1 w=20", of: "a.png") == nil)
        #expect(Self.counts(results) == [0, 0, 1, 0])
        #expect(Self.counts(other) == [1, 2, 0, 0])
    }

    @Test("A store that fails, refuses or sends other bytes counts as empty", arguments: [500, 503, 403, 200])
    func countsFailures(status: Int) async throws {
        results.store(Self.picture("pixels"), "a", of: "a.png")
        await results.flush()
        if status == 200 {
            // The entity tag is the MD5 of other bytes.
            server.change("renders") { $0.tag = "\"5d41402abc4b2a76b9719d911017c592\"" }
        } else {
            server.fail { _ in BucketServer.error(status, "Code") }
            results.store(Self.picture("pixels"), "b", of: "a.png")
            await results.flush()
        }
        #expect(await results.picture("a", of: "a.png") == nil)
        #expect(Self.counts(results) == [0, 0, 1, status == 200 ? 1 : 2])
    }

    private static let groups = [
        "a.png", "a.png.png", "b/a.png", "b/a/c.png", "b.png", "b%2Fa.png", "ä b/&<ö>.png",
        "https://example.org/x/a.jpg?b=c/d",
    ]

    @Test(
        "The results of an image or of a folder are deleted, and no others",
        arguments: [
            (SignedPrefix(image: "a.png"), ["a.png"]), (SignedPrefix(image: "b"), []),
            (SignedPrefix(folder: "b"), ["b/a.png", "b/a/c.png"]), (SignedPrefix(folder: "b/a"), ["b/a/c.png"]),
            (SignedPrefix(image: "b%2Fa.png"), ["b%2Fa.png"]), (SignedPrefix(folder: "ä b"), ["ä b/&<ö>.png"]),
            (SignedPrefix(image: "https://example.org/x/a.jpg?b=c/d"), ["https://example.org/x/a.jpg?b=c/d"]),
            (SignedPrefix(folder: "https:/"), ["https://example.org/x/a.jpg?b=c/d"]), (.everything, groups),
        ] as [(SignedPrefix, [String])])
    func deletes(_ prefix: SignedPrefix, _ expected: [String]) async throws {
        await store(Self.groups)
        let foreign = ["renders/r/a.png", "renders/r/a.png/notes", "renders/other", "renders/ra.png/x"]
        for name in foreign { server[name] = [1] }
        #expect(try await results.removeAll(of: prefix) == 2 * expected.count)
        for group in Self.groups {
            let found = await results.picture("\(group) small", of: group)
            #expect((found == nil) == expected.contains(group), "\(group)")
        }
        #expect(server.names(in: "renders").count == 2 * (Self.groups.count - expected.count) + foreign.count)
        #expect(try await results.removeAll(of: prefix) == 0)
    }

    @Test("A whole bucket can be the place of results")
    func wholeBucket() async throws {
        let results = try Self.results(server, "s3://renders/")
        results.store(Self.picture("pixels"), "a", of: "b/a.png")
        await results.flush()
        #expect(server.names(in: "renders").first?.hasPrefix("renders/b%2Fa.png/") == true)
        #expect(try await results.removeAll(of: SignedPrefix(folder: "b")) == 1)
    }

    @Test("A deletion waits for what is being written, and nothing is written after it that isn't current")
    func deletesWhatIsBeingWritten() async throws {
        let isHeld = Atomic(true)
        server.fail { request in
            while request.method == "PUT", isHeld.load(ordering: .relaxed) { usleep(1000) }
            return nil
        }
        results.store(Self.picture("pixels"), "a", of: "a.png")
        async let count = results.removeAll(of: .everything)
        try await Task.sleep(for: .milliseconds(20))
        isHeld.store(false, ordering: .relaxed)
        #expect(try await count == 1)
        results.store(Self.picture("pixels"), "a", of: "a.png", if: { false })
        await results.flush()
        #expect(server.names(in: "renders").isEmpty)
    }

    @Test("A deletion that fails is an error, and can be repeated", arguments: ["GET", "DELETE"])
    func failedDeletion(_ method: String) async throws {
        await store(["a.png"])
        server.fail { $0.method == method ? BucketServer.error(503, "SlowDown") : nil }
        await #expect(throws: (any Error).self) { try await results.removeAll(of: .everything) }
        server.fail(nil)
        #expect(try await results.removeAll(of: .everything) == 2)
    }

    @Test("An image whose name is too long for a key has no shared results")
    func longNames() async throws {
        let name = String(repeating: "abcdefgh/", count: 110) + "a.png"
        await store([name])
        #expect(await results.picture("\(name) small", of: name) == nil)
        #expect(try await results.removeAll(of: SignedPrefix(image: name)) == 0)
        #expect(server.requests.isEmpty && Self.counts(results) == [0, 0, 0, 0])
    }
}
#endif
