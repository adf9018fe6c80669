#if Server
internal import HummingbirdCore
internal import Logging
internal import Synchronization

/// Leaves new connections in the system's queue while open files take nearly all descriptors: a server that has none left
/// can't even refuse a connection.
struct DescriptorGate: AvailableConnectionsDelegate {
    private let shortage: DescriptorShortage
    private let connections: Connections

    init(_ connections: Connections, logger: Logger) {
        self.connections = connections
        shortage = DescriptorShortage(logger: logger)
    }

    mutating func connectionOpened() {}
    mutating func connectionClosed() {}

    func isAcceptingNewConnections() -> Bool {
        guard !shortage.hasRoom else { return true }
        connections.makeRoom()
        return false
    }
}

/// Whether the process has run out of descriptors, logged once when it has and once when it has some again.
final class DescriptorShortage: Sendable {
    private let isShort = Mutex(false)
    private let logger: Logger

    init(logger: Logger) { self.logger = logger }

    /// Whether a new connection can be accepted.
    var hasRoom: Bool {
        let hasRoom = DescriptorLimit.hasRoom
        let hasChanged = isShort.withLock { isShort in
            defer { isShort = !hasRoom }
            return isShort == hasRoom
        }
        if hasChanged {
            if hasRoom {
                logger.notice("descriptors are available again; accepting connections")
            } else {
                logger.warning(
                    """
                    no descriptors left (open-files limit: \(DescriptorLimit.current)); new connections wait. Raise the limit \
                    with ulimit -n
                    """)
            }
        }
        return hasRoom
    }
}
#endif
