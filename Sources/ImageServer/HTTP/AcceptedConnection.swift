#if Server
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Hummingbird's HTTP/1 channel, for connections that may be discarded before they are handled.
///
/// A cancelled server discards the connections that it has accepted and not handled yet. NIO ends the process when a
/// connection is discarded whose writer isn't finished.
struct DiscardableHTTP1Channel: ServerChildChannel {
    let http: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        http.setup(channel: channel, logger: logger).map { AcceptedConnection($0) }
    }

    func handle(value connection: AcceptedConnection, logger: Logger) async {
        connection.isHandled.store(true, ordering: .relaxed)
        await http.handle(value: connection.http, logger: logger)
    }
}

/// A connection that is closed if it is discarded before it is handled.
final class AcceptedConnection: ServerChildChannelValue {
    let http: HTTP1Channel.Value
    let isHandled = Atomic(false)

    init(_ http: HTTP1Channel.Value) { self.http = http }

    var channel: any Channel { http.channel }

    deinit {
        guard !isHandled.load(ordering: .relaxed) else { return }
        Task { [http] in try? await http.executeThenClose { _, _ in } }
    }
}
#endif
