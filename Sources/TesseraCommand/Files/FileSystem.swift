internal import ImageLoading
internal import Platform
internal import ImageFormats
internal import Tessera

/// What has to be asked of the file system beside reading and writing.
enum FileSystem {
    /// What tells one file from every other on the machine, whatever it is called.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    /// Whether there is a folder at `path`, links followed.
    static func isFolder(_ path: String) -> Bool { FileStatus(path: path)?.isFolder ?? false }

    /// Whether there is a file with content of its own at `path`: no folder, pipe or device. Links are followed.
    static func isRegularFile(_ path: String) -> Bool { FileStatus(path: path)?.isRegular ?? false }

    /// Which file is at `path`; nil where there is none.
    static func identity(_ path: String) -> Identity? {
        FileStatus(path: path).map { Identity(device: $0.device, number: $0.inode) }
    }

    /// How long the file at `path` is; nil where there is none.
    static func byteCount(_ path: String) -> Int? { FileStatus(path: path)?.byteCount }

    /// How long the file at `path` is and when it was changed, as words; nil where there is none.
    static func state(_ path: String) -> String? {
        guard let status = FileStatus(path: path), status.isRegular else { return nil }
        return "\(status.byteCount) bytes of \(words(status.modificationTime))"
    }

    /// A time as ISO 8601 writes it, in UTC: `2026-02-28T17:05:09.120000000Z`.
    private static func words(_ time: FileTime) -> String {
        let nanoseconds = String(time.nanoseconds)
        let padding = String(repeating: "0", count: 9 - nanoseconds.count)
        return "\(HTTPDate.internetText(time.seconds).dropLast()).\(padding)\(nanoseconds)Z"
    }

    /// The names in the folder at `path` in alphabetical order, hidden ones left out.
    static func names(in path: String) throws(ImageError) -> [String] {
        var names: [String] = []
        let isFolder = FolderListing.forEach(in: path) { entry in
            if !entry.name.hasPrefix(".") { names.append(entry.name) }
        }
        guard isFolder else { throw failure("\(path) can't be read") }
        return names.sorted()
    }

    /// Makes the folder at `path`, and those that it lies in, unless they are there.
    static func makeFolder(_ path: String) throws(ImageError) {
        guard !path.isEmpty, !isFolder(path) else { return }
        try makeFolder(FilePath(path).folder)
        // Somebody else may have made it in the meantime.
        guard mkdir(path, 0o777) == 0 || (errno == EEXIST && isFolder(path)) else {
            throw failure("the folder \(path) can't be made")
        }
    }

    /// Writes the file at `path`, which appears whole or not at all.
    static func write(_ bytes: [UInt8], to path: String, overwrites: Bool = false) throws(ImageError) {
        let file = try AtomicFile(path: path, overwrites: overwrites)
        try file.write(bytes)
        try file.commit()
    }

    private static func failure(_ message: String) -> ImageError {
        ImageError(.inputOutput, "\(message): \(String(cString: strerror(errno)))")
    }
}
