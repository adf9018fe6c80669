import ImageLoading
import ImageLoadingTestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The scripted loader")
struct ScriptedDataLoaderTests {
    @Test("A load waits until the test continues it")
    func holdsUntilTheTestGoesOn() async throws {
        let loader = ScriptedDataLoader()
        async let received = collect(loader, "http://a/1")
        let load = await loader.nextLoad("http://a/1")
        #expect(load.isRunning && loader.runningLoads.count == 1)
        load.respond(byteCount: 3)
        await load.deliver([1])
        await load.deliver([2, 3])
        #expect(load.isRunning)
        load.finish()
        await load.waitForEnd()
        #expect(try await received == [[1], [2, 3]])
        #expect(!load.isRunning && !load.isCancelled)
    }

    @Test("A load notices that its receiver has left")
    func seesTheReceiverGo() async throws {
        let loader = ScriptedDataLoader()
        let beforeResponse = Task { try await collect(loader, "http://a/1") }
        let first = await loader.nextLoad()
        beforeResponse.cancel()
        await first.waitForEnd()
        #expect(first.isCancelled)
        let inBody = Task { try await collect(loader, "http://a/2") }
        let second = await loader.nextLoad()
        await second.deliver([1])
        inBody.cancel()
        await second.waitForEnd()
        #expect(second.isCancelled)
        let dropped = Task { _ = try await loader.load(DataRequest(url: URL(string: "http://a/3")!)) }
        let third = await loader.nextLoad()
        third.respond()
        try await dropped.value
        await third.waitForEnd()
        #expect(loader.cancelledLoads.map(\.url) == ["http://a/1", "http://a/2", "http://a/3"])
    }

    @Test("Answers are given in order")
    func answersInTurn() async throws {
        struct Failure: Error {}
        let loader = ScriptedDataLoader()
        loader.answer(
            "http://a/1", with: .failure(Failure()), ScriptedAnswer(pieces: [Data([1])], error: Failure()),
            ScriptedAnswer(pieces: [Data([1]), Data([2])]))
        await #expect(throws: Failure.self) { try await collect(loader, "http://a/1") }
        await #expect(throws: Failure.self) { try await collect(loader, "http://a/1") }
        #expect(try await collect(loader, "http://a/1") == [[1], [2]])
        #expect(try await collect(loader, "http://a/1") == [[1], [2]])
        #expect(loader.loadCount("http://a/1") == 4 && loader.runningLoads.isEmpty && loader.cancelledLoads.isEmpty)
    }

    private func collect(_ loader: ScriptedDataLoader, _ url: String) async throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        for try await piece in try await loader.load(DataRequest(url: URL(string: url)!)).body {
            pieces.append([UInt8](piece))
        }
        return pieces
    }
}
