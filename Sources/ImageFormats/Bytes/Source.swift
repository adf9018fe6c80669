package import Platform
public import Raster
internal import Synchronization

/// An image's encoded bytes: in memory, in a file, or from a pipe.
///
/// ```swift
/// let rows = try ImageRowSource(Source(path: "photo.jpg"))
/// ```
///
/// A file is opened once and read at any offset by any thread, by as many readers as there are. It is never mapped: a
/// file that becomes shorter is an error, not the end of the process. A pipe or a device is a *stream*, which delivers
/// its bytes once and in sequence; what a `headerReader()` has read of it is delivered again.
public final class Source: Sendable {
    /// The file's name, as messages have it.
    public let name: String
    /// Whether the bytes come in sequence and once, as from a pipe or a device.
    public let isStream: Bool
    /// The file that the bytes are in; nil in memory and for what isn't a regular file.
    public let identity: Identity?
    /// The bytes, where they are in memory.
    package let memory: [UInt8]?
    /// The number of bytes when the source was made; 0 for a stream.
    package let length: Int

    /// The open file, with a number below 0 in memory.
    let file: FileDescriptor
    /// The offset in the file of the source's first byte.
    private let start: Int
    /// What is left of a stream, besides what its descriptor delivers.
    let stream = Mutex(StreamState())

    /// What tells a file from others and from itself before a change.
    public struct Identity: Hashable, Sendable {
        /// The file system.
        package let device: UInt64
        /// The file's number in its file system.
        package let inode: UInt64
        /// When the content was last changed.
        package let modification: FileTime
    }

    /// The bytes in `bytes`: an array, which isn't copied, or anything else of bytes, such as Foundation's `Data`.
    public init(_ bytes: some Sequence<UInt8>, name: String = "the image") {
        self.name = name
        file = FileDescriptor(-1, name: name, isOwned: false)
        let memory = Array(bytes)
        self.memory = memory
        length = memory.count
        start = 0
        isStream = false
        identity = nil
    }

    /// Opens the file at `path`. Opening a named pipe waits for its writer.
    /// - Throws: `inputOutput` with the path and the system's reason, also for a folder.
    public convenience init(path: String) throws(ImageError) {
        try self.init(FileDescriptor(opening: path, O_RDONLY, purpose: .reading))
    }

    /// Opens the regular file at `path`. Anything else is refused at once, so that a pipe isn't waited for.
    /// - Throws: `inputOutput` with the path and the reason.
    package convenience init(regularFile path: String) throws(ImageError) {
        try self.init(FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK, purpose: .reading))
        guard !isStream else {
            throw ImageError(.inputOutput, "\(path) can't be read: it isn't a file with content of its own")
        }
    }

    /// The process's standard input, from its current offset on.
    /// - Throws: `inputOutput` where it is closed or a folder.
    public static func standardInput() throws(ImageError) -> Source {
        try Source(FileDescriptor(STDIN_FILENO, name: "standard input", isOwned: false))
    }

    /// The bytes of an open file. Of a regular file they begin at `offset`, or at its current one, which isn't moved.
    /// - Throws: `inputOutput` for a folder, and where the system has no status for it.
    package init(_ file: consuming FileDescriptor, from offset: Int? = nil) throws(ImageError) {
        let status = try file.status(.reading)
        guard !status.isFolder else {
            throw ImageError(.inputOutput, "\(file.name) can't be read: it is a folder")
        }
        let isRegular = status.isRegular
        // Standard input may have been read from already.
        let start = isRegular ? offset ?? max(0, Int(lseek(file.number, 0, SEEK_CUR))) : 0
        // Files of the system's own, as in /proc, say 0 and have content.
        let hasLength = isRegular && (status.byteCount > 0 || (try? file.bytes(1, at: start))?.isEmpty ?? false)
        self.start = start
        isStream = !hasLength
        length = hasLength ? max(0, status.byteCount - start) : 0
        identity =
            isRegular
            ? Identity(device: status.device, inode: status.inode, modification: status.modificationTime) : nil
        memory = nil
        name = file.name
        self.file = file
    }

    /// The number of bytes when the source was made; nil for a stream.
    public var byteCount: Int? { isStream ? nil : length }

    /// Whether it is a regular file.
    public var isRegular: Bool { identity != nil }

    /// The system's number for the file, which stays open as long as the source lives; nil in memory, for a stream, and
    /// where the source's first byte isn't the file's.
    package var fileNumber: CInt? { isStream || memory != nil || start > 0 ? nil : file.number }

    /// Fills `buffer` with the bytes from `offset` on, as far as there are any, and says how many. For regular files.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        let (place, overflows) = start.addingReportingOverflow(offset)
        return overflows ? 0 : try file.read(into: buffer, at: place)
    }
}
