#if Server
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOPosix
internal import ServiceLifecycle

/// Accepts connections until its service group shuts down; then completes the requests of those that are open.
///
/// Hummingbird's own server can't use a socket that is open already, such as systemd's.
struct ConnectionListener: Service {
    /// Where to listen.
    enum Place: Sendable {
        case address(host: String, port: Int)
        /// A socket that listens already. The listener closes it.
        case descriptor(CInt)
    }

    private struct Listener: Sendable {
        let connections: NIOAsyncChannel<AcceptedConnection, Never>
        let quiescing: ServerQuiescingHelper
    }

    let places: [Place]
    let child: DiscardableHTTP1Channel
    let gate: DescriptorGate
    let logger: Logger
    /// Called with each place's channel once clients can connect.
    let onListening: @Sendable (_ channels: [any Channel]) async -> Void

    func run() async throws {
        var listeners: [Listener] = []
        do {
            for place in places { listeners.append(try await listen(place)) }
        } catch {
            for listener in listeners { try? await listener.connections.executeThenClose { _ in } }
            throw error
        }
        let all = listeners
        await withGracefulShutdownHandler {
            await onListening(all.map(\.connections.channel))
            await withDiscardingTaskGroup { tasks in
                for listener in all { tasks.addTask { await accept(listener.connections) } }
            }
        } onGracefulShutdown: {
            for listener in all { listener.quiescing.initiateShutdown(promise: nil) }
        }
    }

    private func listen(_ place: Place) async throws -> Listener {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { [gate] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(AvailableConnectionsChannelHandler(delegate: gate))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: channel))
                }
            }
        let setUp: @Sendable (any Channel) -> EventLoopFuture<AcceptedConnection> = { [child, logger] channel in
            child.setup(channel: channel, logger: logger)
        }
        let connections: NIOAsyncChannel<AcceptedConnection, Never>
        switch place {
        case .address(let host, let port):
            connections = try await bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: host, port: port, childChannelInitializer: setUp)
        case .descriptor(let number):
            connections = try await bootstrap.bind(number, childChannelInitializer: setUp)
        }
        return Listener(connections: connections, quiescing: quiescing)
    }

    private func accept(_ connections: NIOAsyncChannel<AcceptedConnection, Never>) async {
        await withDiscardingTaskGroup { tasks in
            do {
                try await connections.executeThenClose { inbound in
                    for try await connection in inbound {
                        tasks.addTask { await child.handle(value: connection, logger: logger) }
                    }
                }
            } catch {
                logger.error("connections can't be accepted: \(error)")
            }
        }
    }
}
#endif
