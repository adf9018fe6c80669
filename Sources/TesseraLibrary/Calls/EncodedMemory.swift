internal import CTessera
internal import ImageFormats
internal import Platform
internal import Raster

/// Collects bytes in memory that the caller frees with `tessera_free`.
final class EncodedMemory: ByteSink {
    // Allocated by malloc, of `capacity` bytes, of which `count` are written. Owned until `release()`.
    private var base: UnsafeMutableRawPointer?
    private var capacity = 0
    private var count = 0

    deinit { free(base) }

    func reserveCapacity(_ byteCount: Int) { _ = grow(to: byteCount) }

    func write(_ bytes: RawSpan) throws(ImageError) {
        let (needed, overflows) = count.addingReportingOverflow(bytes.byteCount)
        guard !overflows, needed <= capacity || grow(to: max(needed, capacity + capacity / 2)) || grow(to: needed)
        else {
            throw ImageError(.outOfMemory, "no memory for the encoded image")
        }
        bytes.withUnsafeBytes { source in
            guard let base, let start = source.baseAddress else { return }
            // Within the memory: there is room for `needed` bytes.
            (base + count).copyMemory(from: start, byteCount: source.count)
        }
        count = needed
    }

    private func grow(to byteCount: Int) -> Bool {
        guard byteCount > capacity else { return true }
        guard let grown = realloc(base, byteCount) else { return false }
        (base, capacity) = (grown, byteCount)
        return true
    }

    /// Hands the memory over to the caller; at least a byte of it, so that an empty result isn't NULL.
    private func release() throws(ImageError) -> (UnsafeMutablePointer<UInt8>, Int) {
        guard grow(to: 1), let base else { throw ImageError(.outOfMemory, "no memory for the result") }
        let result = (base.assumingMemoryBound(to: UInt8.self), count)
        (self.base, capacity, count) = (nil, 0, 0)
        return result
    }

    /// Writes the memory that `fill` fills to `bytes` and `count`, or NULL and 0 if it throws or returns false.
    static func store(
        in bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ count: UnsafeMutablePointer<Int>?,
        _ fill: (EncodedMemory) throws -> Bool
    ) throws {
        guard let bytes, let count else { throw LibraryFailure.invalid("bytes or count is NULL") }
        (bytes.pointee, count.pointee) = (nil, 0)
        let memory = EncodedMemory()
        guard try fill(memory) else { return }
        (bytes.pointee, count.pointee) = try memory.release()
    }
}
