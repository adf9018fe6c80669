internal import Dispatch
internal import ImageFormats
internal import Platform
public import Raster
internal import Synchronization

/// The bytes of a file, a pipe or standard input, piece by piece, for an `ArrivingImage`; also of a file that somebody is
/// still writing.
///
/// Waiting for bytes takes no thread of Swift's own. Each iteration reads on from where the last one stood.
public struct FileChunks: AsyncSequence, Sendable {
    private let file: File
    private let pieceByteCount: Int
    private let isWritten: (@Sendable () -> Bool)?

    /// The bytes of the file at `path`. Opening a named pipe waits for its writer.
    ///
    /// - Parameters:
    ///   - pieceByteCount: Bytes at a time, at most.
    ///   - isWritten: For a file that grows: whether whoever writes it is done. At its end more is awaited until this is so.
    ///     Asked some fifty times a second.
    /// - Throws: `inputOutput` with the path and the system's reason.
    public init(
        path: String, pieceByteCount: Int = 1 << 16, isWritten: (@Sendable () -> Bool)? = nil
    ) throws(ImageError) {
        self.init(
            File(try FileDescriptor(reading: path)), pieceByteCount: pieceByteCount, isWritten: isWritten)
    }

    /// What the process reads as standard input.
    public static func standardInput(pieceByteCount: Int = 1 << 16) -> FileChunks {
        FileChunks(
            File(FileDescriptor(STDIN_FILENO, name: "standard input", isOwned: false)),
            pieceByteCount: pieceByteCount, isWritten: nil)
    }

    private init(_ file: File, pieceByteCount: Int, isWritten: (@Sendable () -> Bool)?) {
        self.file = file
        self.pieceByteCount = Swift.max(1, pieceByteCount)
        self.isWritten = isWritten
    }

    /// An open file that copies of the sequence share. It is read by one iteration at a time.
    private final class File: Sendable {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

        /// Up to `byteCount` bytes; none only at the end. Blocks, but looks up now and then whether it still should.
        func read(_ byteCount: Int, while isWanted: () -> Bool) throws(ImageError) -> [UInt8] {
            var status = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            while poll(&status, 1, 50) == 0 {
                guard isWanted() else { throw ImageError(.cancelled, "reading \(descriptor.name) was cancelled") }
            }
            var bytes = [UInt8](repeating: 0, count: byteCount)
            var failure: ImageError?
            let count = bytes.withUnsafeMutableBytes { buffer in
                do throws(ImageError) { return try descriptor.read(into: buffer) } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            if count < byteCount { bytes.removeLast(byteCount - count) }
            return bytes
        }
    }
}

extension FileChunks {
    /// Reads on from where the file stands.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let chunks: FileChunks

        /// The piece that comes next; nil at the end.
        /// - Throws: `inputOutput`; `cancelled` when the task is.
        public mutating func next() async throws(ImageError) -> [UInt8]? {
            while true {
                // Asked before the file is read: what is written until then is seen.
                let isLast = chunks.isWritten?() ?? true
                let piece = try await chunks.read()
                if !piece.isEmpty { return piece }
                if isLast { return nil }
                do { try await Task.sleep(for: .milliseconds(20)) } catch { throw FileChunks.cancelled }
            }
        }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

    private static let cancelled = ImageError(.cancelled, "reading was cancelled")

    /// Has a thread that may block read the next piece.
    private func read() async throws(ImageError) -> [UInt8] {
        let (file, byteCount, isWanted) = (file, pieceByteCount, WantedFlag())
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async {
                    continuation.resume(
                        returning: Result { () throws(ImageError) in
                            try file.read(byteCount) { isWanted.value }
                        })
                }
            }
        } onCancel: {
            isWanted.clear()
        }
        return try result.get()
    }

    /// Whether the bytes that are being waited for are still wanted.
    private final class WantedFlag: Sendable {
        private let isWanted = Atomic(true)

        var value: Bool { isWanted.load(ordering: .relaxed) }

        func clear() { isWanted.store(false, ordering: .relaxed) }
    }
}
