/// A file that appears whole or not at all: `commit()` gives it its name; without that call nothing remains of it.
///
/// Until then the bytes are in an unnamed file in the same folder (Linux: O_TMPFILE), which disappears however the process
/// ends. Where the system or the file system has no unnamed files, a hidden file beside the target is used, which is removed
/// unless the process is killed.
///
/// A new file's permissions are the process's default (its umask); a replaced file keeps its permissions. A symbolic link is
/// followed. Pipes and devices are written to directly, since nothing can take their place.
public final class AtomicFile: ByteSink {
    /// Where the bytes are until they are committed.
    enum Place {
        case unnamed
        /// In a file of this path.
        case temporary(String)
        /// Directly in the target, a pipe or a device.
        case target
        /// Committed, or given up.
        case done
    }

    /// The path as it was given.
    public let path: String
    /// The final path, links followed.
    private let target: String
    private let overwrites: Bool
    private var output: BufferedOutput
    private(set) var place: Place
    private var failure: ImageError?
    private var timesToKeep: (access: FileTime, modification: FileTime)?

    /// Prepares a file that will be called `path`.
    /// - Parameter overwrites: Whether a file of that name may be replaced.
    /// - Throws: `inputOutput` with the path and the reason: it is a folder, it exists and `overwrites` is false, or the
    ///   folder can't be written to.
    public convenience init(path: String, overwrites: Bool = false) throws(ImageError) {
        try self.init(path: path, overwrites: overwrites, usesUnnamedFile: true)
    }

    /// - Parameter usesUnnamedFile: Whether to try an unnamed file first.
    package init(path: String, overwrites: Bool, usesUnnamedFile: Bool) throws(ImageError) {
        self.path = path
        self.overwrites = overwrites
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ImageError(.invalidParameter, "a path can't be empty or contain a zero byte")
        }
        var mode: mode_t?
        if let status = FileStatus(path: path) {
            switch status.kind {
            case .folder:
                throw ImageError(.inputOutput, "\(path) can't be written: it is a folder")
            case .regular:
                guard overwrites else { throw Self.exists(path) }
                guard access(path.native, W_OK) == 0 else { throw FileDescriptor.failure(path, .writing) }
                mode = mode_t(status.permissions)
            case .stream:
                target = path
                output = BufferedOutput(try FileDescriptor(opening: path, O_WRONLY, purpose: .writing))
                place = .target
                return
            case .link, .other:
                throw ImageError(.inputOutput, "\(path) can't be written: it is a disk, not a file")
            }
        } else if errno != ENOENT {
            throw FileDescriptor.failure(path, .writing)
        }
        target = Self.resolved(path)
        var place = Place.unnamed
        let file = try Self.open(beside: target, usesUnnamedFile: usesUnnamedFile, as: &place)
        if let mode { fchmod(file.number, mode) }
        self.place = place
        output = BufferedOutput(file)
    }

    deinit { removeTemporary() }

    /// The descriptor of the file with the bytes, for callers that write them out of order.
    package var fileNumber: CInt { output.file.number }

    /// Gives the file, when it is committed, the times of last access and change that the regular file at `path` has now.
    package func keepTimes(of path: String) {
        guard let status = FileStatus(path: path), status.isRegular else { return }
        timesToKeep = (status.accessTime, status.modificationTime)
    }

    /// Writes the next bytes.
    /// - Throws: `inputOutput`; the file can't be committed after that.
    public func write(_ bytes: RawSpan) throws(ImageError) {
        if let failure { throw failure }
        do throws(ImageError) {
            try output.write(bytes)
        } catch {
            throw failed(error)
        }
    }

    /// Gives the file its name.
    /// - Throws: `inputOutput`, also when a file of that name has appeared in the meantime and must not be replaced. No file
    ///   remains then.
    public func commit() throws(ImageError) {
        if let failure { throw failure }
        do throws(ImageError) {
            try output.flush()
            if let (access, modification) = timesToKeep {
                guard FileTime.setTimes(of: fileNumber, access: access, modification: modification) else {
                    throw FileDescriptor.failure(path, .writing)
                }
            }
            switch place {
            case .unnamed: try nameUnnamed()
            case .temporary(let temporary): try rename(temporary)
            case .target, .done: break
            }
            place = .done
        } catch {
            throw failed(error)
        }
    }

    private func failed(_ error: ImageError) -> ImageError {
        // Messages name the file that the caller gave, not its temporary stand-in.
        failure = error
        removeTemporary()
        return error
    }

    private func removeTemporary() {
        if case .temporary(let temporary) = place { unlink(temporary.native) }
        place = .done
    }

    /// That there is a file at `path` which isn't to be replaced.
    package static func exists(_ path: String) -> ImageError {
        ImageError(.inputOutput, "\(path) can't be written: it exists already")
    }
}

extension AtomicFile {
    /// The path that `path` leads to: for a link its destination, even if that doesn't exist yet.
    private static func resolved(_ path: String) -> String {
        if let real = realpath(path.native, nil) {
            defer { free(real) }
            return String(native: real)
        }
        return path
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A random path in the same folder.
    private static func temporaryPath(beside path: String) -> String {
        let number = String(UInt64.random(in: 0 ... .max), radix: 36)
        let folder = folder(of: path)
        return (folder == "/" ? "" : folder) + "/.tessera-\(number).part"
    }

    private static func open(
        beside path: String, usesUnnamedFile: Bool, as place: inout Place
    ) throws(ImageError) -> FileDescriptor {
        if usesUnnamedFile, let number = UnnamedFile.openNameable(in: folder(of: path)) {
            place = .unnamed
            return FileDescriptor(number, name: path, isOwned: true)
        }
        while true {
            let temporary = temporaryPath(beside: path)
            let number = SystemCall.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
            if number >= 0 {
                place = .temporary(temporary)
                return FileDescriptor(number, name: path, isOwned: true)
            }
            guard errno == EEXIST else { throw FileDescriptor.failure(path, .writing) }
        }
    }

    private func nameUnnamed() throws(ImageError) {
        let number = output.file.number
        if UnnamedFile.name(number, target) { return }
        guard errno == EEXIST else { throw FileDescriptor.failure(path, .writing) }
        guard overwrites else { throw Self.exists(path) }
        while true {
            let temporary = Self.temporaryPath(beside: target)
            if UnnamedFile.name(number, temporary) {
                place = .temporary(temporary)
                return try rename(temporary)
            }
            guard errno == EEXIST else { throw FileDescriptor.failure(path, .writing) }
        }
    }

    private func rename(_ temporary: String) throws(ImageError) {
        if !overwrites {
            // Linking never replaces a file, even one that another process creates at the same moment.
            if link(temporary.native, target.native) == 0 {
                unlink(temporary.native)
                return
            }
            guard errno != EEXIST else { throw Self.exists(path) }
            // A file system without hard links: the process that creates the empty file may replace it.
            let number = SystemCall.open(target, O_WRONLY | O_CREAT | O_EXCL)
            guard number >= 0 else {
                throw errno == EEXIST ? Self.exists(path) : FileDescriptor.failure(path, .writing)
            }
            close(number)
        }
        guard SystemCall.rename(temporary, to: target) == 0 else {
            let error = FileDescriptor.failure(path, .writing)
            if !overwrites { unlink(target.native) }
            throw error
        }
    }
}
