#if Server
internal import Synchronization

/// What the two sides of a connection, its channel's handler and the task that answers, know of each other.
final class Connection: Sendable {
    private struct State {
        var isClosed = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Says what to do when the client goes away while its request is being answered; nil when it no longer is.
    func onClose(_ cancel: (@Sendable () -> Void)?) {
        let isClosed = state.withLock { state in
            state.cancel = cancel
            return state.isClosed
        }
        if isClosed { cancel?() }
    }

    /// The client has gone away.
    func close() {
        let cancel = state.withLock { state in
            state.isClosed = true
            return state.cancel.take()
        }
        cancel?()
    }
}
#endif
