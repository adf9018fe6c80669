#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Raster

/// A file that is read here and there, by any thread.
final class InputFile: Sendable {
    let path: String
    /// How long it was when it was opened.
    let byteCount: Int
    /// The system's number for it.
    let number: CInt

    init(path: String) throws(ImageError) {
        guard !path.utf8.contains(0) else { throw ImageError(.invalidParameter, "a path can't contain a zero byte") }
        self.path = path
        number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else {
            throw ImageError(.inputOutput, "\(path) can't be read: \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(number)
            throw ImageError(.inputOutput, "\(path) can't be read: it is no file with content of its own")
        }
        byteCount = Int(status.st_size)
    }

    deinit { close(number) }

    /// Exactly `count` bytes from `offset` on.
    /// - Throws: `truncated` where the file doesn't have them, before memory is taken.
    func read(_ count: Int, at offset: Int) throws(ImageError) -> [UInt8] {
        guard count >= 0, offset >= 0, offset <= byteCount, count <= byteCount - offset else {
            throw ImageError(.truncated, "\(path) ends before what it speaks of", byteOffset: byteCount)
        }
        let bytes = try PositionedReading.read(number, count, at: offset, name: path)
        guard bytes.count == count else {
            throw ImageError(.truncated, "\(path) became shorter while it was read", byteOffset: offset + bytes.count)
        }
        return bytes
    }
}
