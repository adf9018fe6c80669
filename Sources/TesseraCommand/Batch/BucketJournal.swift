internal import ImageLoading
internal import Synchronization
internal import Tessera

/// The outputs of a shard that are in a bucket, as objects in the hidden folder `.tessera-batch` of the outputs' root: lines
/// of hashes, each of an output's path, its key, and its version in a list.
///
/// A store can't append, so lines are collected, and some hundred become an object. A killed process loses those that it hasn't
/// written; their outputs are looked up by the next.
final class BucketJournal: Sendable {
    /// The lines in an object. Looking up as many outputs takes a few seconds.
    private static let lineCount = 500

    /// The folder of this shard's objects.
    private let folder: String
    /// The lines that were there when the journal was read.
    private let known: Set<Substring>
    private let pending = Mutex<[String]>([])

    /// Reads the journal of a shard of outputs in `root`; without one it is empty.
    init(root: String, shard: BatchShard) {
        folder = FilePath("\(MarkJournal.folderName)/\(shard.index)-of-\(shard.count)/", in: root).text
        var known: Set<Substring> = []
        // Outputs of an object that can't be read are looked up.
        for entry in (try? BucketFiles.entries(in: folder)) ?? [] {
            let bytes = try? InputLocation.file(folder + entry.name).open().bytes()
            known.formUnion(String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n"))
        }
        self.known = known
    }

    /// Whether nothing was known of the outputs when the journal was read.
    var isEmpty: Bool { known.isEmpty }

    private static func line(_ path: String, _ key: String, _ version: String) -> String {
        StableHash("\(path)\n\(key)\n\(version)".utf8).hexadecimal
    }

    /// Whether an output was made with this key, and had this version then.
    func contains(_ path: String, key: String, version: String) -> Bool {
        known.contains(Self.line(path, key, version)[...])
    }

    /// Adds an output that has been written, or found.
    func add(_ path: String, key: String, version: String) {
        pending.withLock { $0.append(Self.line(path, key, version)) }
        write(minimumCount: Self.lineCount)
    }

    /// Writes what is collected.
    func finish() { write(minimumCount: 1) }

    private func write(minimumCount count: Int) {
        let lines = pending.withLock { pending in
            guard pending.count >= count else { return [String]() }
            defer { pending = [] }
            return pending
        }
        guard !lines.isEmpty else { return }
        let name = "\(String(UInt64.random(in: 0 ... .max), radix: 36)).journal"
        // If this fails, the outputs are looked up by the next run.
        guard let (object, _, commit) = try? BucketFiles.writer(folder + name, overwrites: true) else { return }
        try? object.write(Array(lines.joined(separator: "\n").utf8))
        try? commit()
    }
}
