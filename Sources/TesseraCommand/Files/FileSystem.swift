internal import Platform
internal import Tessera

/// What has to be asked of the file system beside reading and writing.
enum FileSystem {
    /// What tells one file from every other on the machine, whatever it is called.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Whether there is a folder at `path`, links followed.
    static func isFolder(_ path: String) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
    }

    /// Whether there is a file with content of its own at `path`: no folder, pipe or device. Links are followed.
    static func isRegularFile(_ path: String) -> Bool {
        status(path).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }

    /// Which file is at `path`; nil where there is none.
    static func identity(_ path: String) -> Identity? {
        status(path).map { Identity(device: UInt64($0.st_dev), number: UInt64($0.st_ino)) }
    }

    /// How long the file at `path` is; nil where there is none.
    static func byteCount(_ path: String) -> Int? { status(path).map { Int($0.st_size) } }

    /// How long the file at `path` is and when it was changed, as words; nil where there is none.
    static func state(_ path: String) -> String? {
        guard let status = status(path), status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return "\(status.st_size) bytes of \(words(time))"
    }

    /// A time as ISO 8601 writes it, in UTC: `2026-02-28T17:05:09.120000000Z`.
    private static func words(_ time: timespec) -> String {
        var (seconds, parts) = (time.tv_sec, tm())
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map { digits($0, 2) }
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }
        return "\(date.joined(separator: "-"))T\(clock.joined(separator: ":")).\(digits(time.tv_nsec, 9))Z"
    }

    /// The names in the folder at `path` in alphabetical order, hidden ones left out.
    static func names(in path: String) throws(ImageError) -> [String] {
        guard let folder = opendir(path) else { throw failure("\(path) can't be read") }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // The name is a C string within the entry, which stays until the next call.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
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

    private static func failure(_ message: String) -> ImageError {
        ImageError(.inputOutput, "\(message): \(String(cString: strerror(errno)))")
    }
}
