internal import CTesseraSystem

/// An open folder, beneath which things are opened and nowhere else: "..", absolute paths and links that lead out are
/// refused at every step, whatever is renamed meanwhile.
package struct OpenFolder: ~Copyable {
    /// What is opened, and for what.
    package enum Purpose: Sendable {
        /// A file to be read. One that isn't regular is opened too, without waiting; who asked looks at its status.
        case reading
        /// A folder to be listed.
        case listing

        fileprivate var kind: tessera_open_kind {
            switch self {
            case .reading: TESSERA_OPEN_FILE
            case .listing: TESSERA_OPEN_FOLDER
            }
        }
    }

    /// The system's number for it.
    package let number: CInt
    /// Whether paths are walked step by step, following no link, though the system could do better.
    private let goesByStep: Bool

    /// Opens the folder at `path`, links followed.
    package init(path: String, goesByStep: Bool = false) throws(SystemError) {
        let number = path.utf8.contains(0) ? -1 : SystemCall.open(path, O_RDONLY | O_DIRECTORY)
        guard number >= 0 else { throw path.utf8.contains(0) ? SystemError(ENOENT) : .last }
        self.number = number
        self.goesByStep = goesByStep
    }

    deinit { close(number) }

    /// The system's number of what `path` leads to beneath the folder, for the caller to close.
    ///
    /// Links that stay beneath are followed where the system can make sure of it (Linux 5.6, openat2), and refused elsewhere:
    /// POSIX can only go a step at a time.
    package func descriptor(of path: String, for purpose: Purpose) throws(SystemError) -> CInt {
        try descriptor(of: path, kind: purpose.kind)
    }

    private func descriptor(of path: String, kind: tessera_open_kind) throws(SystemError) -> CInt {
        let number =
            goesByStep
            ? tessera_open_beneath_by_steps(self.number, path, kind) : tessera_open_beneath(self.number, path, kind)
        guard number >= 0 else { throw .last }
        return number
    }

    #if os(Linux) && !TESSERA_POSIX
    /// The status of what `path` leads to beneath the folder; nil where there is nothing.
    package func status(of path: String) -> FileStatus? {
        guard let number = try? descriptor(of: path, kind: TESSERA_OPEN_STATUS) else { return nil }
        defer { close(number) }
        return FileStatus(number)
    }
    #else
    /// The status of what `path` leads to beneath the folder; nil where there is nothing.
    package func status(of path: String) -> FileStatus? {
        // POSIX opens nothing for its status alone: the folder around it is opened, and asked.
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = String(slash.map { path[path.utf8.index(after: $0)...] } ?? path[...])
        guard !name.isEmpty, name != ".." else { return nil }
        guard let slash else { return FileStatus(name, in: number) }
        guard let folder = try? descriptor(of: String(path[..<slash]), for: .listing) else { return nil }
        defer { close(folder) }
        return FileStatus(name, in: folder)
    }
    #endif
}
