internal import Synchronization

/// Memory for pixels, kept for reuse instead of freed.
///
/// The first touch of fresh memory costs as much as decoding into it, so unused buffers are kept, up to a
/// bound in bytes. Buffers start at 64 bytes' alignment, large ones at 2 MiB's, and ask for huge pages.
public final class PixelBufferPool: Sendable {
    /// The default pool of bitmaps. It keeps at most 64 MiB.
    public static let shared = PixelBufferPool(byteLimit: 64 << 20)

    /// The largest number of buffers kept, so that the search for one stays quick.
    static let countLimit = 64

    struct Buffer: @unchecked Sendable {
        // Sendable: a buffer is either in the pool or with its one owner, so memory is never shared.
        let base: UnsafeMutableRawPointer
        let byteCount: Int
    }

    private struct State {
        var free: [Buffer] = []
        var freeBytes = 0
        var byteLimit: Int
    }

    private let state: Mutex<State>

    /// A pool that keeps at most `byteLimit` bytes of unused buffers.
    public init(byteLimit: Int) {
        #if WITHOUT_POOLS
        // For sanitizers, which track the use of memory by its being freed.
        let byteLimit = 0
        #endif
        state = Mutex(State(byteLimit: max(0, byteLimit)))
    }

    /// The bytes of unused buffers in the pool.
    public var unusedByteCount: Int { state.withLock { $0.freeBytes } }

    /// Frees all unused buffers, as on memory pressure.
    public func removeAll() {
        let released = state.withLock { state in
            let free = state.free
            state.free = []
            state.freeBytes = 0
            return free
        }
        for buffer in released { PixelMemory.deallocate(buffer.base) }
    }

    /// A buffer of at least `byteCount` bytes, with undefined content.
    func take(_ byteCount: Int) throws(ImageError) -> Buffer {
        let rounded = PixelMemory.roundedByteCount(byteCount)
        let reused: Buffer? = state.withLock { state in
            // The smallest that fits, as long as at most half of it is wasted.
            var best: Int?
            for index in state.free.indices {
                let size = state.free[index].byteCount
                guard size >= rounded, size / 2 <= rounded else { continue }
                if best.map({ size < state.free[$0].byteCount }) ?? true { best = index }
            }
            guard let best else { return nil }
            let buffer = state.free.remove(at: best)
            state.freeBytes -= buffer.byteCount
            return buffer
        }
        if let reused { return reused }
        return Buffer(base: try PixelMemory.allocate(rounded), byteCount: rounded)
    }

    /// Returns an unused buffer to the pool.
    func give(_ buffer: Buffer) {
        let released: [Buffer] = state.withLock { state in
            guard buffer.byteCount <= state.byteLimit else { return [buffer] }
            state.free.append(buffer)
            state.freeBytes += buffer.byteCount
            var released: [Buffer] = []
            while state.freeBytes > state.byteLimit || state.free.count > Self.countLimit {
                let oldest = state.free.removeFirst()
                state.freeBytes -= oldest.byteCount
                released.append(oldest)
            }
            return released
        }
        for buffer in released { PixelMemory.deallocate(buffer.base) }
    }

    deinit {
        for buffer in state.withLock({ $0.free }) { PixelMemory.deallocate(buffer.base) }
    }
}
