internal import Synchronization

/// Shares open files among downloads: each file is open once, however many clients download it.
final class SharedFiles: Sendable {
    private struct Entry {
        weak var file: OpenedFile?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The number of entries at which those of closed files are removed.
        var purgeCount = 64
    }

    private let state = Mutex(State())

    /// Returns an already open file with the same identifier and version, or else `file`.
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
