#if Server
internal import NIOCore
internal import Synchronization

/// The connections that are open.
final class Connections: Sendable {
    private let connections = Mutex<[ObjectIdentifier: Connection]>([:])

    /// How many there are.
    var count: Int { connections.withLock { $0.count } }

    func add(_ connection: Connection, of channel: any Channel) {
        connections.withLock { $0[ObjectIdentifier(channel)] = connection }
    }

    func remove(_ channel: any Channel) {
        let removed = connections.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
        removed?.close()
    }

    subscript(_ channel: any Channel) -> Connection? { connections.withLock { $0[ObjectIdentifier(channel)] } }
}
#endif
