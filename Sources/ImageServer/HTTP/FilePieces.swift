#if Server
internal import ImageFormats
internal import NIOCore
internal import Raster

/// Reads pieces of files for sending, on threads that may block on a disk.
enum FilePieces {
    private static let readers = ImageExecutor(width: 4)

    /// The size of a piece.
    static let byteCount = 64 << 10

    /// Reads a range of `file`.
    /// - Throws: `truncated` if the file has become shorter, `inputOutput` if it can't be read.
    static func read(_ file: OpenedFile, _ range: Range<Int>) async throws -> NIOCore.ByteBuffer {
        try await withTaskExecutorPreference(readers) {
            var buffer = NIOCore.ByteBuffer()
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { memory in
                // The buffer may be larger than requested.
                let part = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(range.count))
                try file.source.read(into: part, at: range.lowerBound)
                return part.count
            }
            return buffer
        }
    }
}
#endif
