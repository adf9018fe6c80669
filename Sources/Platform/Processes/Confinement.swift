internal import CTesseraSystem

/// Rights that a process gives up for good.
///
/// Only Linux supports this (seccomp). Elsewhere `openNothing()` throws an error that `isLacking`, and the process must not
/// continue unconfined.
package enum Confinement {
    /// Whether this system can confine processes, as far as that is known in advance.
    package static var isPossible: Bool {
        #if os(Linux) && !TESSERA_POSIX
        true
        #else
        false
        #endif
    }

    /// A worker's first step: closes inherited files except its own, forbids files to grow, disables core dumps, and ends the
    /// process when its parent ends.
    package static func holdWorkerBack() throws(SystemError) {
        guard tessera_hold_worker_back() == 0 else { throw .last }
    }

    /// Limits all threads of this process to system calls on memory, threads, clocks and open files. Others fail (EACCES) or
    /// end the process (SIGSYS).
    package static func openNothing() throws(SystemError) {
        guard tessera_confine(TESSERA_MAY_OPEN_NOTHING) == 0 else { throw .last }
    }
}
