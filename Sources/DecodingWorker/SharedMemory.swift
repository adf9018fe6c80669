internal import CTesseraSystem
internal import ImageIsolation
internal import Platform

/// The memory that the worker was started with, as it sees it.
final class SharedMemory {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var byteCount: Int

    init?() {
        var status = stat()
        guard fstat(CInt(TESSERA_WORKER_MEMORY), &status) == 0, status.st_size > 0 else { return nil }
        byteCount = Int(status.st_size)
        guard let base = SharedLayout.map(CInt(TESSERA_WORKER_MEMORY), byteCount) else { return nil }
        self.base = base
    }

    /// Looks at `count` bytes of it from now on; false where that can't be done.
    func share(_ count: Int) -> Bool {
        guard count > 0, let larger = SharedLayout.map(CInt(TESSERA_WORKER_MEMORY), count) else { return false }
        munmap(base, byteCount)
        (base, byteCount) = (larger, count)
        return true
    }
}
