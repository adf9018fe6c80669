#if Server
internal import Logging
internal import NIOCore
internal import Synchronization

/// The open connections; decides which to close when there are too many.
final class Connections: Sendable {
    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Whether connections were refused or closed since there was last room, and the number of each.
        var isFull = false
        var refusedCount = 0
        var closedCount = 0
        var totalCount = 0
    }

    private let state = Mutex(State())
    private let logger: Logger
    /// The most open connections.
    let limit: Int
    /// How long a client may leave a response unread while other connections need its place.
    let patience: TimeAmount

    init(limit: Int, patience: Duration, logger: Logger) {
        self.limit = max(1, limit)
        self.patience = TimeAmount(patience)
        self.logger = logger
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.connections.count } }

    /// The number of connections since the start, refused ones included.
    var totalCount: Int { state.withLock { $0.totalCount } }

    /// Adds a new connection. At the limit, closes the connections that have been idle longest, or if none is idle,
    /// those whose clients don't read.
    /// - Returns: False if all connections are in use, so that this one must be refused.
    func admit(_ connection: Connection, of channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let outcome = state.withLock { state -> (isAdmitted: Bool, closed: [Connection], isNew: Bool) in
            state.totalCount += 1
            guard state.connections.count >= limit else {
                state.connections[key] = connection
                return (true, [], false)
            }
            let isNew = !state.isFull
            state.isFull = true
            let closed = state.removeExpendable(limit / 16 + 1, patience)
            guard !closed.isEmpty else {
                state.refusedCount += 1
                return (false, [], isNew)
            }
            state.connections[key] = connection
            return (true, closed, isNew)
        }
        for connection in outcome.closed { connection.abort() }
        if outcome.isNew {
            logger.warning(
                """
                all \(limit) connections are in use (open-files limit: \(DescriptorLimit.current)); closing idle ones, and \
                refusing new ones where none is idle
                """)
        }
        return outcome.isAdmitted
    }

    func remove(_ channel: any Channel) {
        let ended = state.withLock { state -> (refused: Int, closed: Int)? in
            state.connections[ObjectIdentifier(channel)] = nil
            guard state.isFull, state.connections.count < limit - limit / 8 else { return nil }
            defer { (state.isFull, state.refusedCount, state.closedCount) = (false, 0, 0) }
            return (state.refusedCount, state.closedCount)
        }
        guard let ended else { return }
        logger.notice("there is room for connections again; \(ended.closed) were closed, \(ended.refused) refused")
    }

    subscript(_ channel: any Channel) -> Connection? { state.withLock { $0.connections[ObjectIdentifier(channel)] } }

    /// Closes connections whose clients have left a response unread for too long, to free its memory.
    func endStalled() {
        let deadline = NIODeadline.now() - patience
        let stalled = state.withLock { state in
            state.connections.values.filter { $0.progress.activity == .sending && $0.progress.last < deadline }
        }
        for connection in stalled { connection.abort() }
    }

    /// Closes idle or stalled connections, to free their descriptors.
    func makeRoom() {
        let closed = state.withLock { $0.removeExpendable(limit / 16 + 1, patience) }
        for connection in closed { connection.abort() }
    }
}

extension Connections.State {
    /// Removes up to `count` connections: those idle longest or, if none is idle, those whose clients have left a
    /// response unread longest. Removes several at once, since the search visits every connection.
    fileprivate mutating func removeExpendable(_ count: Int, _ patience: TimeAmount) -> [Connection] {
        typealias Candidate = (key: ObjectIdentifier, connection: Connection, last: NIODeadline)
        let deadline = NIODeadline.now() - patience
        var idle: [Candidate] = []
        var stalled: [Candidate] = []
        for (key, connection) in connections {
            let progress = connection.progress
            switch progress.activity {
            case .idle: idle.append((key, connection, progress.last))
            case .sending where progress.last < deadline: stalled.append((key, connection, progress.last))
            case .sending, .answering: break
            }
        }
        let removed = (idle.isEmpty ? stalled : idle).sorted { $0.last < $1.last }.prefix(count)
        for candidate in removed { connections[candidate.key] = nil }
        closedCount += removed.count
        return removed.map(\.connection)
    }
}

/// A client's connection, shared by its channel handler and the task that answers its requests.
final class Connection: Sendable {
    /// The current use of a connection.
    enum Activity {
        /// No request was sent, or only part of one.
        case idle
        /// A response is being made.
        case answering
        /// The client has yet to read part of a response.
        case sending
    }

    private struct State {
        var isClosed = false
        var cancel: (@Sendable () -> Void)?
        var activity = Activity.idle
        var lastProgress = NIODeadline.now()
        /// The memory of unread responses, in their order.
        var held: [OutgoingBytes.Lease] = []
    }

    /// The client's IP address.
    let client: String
    private let state = Mutex(State())
    private let onAbort: @Sendable () -> Void

    /// - Parameter onAbort: Closes the connection, discarding unsent data.
    init(client: String, onAbort: @escaping @Sendable () -> Void) {
        self.client = client
        self.onAbort = onAbort
    }

    /// Sets the action if the client disconnects during a request; nil once the request is answered.
    func onClose(_ cancel: (@Sendable () -> Void)?) {
        let isClosed = state.withLock { state in
            state.cancel = cancel
            return state.isClosed
        }
        if isClosed { cancel?() }
    }

    /// Releases memory and cancels work after the client has disconnected.
    func close() {
        let (cancel, held) = state.withLock { state in
            state.isClosed = true
            defer { state.held = [] }
            return (state.cancel.take(), state.held)
        }
        for lease in held { lease.end() }
        cancel?()
    }

    /// Closes the connection without waiting for the client.
    func abort() { onAbort() }

    // MARK: Progress

    /// The current use, and the time of the last progress.
    var progress: (activity: Activity, last: NIODeadline) { state.withLock { ($0.activity, $0.lastProgress) } }

    func note(_ activity: Activity, lastProgress: NIODeadline) {
        state.withLock { state in
            state.activity = activity
            state.lastProgress = lastProgress
        }
    }

    // MARK: Memory

    /// Counts a response's memory until it has been sent. Responses without memory hold an empty lease.
    func hold(_ lease: OutgoingBytes.Lease) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.held.append(lease) }
            return state.isClosed
        }
        if isClosed { lease.end() }
    }

    /// Releases the oldest held response, which has been sent.
    func releaseOldest() {
        let lease = state.withLock { state in state.held.isEmpty ? nil : state.held.removeFirst() }
        lease?.end()
    }
}
#endif
