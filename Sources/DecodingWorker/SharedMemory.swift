internal import ImageFormats
internal import Platform

/// The memory shared with the process that started the worker, as mapped here.
final class SharedMemory {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var byteCount: Int

    init?() {
        guard let status = FileStatus(WorkerProcess.Files.memory), status.byteCount > 0 else { return nil }
        byteCount = status.byteCount
        guard let base = SharedLayout.map(WorkerProcess.Files.memory, byteCount) else { return nil }
        self.base = base
    }

    /// Maps `count` bytes instead; false, with the mapping unchanged, if that fails.
    func share(_ count: Int) -> Bool {
        guard count > 0, let larger = SharedLayout.map(WorkerProcess.Files.memory, count) else { return false }
        munmap(base, byteCount)
        (base, byteCount) = (larger, count)
        return true
    }
}
