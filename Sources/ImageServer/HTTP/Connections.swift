#if Server
internal import Logging
internal import NIOCore
internal import Synchronization

/// The open connections, and who has to leave when there are too many.
final class Connections: Sendable {
    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Whether connections were turned away or closed since there was room last, and how many.
        var isFull = false
        var refusedCount = 0
        var closedCount = 0
        var admittedCount = 0
    }

    private let state = Mutex(State())
    private let logger: Logger
    /// How many there may be.
    let limit: Int
    /// How long a client may leave a response unread when others need its place.
    let patience: TimeAmount

    init(limit: Int, patience: Duration, logger: Logger) {
        self.limit = max(1, limit)
        self.patience = TimeAmount(patience)
        self.logger = logger
    }

    /// How many there are.
    var count: Int { state.withLock { $0.connections.count } }

    /// How many there were so far.
    var admittedCount: Int { state.withLock { $0.admittedCount } }

    /// Adds a new connection. At the limit, those that were idle longest are closed for it, then those whose clients
    /// don't read.
    /// - Returns: False where all are in use: the connection has to be refused.
    func admit(_ connection: Connection, of channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let outcome = state.withLock { state -> (isAdmitted: Bool, closed: [Connection], isNew: Bool) in
            state.admittedCount += 1
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

    /// Closes connections whose clients have left a response unread for long, so that its memory is free.
    func endStalled() {
        let deadline = NIODeadline.now() - patience
        let stalled = state.withLock { state in
            state.connections.values.filter { $0.progress.activity == .sending && $0.progress.last < deadline }
        }
        for connection in stalled { connection.abort() }
    }

    /// Closes some of those that `admit` would close, for their descriptors.
    func makeRoom() {
        let closed = state.withLock { $0.removeExpendable(limit / 16 + 1, patience) }
        for connection in closed { connection.abort() }
    }
}

extension Connections.State {
    /// Removes those that were idle longest; where none is, those whose clients have left a response unread longest. A few at
    /// a time, since finding them takes a look at each.
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

/// A client's connection, as its channel's handler and the task that answers it share it.
final class Connection: Sendable {
    /// What a connection is being used for.
    enum Activity {
        /// No request was sent, or half of one.
        case idle
        /// A response is being made.
        case answering
        /// The client has still to read some of a response.
        case sending
    }

    private struct State {
        var isClosed = false
        var cancel: (@Sendable () -> Void)?
        var activity = Activity.idle
        var lastProgress = NIODeadline.now()
        /// What responses that aren't read yet take, in their order.
        var held: [OutgoingBytes.Lease] = []
    }

    /// The client's address.
    let client: String
    private let state = Mutex(State())
    private let onAbort: @Sendable () -> Void

    /// - Parameter onAbort: Closes the connection, whatever is still to be sent.
    init(client: String, onAbort: @escaping @Sendable () -> Void) {
        self.client = client
        self.onAbort = onAbort
    }

    /// Sets the action for a client that goes away while its request is being answered; nil when the request is answered.
    func onClose(_ cancel: (@Sendable () -> Void)?) {
        let isClosed = state.withLock { state in
            state.cancel = cancel
            return state.isClosed
        }
        if isClosed { cancel?() }
    }

    /// The client has gone away.
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

    /// What it is used for, and since when nothing has moved.
    var progress: (activity: Activity, last: NIODeadline) { state.withLock { ($0.activity, $0.lastProgress) } }

    func note(_ activity: Activity, lastProgress: NIODeadline) {
        state.withLock { state in
            state.activity = activity
            state.lastProgress = lastProgress
        }
    }

    // MARK: Memory

    /// Counts the memory of a response until it has left; of one without, nil.
    func hold(_ lease: OutgoingBytes.Lease) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.held.append(lease) }
            return state.isClosed
        }
        if isClosed { lease.end() }
    }

    /// The oldest response that was held has left.
    func releaseOldest() {
        let lease = state.withLock { state in state.held.isEmpty ? nil : state.held.removeFirst() }
        lease?.end()
    }
}
#endif
