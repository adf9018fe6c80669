internal import Synchronization
internal import Tessera

/// Marks as metadata of objects in a bucket, which objects have when they appear.
///
/// A list doesn't show them. With a journal, a list of the outputs is enough to tell which are current: the journal has a
/// line for each, made of its path, its key and the version that the list shows. Outputs without a line are looked up.
final class BucketMarks: OutputMarks {
    private let root: String
    private let wanted: Set<NameHash>
    private let journal: BucketJournal?
    private let listing = Mutex<Listing>(.awaited)

    /// The result of listing the bucket.
    private enum Listing {
        case awaited
        /// The outputs and their versions.
        case made([NameHash: String])
        case impossible
    }

    /// - Parameters:
    ///   - wanted: The outputs' paths beneath the root.
    ///   - journal: The journal of the outputs; nil for none.
    init(root: String, wanted: some Sequence<String>, journal: BucketJournal?) {
        self.root = root
        self.wanted = Set(wanted.lazy.map { NameHash($0) })
        self.journal = journal
    }

    private static func text(_ key: String) -> String { "1 \(key)" }

    func state(of path: String, key: String) -> OutputState {
        // Where the store sees to it that an output isn't replaced that has appeared since, the list says which are missing.
        let isChecked = BucketFiles.checksForObjects == true
        guard isChecked || journal?.isEmpty == false, case .made(let versions) = list() else {
            return currentState(of: path, key: key)
        }
        guard let version = versions[NameHash(path)] else {
            return isChecked ? .unlisted : currentState(of: path, key: key)
        }
        let isCurrent = journal?.contains(path, key: key, version: version) == true
        return isCurrent ? .current : currentState(of: path, key: key)
    }

    func currentState(of path: String, key: String) -> OutputState {
        // A store that can't be asked fails when the output is written.
        guard let status = (try? BucketFiles.status(FilePath(path, in: root).text)) ?? nil else { return .missing }
        guard let mark = status.mark else { return .foreign }
        guard mark == Self.text(key) else { return .stale }
        journal?.add(path, key: key, version: status.version)
        return .current
    }

    private func list() -> Listing {
        listing.withLock { listing in
            guard case .awaited = listing else { return listing }
            // A request lists a thousand objects, and takes as long as some twenty that look one up.
            let limit = max(1000, 50 * wanted.count)
            let found: [(NameHash, String)]? = try? BucketFiles.below(root, limit: limit) { [wanted] name, version in
                let hash = NameHash(name)
                return wanted.contains(hash) ? (hash, version) : nil
            }
            // A store that can't be listed, or not with this key, may be asked all the same.
            listing = found.map { .made(Dictionary($0) { first, _ in first }) } ?? .impossible
            return listing
        }
    }

    func mark(for path: String, key: String, after state: OutputState) -> OutputMark {
        let isNew = state == .unlisted || state == .missing && BucketFiles.checksForObjects != false
        return .ofObject(
            ObjectMark(text: Self.text(key), isNew: isNew) { [journal] in journal?.add(path, key: key, version: $0) })
    }

    func finish() { journal?.finish() }
}
