#if Server
import ImageServer
import Logging
import ServiceLifecycle
import TestSupport
import Testing

/// How a server ends that is asked to.
@Suite("A server's shutdown")
struct ShutdownTests {
    /// Runs a server in a service group, and gives a client of it to `body`.
    private func withServer(
        drain: Duration, _ body: (LoopbackClient, ServiceGroup, Task<Void, any Error>) async throws -> Void
    ) async throws {
        let gallery = try Gallery()
        var configuration = ImageServerConfiguration(folders: [gallery.folder.path])
        configuration.port = 0
        configuration.logsAccess = false
        configuration.drainTime = drain
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = try ImageServer(configuration, logger: quiet) { continuation.yield($0) }
        let group = ServiceGroup(services: [server], logger: quiet)
        let running = Task {
            defer { continuation.finish() }
            try await group.run()
        }
        defer { running.cancel() }
        let port = try #require(await ports.first { _ in true })
        try await body(LoopbackClient(port: port), group, running)
        withExtendedLifetime(gallery) {}
    }

    @Test("While it drains, it isn't ready, and answers everything else")
    func draining() async throws {
        try await withServer(drain: .seconds(600)) { client, group, running in
            #expect(try await client.get("/readyz").hasPrefix("HTTP/1.1 200"))
            await group.triggerGracefulShutdown()
            // The group tells its services in a task of its own.
            while try await client.get("/readyz").hasPrefix("HTTP/1.1 200") { await Task.yield() }
            #expect(try await client.get("/readyz").hasPrefix("HTTP/1.1 503"))
            #expect(try await client.get("/healthz").hasPrefix("HTTP/1.1 200"))
            #expect(try await client.get("/image/cutout.png?w=20").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("After that it ends", arguments: [Duration.zero, .milliseconds(1)])
    func end(_ drain: Duration) async throws {
        try await withServer(drain: drain) { client, group, running in
            #expect(try await client.get("/readyz").hasPrefix("HTTP/1.1 200"))
            await group.triggerGracefulShutdown()
            try await running.value
            await #expect(throws: (any Error).self) { try await client.get("/readyz") }
        }
    }
}
#endif
