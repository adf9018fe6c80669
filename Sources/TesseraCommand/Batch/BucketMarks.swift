internal import Synchronization
internal import Tessera

/// Marks as metadata of objects in a bucket, which objects have when they appear.
final class BucketMarks: OutputMarks {
    private let root: String
    private let wanted: Set<NameHash>
    private let listing = Mutex<Listing>(.awaited)

    /// The outputs that were there when the bucket was listed.
    private enum Listing {
        case awaited
        case made(Set<NameHash>)
        case impossible
    }

    /// - Parameter wanted: The outputs' paths beneath the root.
    init(root: String, wanted: some Sequence<String>) {
        self.root = root
        self.wanted = Set(wanted.lazy.map { NameHash($0) })
    }

    private struct Mark: OutputMark {
        let text: String?
        let isNew: Bool

        func willName(_ file: CInt, byteCount: Int) throws(ImageError) {}
        func didName(_ file: CInt, byteCount: Int) {}
    }

    private static func text(_ key: String) -> String { "1 \(key)" }

    func state(of path: String, key: String) -> OutputState {
        // Where outputs are missing they are listed, instead of looking each up, if the store then sees to it that one that has
        // appeared since isn't replaced.
        if BucketFiles.checksForObjects == true, case .made(let names) = list(), !names.contains(NameHash(path)) {
            return .unlisted
        }
        return currentState(of: path, key: key)
    }

    func currentState(of path: String, key: String) -> OutputState {
        // A store that can't be asked fails when the output is written.
        guard let status = (try? BucketFiles.status(FilePath(path, in: root).text)) ?? nil else { return .missing }
        guard let mark = status.mark else { return .foreign }
        return mark == Self.text(key) ? .current : .stale
    }

    private func list() -> Listing {
        listing.withLock { listing in
            guard case .awaited = listing else { return listing }
            // A request lists a thousand objects, and takes as long as some twenty that look one up.
            let limit = max(1000, 50 * wanted.count)
            let found: [NameHash]? = try? BucketFiles.below(root, limit: limit) { [wanted] name in
                let hash = NameHash(name)
                return wanted.contains(hash) ? hash : nil
            }
            // A store that can't be listed, or not with this key, may be asked all the same.
            listing = found.map { .made(Set($0)) } ?? .impossible
            return listing
        }
    }

    func mark(for path: String, key: String, after state: OutputState) -> any OutputMark {
        let isNew = state == .unlisted || state == .missing && BucketFiles.checksForObjects != false
        return Mark(text: Self.text(key), isNew: isNew)
    }
}
