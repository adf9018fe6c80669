internal import Platform
public import Raster

/// The bytes of a file, a pipe or standard input, read 256 KiB at a time.
///
/// ```swift
/// let rows = try ImageRowSource(FileByteSource(path: "photo.jpg"))
/// ```
public final class FileByteSource: ByteSource {
    private let file: FileDescriptor
    private let buffer: UnsafeMutableRawBufferPointer
    /// Where the bytes end in a file that has a length; nil for pipes and devices.
    private let end: off_t?
    private let start: off_t

    /// Bytes read, and lent, at a time.
    private static let pieceByteCount = 1 << 18

    /// How many bytes there are in all; nil for a pipe or a device, or where the system gives no length.
    public let byteCount: Int?

    /// Opens the file at `path`. Opening a named pipe waits for its writer.
    /// - Throws: `inputOutput` with the path and the system's reason, also for a folder.
    public convenience init(path: String) throws(ImageError) {
        try self.init(FileDescriptor(opening: path, O_RDONLY, purpose: .reading))
    }

    /// What the process reads as standard input, from where it stands.
    /// - Throws: `inputOutput` where it is closed or a folder.
    public static func standardInput() throws(ImageError) -> FileByteSource {
        try FileByteSource(FileDescriptor(STDIN_FILENO, name: "standard input", isOwned: false))
    }

    package init(_ file: consuming FileDescriptor) throws(ImageError) {
        let status = try file.status(.reading)
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else {
            throw ImageError(.inputOutput, "\(file.name) can't be read: it is a folder")
        }
        // Files of the system's own, as in /proc, say 0 and have content; an empty file does no harm as a stream.
        let hasLength = kind == S_IFREG && status.st_size > 0
        // Standard input may have been read from already.
        start = hasLength ? max(0, lseek(file.number, 0, SEEK_CUR)) : 0
        end = hasLength ? max(start, status.st_size) : nil
        byteCount = hasLength ? Int(max(0, status.st_size - start)) : nil
        // A page's alignment lets the system copy whole pages.
        buffer = .allocate(byteCount: Self.pieceByteCount, alignment: 4096)
        self.file = file
    }

    deinit { buffer.deallocate() }

    /// The system's number for the file, which stays open as long as this object lives.
    package var number: CInt { file.number }
    /// Whether the first of its bytes is the file's.
    package var isAtStart: Bool { start == 0 }

    /// Reads what comes next, at most 256 KiB, and lends it.
    /// - Throws: `inputOutput`, or what `body` throws.
    public func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        let count = try file.read(into: buffer)
        guard count > 0 else { return false }
        // The buffer lives as long as self, and only this method, which isn't reentrant, writes to it.
        try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
        return true
    }

    /// The end of the file, read without moving on; nil for a pipe or a device.
    /// - Throws: `inputOutput`.
    public func suffix(_ count: Int) throws(ImageError) -> [UInt8]? {
        guard let byteCount else { return nil }
        return try self.bytes(from: max(0, byteCount - max(0, count)), count: count)
    }

    /// Up to `count` bytes, fewer at the end, from the byte at `offset` on, without moving on; nil for a pipe or a device.
    /// - Throws: `inputOutput`.
    public func bytes(from offset: Int, count: Int) throws(ImageError) -> [UInt8]? {
        guard let end, let byteCount else { return nil }
        let first = start + off_t(min(max(0, offset), byteCount))
        return try file.bytes(min(max(0, count), Int(end - first)), at: Int(first))
    }
}
