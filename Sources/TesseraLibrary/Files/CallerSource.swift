internal import CTessera
internal import ImageFormats
internal import Raster
internal import Synchronization

/// Bytes that the caller's callbacks read. Whatever they return or do, no byte outside of the buffer is used.
final class CallerSource: RandomAccessBytes {
    // Unchecked: the caller promises that its context can be used from any thread, one at a time.
    private struct Callbacks: @unchecked Sendable {
        let source: tessera_source
    }

    private let callbacks: Callbacks
    /// Keeps a seek and the reads after it together. Held while callbacks run, which can't call the library again.
    private let turn = Mutex(())
    private let isOpen = Mutex(false)

    init(_ source: tessera_source) throws(LibraryFailure) {
        guard source.read != nil else { throw .invalid("source.read is NULL") }
        guard source.seek == nil || source.byte_count >= 0 else {
            throw .invalid("source.byte_count of \(source.byte_count) is negative")
        }
        callbacks = Callbacks(source: source)
    }

    deinit {
        guard isOpen.withLock({ $0 }), let release = callbacks.source.release else { return }
        LibraryCall.callback { release(callbacks.source.context) }
    }

    /// Lets `release` be called at the end. An image that couldn't be opened leaves the source to the caller.
    func keep() { isOpen.withLock { $0 = true } }

    /// Opens the source: bytes in sequence are read to their end.
    func open(limit: Int) throws(ImageError) -> Source {
        guard callbacks.source.seek == nil else {
            return Source(self, byteCount: Int(callbacks.source.byte_count))
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var span = piece.mutableSpan
            let count = try span.withUnsafeMutableBytes { (buffer) throws(ImageError) in try read(into: buffer) }
            guard count > 0 else { return Source(bytes) }
            guard bytes.count + count <= limit else {
                throw ImageError(
                    .limitExceeded,
                    "the source has more than \(limit) bytes (DecodingLimits.maximumInputByteCount)")
            }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) -> Int {
        try turn.withLock { (_) throws(ImageError) in
            let source = callbacks.source
            guard LibraryCall.callback({ source.seek?(source.context, Int64(offset)) ?? -1 }) == 0 else {
                throw ImageError(.inputOutput, "the source's seek callback failed", byteOffset: offset)
            }
            var filled = 0
            while filled < buffer.count {
                let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                guard count > 0 else { break }
                filled += count
            }
            return filled
        }
    }

    /// Calls the caller once.
    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImageError) -> Int {
        let source = callbacks.source
        let count = LibraryCall.callback { source.read(source.context, buffer.baseAddress, buffer.count) }
        guard count >= 0 else { throw ImageError(.inputOutput, "the source's read callback failed") }
        guard count <= buffer.count else {
            throw ImageError(
                .inputOutput,
                "the source's read callback returned \(count), more than the \(buffer.count) bytes asked for"
            )
        }
        return Int(count)
    }
}
