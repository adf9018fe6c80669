internal import ImageFormats
internal import ImageLoading
internal import Platform
internal import Synchronization
internal import Tessera

/// Marks as lines of journals, for file systems without extended attributes.
///
/// Each process appends to its own journal, so that hosts sharing the folder don't disturb each other, and reads all of
/// them when it starts. An output has a line before it has its name, and one with its length and time afterwards. A
/// process killed in between leaves an output that is known to be a batch's, and is made again.
final class MarkJournal: OutputMarks {
    /// The hidden folder in the outputs' root.
    static let folderName = ".tessera-batch"

    /// The lines about an output.
    fileprivate struct Record {
        /// The outputs that were completed.
        var finished: [(key: StableHash, byteCount: Int, seconds: Int, nanoseconds: Int)] = []
        /// Whether one was begun and not completed.
        var isBegun = false
    }

    private let root: String
    /// The hashes of the paths whose lines are kept in memory.
    private let wanted: Set<StableHash>
    private let content: Mutex<Content>
    /// The journal of this process; nil before its first line.
    private let own = Mutex<OwnJournal?>(nil)

    /// The journals as they were read last.
    fileprivate struct Content {
        var records: [StableHash: Record] = [:]
        /// The journals' names and lengths.
        var state: [String: Int] = [:]
    }

    /// Reads the journals in `root`.
    /// - Parameter wanted: The paths beneath the root whose lines are kept in memory.
    init(root: String, wanted: some Sequence<String>) throws(ImageError) {
        self.root = root
        let hashes = Set(wanted.lazy.map { StableHash($0.utf8) })
        self.wanted = hashes
        content = Mutex(try Self.content(of: FilePath(Self.folderName, in: root).text, hashes, after: [:]) ?? Content())
    }

    /// Reads the journals in `folder`; nil if they are as `state` says.
    private static func content(
        of folder: String, _ wanted: Set<StableHash>, after state: [String: Int]
    ) throws(ImageError) -> Content? {
        guard FileSystem.isFolder(folder) else { return nil }
        var content = Content()
        for name in try FileSystem.names(in: folder) where name.hasSuffix(".journal") {
            content.state[name] = FileSystem.byteCount(FilePath(name, in: folder).text)
        }
        guard content.state != state else { return nil }
        for name in content.state.keys { try read(FilePath(name, in: folder).text, wanted, &content.records) }
        return content
    }

    private static func read(
        _ path: String, _ wanted: Set<StableHash>, _ records: inout [StableHash: Record]
    ) throws(ImageError) {
        var begun: Set<StableHash> = []
        let bytes = try InputLocation.file(path).open().bytes()
        // The last line of a killed process may have no end.
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let json = try? JSONParser.parse(Array(line)), case .object(let members) = json else { continue }
            let values = Dictionary(members) { first, _ in first }
            guard case .string(let name)? = values["output"], case .string(let key)? = values["key"] else { continue }
            let hash = StableHash(name.utf8)
            guard wanted.contains(hash) else { continue }
            if case .integer(let byteCount)? = values["bytes"], case .integer(let seconds)? = values["seconds"],
                case .integer(let nanoseconds)? = values["nanoseconds"]
            {
                begun.remove(hash)
                records[hash, default: Record()].finished.append(
                    (StableHash(key.utf8), byteCount, seconds, nanoseconds))
            } else {
                begun.insert(hash)
            }
        }
        for hash in begun { records[hash, default: Record()].isBegun = true }
    }

    func state(of path: String, key: String) -> OutputState {
        guard let status = FileStatus(path: FilePath(path, in: root).text) else { return .missing }
        return content.withLock { content in
            let state = content.state(of: path, status, key: key)
            guard state == .foreign else { return state }
            // Perhaps another process has made it since the journals were read.
            let folder = FilePath(Self.folderName, in: root).text
            guard let read = try? Self.content(of: folder, wanted, after: content.state) else { return state }
            content = read
            return content.state(of: path, status, key: key)
        }
    }

    func mark(for path: String, key: String, after state: OutputState) -> OutputMark {
        .ofFile(Mark(journal: self, path: path, key: key))
    }

    private struct Mark: FileMark {
        let journal: MarkJournal
        let path: String
        let key: String

        func willName(_ file: CInt, byteCount: Int) throws(ImageError) {
            try journal.append([("output", .string(path)), ("key", .string(key))])
        }

        func didName(_ file: CInt) {
            // Of the open file: another process may have replaced it already.
            guard let status = FileStatus(file) else { return }
            let time = status.modificationTime
            // If this fails, the output is made again by the next run.
            try? journal.append([
                ("output", .string(path)), ("key", .string(key)), ("bytes", .integer(status.byteCount)),
                ("seconds", .integer(Int(time.seconds))), ("nanoseconds", .integer(Int(time.nanoseconds))),
            ])
        }
    }

    private func append(_ members: [(String, JSONValue)]) throws(ImageError) {
        let line = Array("\(JSONValue.object(members).compactText)\n".utf8)
        try own.withLock { (own) throws(ImageError) in
            let journal: OwnJournal
            if let open = own {
                journal = open
            } else {
                journal = try OwnJournal(in: FilePath(Self.folderName, in: root).text)
                own = journal
            }
            try journal.append(line)
        }
    }
}

extension MarkJournal.Content {
    /// The state of the file at `path`, which has this status.
    fileprivate func state(of path: String, _ status: FileStatus, key: String) -> OutputState {
        guard let record = records[StableHash(path.utf8)] else { return .foreign }
        let time = status.modificationTime
        let matching = record.finished.filter {
            $0.byteCount == status.byteCount && $0.seconds == Int(time.seconds)
                && $0.nanoseconds == Int(time.nanoseconds)
        }
        if matching.contains(where: { $0.key == StableHash(key.utf8) }) { return .current }
        return matching.isEmpty && !record.isBegun ? .foreign : .stale
    }
}

/// The journal that a process writes.
private final class OwnJournal: Sendable {
    private let file: FileDescriptor

    init(in folder: String) throws(ImageError) {
        try FileSystem.makeFolder(folder)
        let name = "\(String(UInt64.random(in: 0 ... .max), radix: 36)).journal"
        file = try FileDescriptor(
            opening: FilePath(name, in: folder).text, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, purpose: .writing)
    }

    func append(_ line: [UInt8]) throws(ImageError) {
        try line.span.withUnsafeBytes { (bytes) throws(ImageError) in try file.write(bytes) }
    }
}
