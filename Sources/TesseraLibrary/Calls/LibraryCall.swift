internal import CTessera
internal import Platform
internal import Raster
internal import Synchronization

/// A call of a function of the interface.
enum LibraryCall {
    /// Whether the current thread is in a callback of the program.
    @TaskLocal private static var isInCallback = false

    /// The process that first called the library; 0 before that.
    private static let process = Atomic<pid_t>(0)

    /// Runs `body`, and reports its error to the caller.
    /// - Returns: The status, also in `error` unless that is NULL.
    static func perform(_ error: UnsafeMutablePointer<tessera_error>?, _ body: () throws -> Void) -> tessera_status {
        let result: LibraryFailure?
        do {
            try CallerStructure.checkSize(error)
        } catch {
            return tessera_status(TESSERA_STATUS_INVALID_PARAMETER)
        }
        do {
            try enter()
            try body()
            result = nil
        } catch let failure as LibraryFailure {
            result = failure
        } catch let failure as ImageError {
            result = LibraryFailure(failure)
        } catch let failure {
            result = LibraryFailure(TESSERA_STATUS_OTHER, "\(failure)")
        }
        let status = tessera_status(result?.status ?? TESSERA_STATUS_OK)
        guard error != nil else { return status }
        var report = tessera_error()
        report.status = status
        report.byte_offset = Int64(result?.byteOffset ?? -1)
        CallerStructure.store(result?.message ?? "", in: &report.message)
        // Its size was checked above.
        try? CallerStructure.write(report, to: error, name: "error")
        return status
    }

    /// - Throws: A failure if the process was forked after it had used the library, or the call comes from a callback.
    private static func enter() throws(LibraryFailure) {
        guard isUsable else {
            throw LibraryFailure(
                TESSERA_STATUS_FORKED,
                "this process was forked from one that had used the library; start it with exec, or before the first call"
            )
        }
        guard !isInCallback else {
            throw LibraryFailure(
                TESSERA_STATUS_REENTERED, "a callback called the library; it may only call functions that free")
        }
    }

    /// Whether this process is the one that first used the library. Threads and locks don't survive a fork.
    static var isUsable: Bool {
        let current = getpid()
        let (isFirst, first) = process.compareExchange(
            expected: 0, desired: current, ordering: .relaxed)
        return isFirst || first == current
    }

    /// Whether the library may be called now, for functions without a status.
    static var isAllowed: Bool { isUsable && !isInCallback }

    /// Calls the program.
    static func callback<R>(_ body: () -> R) -> R { $isInCallback.withValue(true, operation: body) }
}
