#if Server
internal import HummingbirdCore
internal import Logging
internal import Synchronization

/// Leaves new connections in the system's queue while nearly all file descriptors are in use, since a server without
/// descriptors can't even refuse a connection.
final class DescriptorGate: AvailableConnectionsDelegate, Sendable {
    private let connections: Connections
    private let logger: Logger
    /// Whether descriptors were short at the last check.
    private let isShort = Mutex(false)

    init(_ connections: Connections, logger: Logger) {
        self.connections = connections
        self.logger = logger
    }

    func connectionOpened() {}
    func connectionClosed() {}

    /// Whether descriptors are available. Logs each change, and closes idle or stalled connections while there are none.
    func isAcceptingNewConnections() -> Bool {
        let hasRoom = DescriptorLimit.hasRoom
        let hasChanged = isShort.withLock { isShort in
            defer { isShort = !hasRoom }
            return isShort == hasRoom
        }
        if hasChanged, hasRoom { logger.notice("descriptors are available again; accepting connections") }
        if hasChanged, !hasRoom {
            logger.warning(
                """
                no descriptors left (open-files limit: \(DescriptorLimit.current)); new connections wait. Raise the limit \
                with ulimit -n
                """)
        }
        if !hasRoom { connections.makeRoom() }
        return hasRoom
    }
}
#endif
