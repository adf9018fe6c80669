internal import ImageFormats
internal import Platform
internal import Raster

/// A file that is read here and there, by any thread.
final class InputFile: Sendable {
    let path: String
    /// How long it was when it was opened.
    let byteCount: Int
    /// When it was last changed, in nanoseconds since 1970.
    let modification: Int64
    private let descriptor: FileDescriptor

    init(path: String) throws(ImageError) {
        guard !path.utf8.contains(0) else { throw ImageError(.invalidParameter, "a path can't contain a zero byte") }
        self.path = path
        // A pipe isn't waited for.
        let number = SystemCall.open(path, O_RDONLY | O_NONBLOCK)
        guard number >= 0 else {
            throw ImageError(.inputOutput, "\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        descriptor = FileDescriptor(number, name: path, isOwned: true)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ImageError(.inputOutput, "\(path) can't be read: it is no file with content of its own")
        }
        byteCount = Int(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modification = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// Exactly `count` bytes from `offset` on.
    /// - Throws: `truncated` where the file doesn't have them, before memory is taken.
    func read(_ count: Int, at offset: Int) throws(ImageError) -> [UInt8] {
        guard count >= 0, offset >= 0, offset <= byteCount, count <= byteCount - offset else {
            throw ImageError(.truncated, "\(path) ends before what it speaks of", byteOffset: byteCount)
        }
        let bytes = try descriptor.bytes(count, at: offset)
        guard bytes.count == count else { throw shortened(offset + bytes.count) }
        return bytes
    }

    /// Fills `buffer` with what is there from `offset` on.
    /// - Throws: `truncated` where the file doesn't have as much any more.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) {
        let count = try descriptor.read(into: buffer, at: offset)
        guard count == buffer.count else { throw shortened(offset + count) }
    }

    private func shortened(_ offset: Int) -> ImageError {
        ImageError(.truncated, "\(path) became shorter while it was read", byteOffset: offset)
    }
}
