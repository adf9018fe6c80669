internal import CTesseraSystem

/// An open folder that confines path look-ups: "..", absolute paths and links that lead outside are refused at every
/// step, even if folders are renamed at the same time.
package struct OpenFolder: ~Copyable {
    /// The kind of entry to open.
    package enum Purpose: Sendable {
        /// A file to read. Other kinds than regular files are opened too, without waiting; the caller checks the status.
        case reading
        /// A folder to list.
        case listing

        fileprivate var kind: tessera_open_kind {
            switch self {
            case .reading: TESSERA_OPEN_FILE
            case .listing: TESSERA_OPEN_FOLDER
            }
        }
    }

    /// The folder's descriptor.
    package let number: CInt
    /// Whether paths are walked step by step without following links, even where the system has `openat2`.
    private let goesByStep: Bool

    /// Opens the folder at `path`, links followed.
    package init(path: String, goesByStep: Bool = false) throws(SystemError) {
        let number = path.utf8.contains(0) ? -1 : SystemCall.open(path, O_RDONLY | O_DIRECTORY)
        guard number >= 0 else { throw path.utf8.contains(0) ? SystemError(ENOENT) : .last }
        self.number = number
        self.goesByStep = goesByStep
    }

    deinit { close(number) }

    /// Opens the file or folder that `path` leads to beneath the folder. The caller closes it.
    ///
    /// Links that stay beneath are followed where the system can guarantee that (Linux 5.6, openat2) and refused elsewhere:
    /// POSIX can only walk a path step by step.
    package func descriptor(of path: String, for purpose: Purpose) throws(SystemError) -> CInt {
        try descriptor(of: path, kind: purpose.kind)
    }

    private func descriptor(of path: String, kind: tessera_open_kind) throws(SystemError) -> CInt {
        let number =
            goesByStep
            ? tessera_open_beneath_by_steps(self.number, path.native, kind)
            : tessera_open_beneath(self.number, path.native, kind)
        guard number >= 0 else { throw .last }
        return number
    }

    #if os(Linux) && !TESSERA_POSIX
    /// The status of the file that `path` leads to beneath the folder; nil if there is none.
    package func status(of path: String) -> FileStatus? {
        guard let number = try? descriptor(of: path, kind: TESSERA_OPEN_STATUS) else { return nil }
        defer { close(number) }
        return FileStatus(number)
    }
    #else
    /// The status of the file that `path` leads to beneath the folder; nil if there is none.
    package func status(of path: String) -> FileStatus? {
        // POSIX can't open a file for its status alone: the folder around it is opened instead.
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = String(slash.map { path[path.utf8.index(after: $0)...] } ?? path[...])
        guard !name.isEmpty, name != ".." else { return nil }
        guard let slash else { return FileStatus(name.native, in: number) }
        guard let folder = try? descriptor(of: String(path[..<slash]), for: .listing) else { return nil }
        defer { close(folder) }
        return FileStatus(name.native, in: folder)
    }
    #endif
}
