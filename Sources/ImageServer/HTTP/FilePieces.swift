#if Server
internal import ImageFormats
internal import NIOCore
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
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { memory in
                // There is at least as much.
                let part = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(range.count))
                try file.source.read(into: part, at: range.lowerBound)
                return part.count
            }
            return buffer
        }
    }
}
#endif
