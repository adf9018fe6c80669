import ImageLoading
import TestSupport
import Testing

@Suite("The system's memory pressure", .timeLimit(.minutes(15)))
struct SystemMemoryPressureTests {
    private static func meminfo(available: Int) -> String { "MemTotal: 1000 kB\nMemAvailable: \(available) kB\n" }

    private static func source(_ system: FakeSystem) -> SystemMemoryPressure {
        SystemMemoryPressure(root: system.root, usesTriggers: false, interval: -1)
    }

    @Test("Rising pressure is reported")
    func tellsWhatBecomesWorse() async throws {
        let system = try FakeSystem(["/proc/meminfo": Self.meminfo(available: 500)])
        let source = Self.source(system)
        let (told, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
        let observation = source.observe { continuation.yield($0) }
        var next = told.makeAsyncIterator()
        source.check()
        try system.write(Self.meminfo(available: 50), to: "/proc/meminfo")
        source.check()
        #expect(await next.next() == .warning)
        // The same again is no news.
        source.check()
        try system.write(Self.meminfo(available: 10), to: "/proc/meminfo")
        source.check()
        #expect(await next.next() == .critical)
        observation.cancel()
    }

    @Test("Every listener is notified")
    func tellsEverybodyWhoListens() async throws {
        let system = try FakeSystem(["/proc/pressure/memory": "some avg10=50.00"])
        defer { withExtendedLifetime(system) {} }
        let source = Self.source(system)
        let (told, continuation) = AsyncStream.makeStream(of: String.self)
        let observations = ["a", "b"].map { name in source.observe { _ in continuation.yield(name) } }
        let gone = source.observe { _ in continuation.yield("gone") }
        gone.cancel()
        gone.cancel()
        source.check()
        var next = told.makeAsyncIterator()
        var names: Set<String?> = [await next.next()]
        names.insert(await next.next())
        #expect(names == ["a", "b"])
        for observation in observations { observation.cancel() }
    }

    @Test("The system is watched only while there are listeners")
    func watchesOnlyWhileSomebodyListens() throws {
        let system = try FakeSystem(["/proc/meminfo": Self.meminfo(available: 500)])
        defer { withExtendedLifetime(system) {} }
        let source = Self.source(system)
        #expect(!source.isWatching)
        var first: MemoryPressureObservation? = source.observe { _ in }
        let second = source.observe { _ in }
        #expect(source.isWatching)
        _ = first
        first = nil
        #expect(source.isWatching)
        second.cancel()
        #expect(!source.isWatching)
        let third = source.observe { _ in }
        #expect(source.isWatching)
        third.cancel()
    }

    @Test("Without a source of pressure nothing is watched")
    func doesNotWatchWhereThereIsNothing() throws {
        let source = Self.source(try FakeSystem())
        let observation = source.observe { _ in }
        #expect(!source.isWatching)
        source.check()
        observation.cancel()
    }

    @Test("Malformed and missing files do no harm")
    func survivesFilesThatGo() async throws {
        let system = try FakeSystem(["/proc/meminfo": "\u{0}garbage"])
        let source = Self.source(system)
        let (told, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
        let observation = source.observe { continuation.yield($0) }
        source.check()
        try system.write("some avg10=99.00\nfull avg10=99.00", to: "/proc/pressure/memory")
        source.check()
        var next = told.makeAsyncIterator()
        #expect(await next.next() == .critical)
        observation.cancel()
    }

    /// With triggers, where this system has them: nothing to hear, but it begins and ends.
    @Test("This system's pressure can be watched")
    func listensToThisSystem() {
        let source = SystemMemoryPressure(root: "", usesTriggers: true, interval: -1)
        for _ in 0..<3 {
            let observation = source.observe { _ in }
            #expect(source.isWatching != SystemForms.arePOSIX)
            source.check()
            observation.cancel()
            #expect(!source.isWatching)
        }
    }
}
