internal import Synchronization

/// Files that are being sent. However many clients download a file, it is open once.
final class SharedFiles: Sendable {
    private struct Entry {
        weak var file: OpenedFile?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// With how many entries those that are gone are removed next.
        var purgeCount = 64
    }

    private let state = Mutex(State())

    /// The file that is open already where `file` is the same in the same version, and `file` itself otherwise.
    func shared(_ file: OpenedFile) -> OpenedFile {
        let key = "\(file.version) \(file.identifier.path)"
        return state.withLock { state in
            if let found = state.entries[key]?.file { return found }
            if state.entries.count >= state.purgeCount {
                state.entries = state.entries.filter { $0.value.file != nil }
                state.purgeCount = max(64, state.entries.count * 2)
            }
            state.entries[key] = Entry(file: file)
            return file
        }
    }
}
