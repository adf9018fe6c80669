#if HTTP
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Runs a server of its own for `body`, on a free port of this machine's, and ends it afterwards.
///
/// ```swift
/// try await withServer { server in
///     server.respond("/a.jpg", .bytes(jpeg, type: "image/jpeg"))
///     let image = try await pipeline.image(for: server.url("/a.jpg"))
///     #expect(server.requests("/a.jpg").count == 1)
/// }
/// ```
func withServer<Value>(_ body: (TestServer) async throws -> Value) async throws -> Value {
    let (ports, port) = AsyncStream<Int>.makeStream()
    let server = TestServer()
    var logger = Logger(label: "test server", factory: { _ in SwiftLogNoOpLogHandler() })
    logger.logLevel = .critical
    let application = Application(
        responder: CallbackResponder<TestServerContext> { request, _ in await server.answer(request) },
        server: HTTPServerBuilder { responder in
            DiscardableHTTP1Channel(
                http: HTTP1Channel(
                    responder: responder, configuration: .init(additionalChannelHandlers: [ConnectionWatcher(server)])))
        },
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
            port.yield(channel.localAddress?.port ?? 0)
            port.finish()
        }, logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { port.finish() }
            // Ends by being cancelled.
            try? await application.run()
        }
        defer { group.cancelAll() }
        for await number in ports { server.start(port: number) }
        return try await body(server)
    }
}

/// What Hummingbird makes of a request beside the request: nothing that is needed here.
struct TestServerContext: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
}
#endif
