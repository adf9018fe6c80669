#if Server
internal import NIOCore
internal import Platform
internal import Raster

/// A file that is sent, read piece by piece on threads that may wait for a disk.
enum FilePieces {
    private static let readers = ImageExecutor(width: 4)

    /// Bytes read at a time.
    static let byteCount = 64 << 10

    /// A part of `file`.
    /// - Throws: `truncated` when the file has become shorter, `inputOutput` when it can't be read.
    static func read(_ file: OpenedFile, _ range: Range<Int>) async throws -> NIOCore.ByteBuffer {
        try await withTaskExecutorPreference(readers) {
            var buffer = NIOCore.ByteBuffer()
            while buffer.readableBytes < range.count {
                let missing = range.count - buffer.readableBytes
                let offset = range.upperBound - missing
                let got = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: missing) { memory in
                    var got: Int
                    // Into the buffer's own memory, of which there is at least as much.
                    repeat {
                        got = pread(file.number, memory.baseAddress, missing, off_t(offset))
                    } while got < 0 && errno == EINTR
                    guard got >= 0 else { throw ImageError(.inputOutput, "the file can't be read") }
                    return got
                }
                guard got > 0 else { throw ImageError(.truncated, "the file has become shorter") }
            }
            return buffer
        }
    }
}
#endif
