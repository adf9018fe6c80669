package import Platform
public import Raster
internal import Synchronization

/// An image's encoded bytes: in memory, in a file, from a pipe, or from a program's own reader.
///
/// ```swift
/// let rows = try ImageRowSource(Source(path: "photo.jpg"))
/// ```
///
/// A file is opened once; any number of threads and readers can read it at any offset. It is never mapped into memory,
/// so a file that becomes shorter causes an error, not a crash. A pipe or a device is a *stream*, whose bytes are
/// delivered once and in sequence; only those read by a `headerReader()` are delivered again.
public final class Source: Sendable {
    /// The file's name, for messages.
    public let name: String
    /// Whether the bytes are delivered once and in sequence, as from a pipe or a device.
    public let isStream: Bool
    /// The identity of the file; nil for bytes in memory and for anything but a regular file.
    public let identity: Identity?
    /// A text that changes with the bytes of a remote object; nil for everything else.
    package let version: String?
    /// The bytes, if they are in memory.
    package let memory: [UInt8]?
    /// The number of bytes when the source was created; 0 for a stream.
    package let length: Int

    /// The open file; its number is negative if there is none.
    let file: FileDescriptor
    /// The file's offset of the source's first byte.
    private let start: Int
    /// The program's own reader, if the bytes are neither in memory nor in a file.
    let ownReader: (any RandomAccessBytes)?
    /// The pieces of a stream that are kept in memory, and its consumers.
    let stream = Mutex(StreamState())

    /// Distinguishes a file from other files and from its earlier versions.
    public struct Identity: Hashable, Sendable {
        /// The number of the file system.
        package let device: UInt64
        /// The file's number in its file system.
        package let inode: UInt64
        /// The time of the last change to the content.
        package let modification: FileTime
    }

    /// Creates a source from bytes in memory: an array, which isn't copied, or a sequence such as Foundation's `Data`.
    public init(_ bytes: some Sequence<UInt8>, name: String = "the image") {
        self.name = name
        file = FileDescriptor(-1, name: name, isOwned: false)
        let memory = Array(bytes)
        self.memory = memory
        length = memory.count
        start = 0
        ownReader = nil
        isStream = false
        identity = nil
        version = nil
    }

    /// Creates a source of `byteCount` bytes that `reader` delivers.
    /// - Parameter version: A text that changes with the bytes of a remote object, which `name` identifies.
    package init(
        _ reader: any RandomAccessBytes, byteCount: Int, name: String = "the image", version: String? = nil
    ) {
        self.version = version
        self.name = name
        file = FileDescriptor(-1, name: name, isOwned: false)
        memory = nil
        length = max(0, byteCount)
        start = 0
        ownReader = reader
        isStream = false
        identity = nil
    }

    /// Opens the file at `path`. Opening a named pipe waits for its writer.
    /// - Throws: `inputOutput` with the path and the system's reason, also for a folder.
    public convenience init(path: String) throws(ImageError) {
        try self.init(FileDescriptor(opening: path, O_RDONLY, purpose: .reading))
    }

    /// Opens the regular file at `path`. Fails at once for anything else, and doesn't wait for a pipe's writer.
    /// - Throws: `inputOutput` with the path and the reason.
    package convenience init(regularFile path: String) throws(ImageError) {
        try self.init(FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK, purpose: .reading))
        guard !isStream else {
            throw ImageError(.inputOutput, "\(path) can't be read: it isn't a regular file")
        }
    }

    /// Returns a source for the process's standard input, from its current offset on.
    /// - Throws: `inputOutput` if it is closed or a folder.
    public static func standardInput() throws(ImageError) -> Source {
        try Source(FileDescriptor(STDIN_FILENO, name: "standard input", isOwned: false))
    }

    /// Creates a source from an open file. For a regular file, it begins at `offset`, or at the file's current offset,
    /// which doesn't change.
    /// - Throws: `inputOutput` for a folder, or if the system can't report the file's status.
    package init(_ file: consuming FileDescriptor, from offset: Int? = nil) throws(ImageError) {
        let status = try file.status(.reading)
        guard !status.isFolder else {
            throw ImageError(.inputOutput, "\(file.name) can't be read: it is a folder")
        }
        let isRegular = status.isRegular
        // Another program may already have read a part of standard input.
        let start = isRegular ? offset ?? max(0, Int(lseek(file.number, 0, SEEK_CUR))) : 0
        // Virtual files, as in /proc, report a length of 0 but have content.
        let hasLength = isRegular && (status.byteCount > 0 || (try? file.bytes(1, at: start))?.isEmpty ?? false)
        self.start = start
        isStream = !hasLength
        length = hasLength ? max(0, status.byteCount - start) : 0
        identity =
            isRegular
            ? Identity(device: status.device, inode: status.inode, modification: status.modificationTime) : nil
        memory = nil
        ownReader = nil
        version = nil
        name = file.name
        self.file = file
    }

    /// The number of bytes when the source was created; nil for a stream.
    public var byteCount: Int? { isStream ? nil : length }

    /// Whether the source is a regular file.
    public var isRegular: Bool { identity != nil }

    /// The descriptor of the file, which stays open as long as the source lives; nil for bytes in memory, for a stream,
    /// and if the source doesn't begin at the file's first byte.
    package var fileNumber: CInt? {
        isStream || memory != nil || ownReader != nil || start > 0 ? nil : file.number
    }

    /// Fills `buffer` from `offset` on, and returns the number of bytes, fewer at the end. Not for memory or streams.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        if let ownReader {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(0, length - offset)))
            return rest.isEmpty ? 0 : try ownReader.read(into: rest, at: offset)
        }
        let (place, overflows) = start.addingReportingOverflow(offset)
        return overflows ? 0 : try file.read(into: buffer, at: place)
    }

    /// Fills `buffer` from `offset` on, with fewer bytes if the rest must be fetched. Returns 0 only at the end.
    func fillSome(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        guard let ownReader else { return try fill(buffer, at: offset) }
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(0, length - offset)))
        return rest.isEmpty ? 0 : try ownReader.readSome(into: rest, at: offset)
    }
}
