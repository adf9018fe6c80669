internal import ImageFormats
internal import Platform
package import Raster

/// A file that several threads write at different offsets, and that gets its name at the end.
package final class OutputFile: Sendable {
    /// The final path.
    package let path: String
    private let file: FileDescriptor
    // Used only for the last step, by one thread, when the others are done.
    private nonisolated(unsafe) let atomic: AtomicFile?
    private let overwrites: Bool

    /// Creates a file that is removed unless it is committed.
    package init(path: String, overwrites: Bool) throws(ImageError) {
        let atomic = try AtomicFile(path: path, overwrites: overwrites)
        self.path = path
        self.atomic = atomic
        self.overwrites = overwrites
        file = FileDescriptor(atomic.fileNumber, name: path, isOwned: false)
        guard lseek(file.number, 0, SEEK_CUR) >= 0 else {
            throw ImageError(.inputOutput, "\(path) can't be written: tiles don't come in order, and it is a pipe")
        }
    }

    /// Opens a file that stays as `path` with `.part` if it isn't committed, and is resumed next time.
    package init(resuming path: String, overwrites: Bool) throws(ImageError) {
        guard !path.utf8.contains(0) else { throw ImageError(.invalidParameter, "a path can't contain a zero byte") }
        guard overwrites || FileStatus(path: path) == nil else { throw AtomicFile.exists(path) }
        let number = SystemCall.open(path + Self.partialSuffix, O_RDWR | O_CREAT)
        guard number >= 0 else { throw FileDescriptor.failure(path, .writing) }
        file = FileDescriptor(number, name: path, isOwned: true)
        self.path = path
        self.overwrites = overwrites
        atomic = nil
        guard FileDescriptor.lock(number) else {
            throw ImageError(.inputOutput, "\(path)\(Self.partialSuffix) is being written by another process")
        }
    }

    /// The suffix of a partial file's name.
    package static let partialSuffix = ".part"

    /// The file's current size in bytes.
    package var byteCount: Int { FileStatus(file.number)?.byteCount ?? 0 }

    /// Writes all of `bytes` at `offset`.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ImageError) {
        try file.write(bytes, at: offset)
    }

    /// Writes all of `bytes` at `offset`.
    package func write(_ bytes: [UInt8], at offset: Int) throws(ImageError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in try write(bytes, at: offset) }
    }

    /// Reads up to `count` bytes at `offset`; only for a resumed file.
    package func read(_ count: Int, at offset: Int) throws(ImageError) -> [UInt8] {
        try FileDescriptor(file.number, name: path + Self.partialSuffix, isOwned: false).bytes(count, at: offset)
    }

    /// Truncates or extends the file to `byteCount` bytes.
    package func truncate(to byteCount: Int) throws(ImageError) {
        while ftruncate(file.number, off_t(byteCount)) != 0 {
            guard errno == EINTR else { throw FileDescriptor.failure(path, .writing) }
        }
    }

    /// Gives the file its final name.
    package func commit() throws(ImageError) {
        if let atomic { return try atomic.commit() }
        let partial = path + Self.partialSuffix
        if !overwrites {
            // Linking never replaces a file, even one created at the same moment.
            if link(partial, path) == 0 {
                unlink(partial)
                return
            }
            guard errno != EEXIST else { throw AtomicFile.exists(path) }
        }
        guard rename(partial, path) == 0 else { throw FileDescriptor.failure(path, .writing) }
    }
}
