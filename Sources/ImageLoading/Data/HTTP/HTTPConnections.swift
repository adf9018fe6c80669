#if HTTP
internal import CTesseraCURL
internal import Essentials
internal import Platform
internal import Synchronization

/// The process's connections to servers, and the thread on which libcurl performs all transfers over them.
///
/// The thread starts with a request, and ends when there has been none for a minute, which closes the connections.
final class HTTPConnections: Sendable {
    static let shared = HTTPConnections()

    /// A request to the thread.
    enum Command: Sendable {
        case start(HTTPTransfer)
        /// Goes on with a paused transfer.
        case resume(HTTPTransfer)
        /// Ends a transfer whose bytes nobody waits for.
        case stop(HTTPTransfer)
    }

    /// libcurl's transfers. The thread that created it uses it, but for `tessera_curl_wake`, which is for any thread.
    private struct Group: @unchecked Sendable { let pointer: OpaquePointer }

    private struct State: Sendable {
        /// Nil while the thread doesn't run.
        var group: Group?
        var commands: [Command] = []
    }

    /// A transfer that libcurl performs.
    private struct Active {
        let transfer: HTTPTransfer
        let handle: OpaquePointer
        /// The value of `tessera_curl_progress`, and when it was first seen.
        var progress: Int64 = -1
        var time = 0
    }

    private let state = Mutex(State())
    /// Whether the process is ending. The thread calls libcurl only under this lock.
    private let isEnding = Mutex(false)
    /// Milliseconds until the thread ends without requests.
    private static let lifetime = 60_000

    private init() {
        // The libraries that libcurl uses are torn down on exit, and must not be in use then.
        atexit { HTTPConnections.shared.isEnding.withLock { $0 = true } }
    }

    /// Hands a command to the thread.
    /// - Throws: `unavailable` if libcurl isn't installed, or there can't be another thread. Only `start` throws.
    func submit(_ command: Command) throws(DataTransportFailure) {
        let hasThread = state.withLock { state in
            if state.group == nil, case .start = command { state.group = start() }
            guard let group = state.group else { return false }
            state.commands.append(command)
            tessera_curl_wake(group.pointer)
            return true
        }
        guard !hasThread, case .start = command else { return }
        throw tessera_curl_load()
            ? DataTransportFailure(.unavailable, "the system can't start another thread")
            : DataTransportFailure(
                .unavailable, "loading over HTTP needs libcurl, which isn't installed (Debian's package: libcurl4)")
    }

    private func start() -> Group? {
        guard let group = tessera_curl_group_create().map(Group.init) else { return nil }
        guard BackgroundThread.start({ self.run(group) }) else {
            tessera_curl_group_destroy(group.pointer)
            return nil
        }
        return group
    }

    // MARK: The thread

    private func run(_ group: Group) {
        var active: [ObjectIdentifier: Active] = [:]
        var lastUse = MonotonicClock.milliseconds
        while true {
            let commands = state.withLock { state in
                defer { state.commands = [] }
                return state.commands
            }
            var wait = 0
            let goesOn = isEnding.withLock { isEnding in
                guard !isEnding else { return false }
                for command in commands { obey(command, &active, group) }
                tessera_curl_perform(group.pointer)
                for item in active.values { item.transfer.announceBytes() }
                finishEnded(&active, group)
                wait = finishSilent(&active, group)
                return true
            }
            guard goesOn else { return }
            if !active.isEmpty || !commands.isEmpty { lastUse = MonotonicClock.milliseconds }
            let rest = lastUse + Self.lifetime - MonotonicClock.milliseconds
            guard rest > 0 || !end(group) else { return }
            tessera_curl_wait(group.pointer, Int32(clamping: min(wait, max(rest, 0))))
        }
    }

    /// Ends the thread's work, unless there are new commands.
    private func end(_ group: Group) -> Bool {
        let isEnd = state.withLock { state in
            guard state.commands.isEmpty else { return false }
            state.group = nil
            return true
        }
        guard isEnd else { return false }
        isEnding.withLock { if !$0 { tessera_curl_group_destroy(group.pointer) } }
        return true
    }

    private func obey(_ command: Command, _ active: inout [ObjectIdentifier: Active], _ group: Group) {
        switch command {
        case .start(let transfer):
            guard !transfer.hasEnded else { return }
            do {
                active[ObjectIdentifier(transfer)] = Active(
                    transfer: transfer, handle: try transfer.start(in: group.pointer))
            } catch {
                transfer.end(error)
            }
        case .resume(let transfer):
            guard let found = active[ObjectIdentifier(transfer)] else { return }
            active[ObjectIdentifier(transfer)]?.time = MonotonicClock.milliseconds
            tessera_curl_resume(found.handle)
        case .stop(let transfer):
            remove(transfer, &active, group)
        }
    }

    private func remove(_ transfer: HTTPTransfer, _ active: inout [ObjectIdentifier: Active], _ group: Group) {
        guard let found = active.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
        tessera_curl_transfer_destroy(group.pointer, found.handle)
    }

    private func finishEnded(_ active: inout [ObjectIdentifier: Active], _ group: Group) {
        var outcome = tessera_curl_outcome()
        while tessera_curl_next_ended(group.pointer, &outcome) {
            // `active` keeps the transfer that the context points to.
            let transfer = Unmanaged<HTTPTransfer>.fromOpaque(outcome.context).takeUnretainedValue()
            transfer.end(outcome)
            remove(transfer, &active, group)
        }
    }

    /// Ends transfers whose servers have been silent for too long.
    /// - Returns: Milliseconds until the next may have been.
    private func finishSilent(_ active: inout [ObjectIdentifier: Active], _ group: Group) -> Int {
        var wait = Self.lifetime
        let now = MonotonicClock.milliseconds
        for (key, var item) in active {
            let progress = tessera_curl_progress(item.handle)
            // Making a connection is limited by libcurl, and a paused transfer waits for its reader.
            guard progress >= 0, !item.transfer.isPaused else { continue }
            if progress != item.progress { (item.progress, item.time) = (progress, now) }
            active[key] = item
            let rest = item.time + item.transfer.idleMilliseconds - now
            if rest <= 0 {
                item.transfer.end(HTTPFailure.silence(of: item.transfer.host))
                remove(item.transfer, &active, group)
            } else {
                wait = min(wait, rest)
            }
        }
        return wait
    }
}
#endif
