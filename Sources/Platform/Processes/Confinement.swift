internal import CTesseraSystem

/// Rights that a process gives up, for itself and for ever.
///
/// Linux alone has what it takes (seccomp). Elsewhere `openNothing()` throws an error that `isLacking`: who was to be confined
/// must not go on.
package enum Confinement {
    /// Whether this system can confine processes, as far as that is known before one is.
    package static var isPossible: Bool {
        #if os(Linux) && !TESSERA_POSIX
        true
        #else
        false
        #endif
    }

    /// What a worker does first: closes what it wasn't handed, lets no file grow, writes no memory to the disk when it
    /// crashes, and ends when the process does that started it.
    package static func holdWorkerBack() throws(SystemError) {
        guard tessera_hold_worker_back() == 0 else { throw .last }
    }

    /// Leaves to this process, with all of its threads, no system calls but those on memory, threads, clocks and open files.
    /// Whatever else it tries fails (EACCES), or ends it (SIGSYS).
    package static func openNothing() throws(SystemError) {
        guard tessera_confine(TESSERA_MAY_OPEN_NOTHING) == 0 else { throw .last }
    }
}
