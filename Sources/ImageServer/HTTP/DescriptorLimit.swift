internal import Platform

/// The process's limit on open files and connections.
enum DescriptorLimit {
    /// The soft limit.
    static var current: Int { Int(min(ResourceLimit.openFiles.current ?? 1024, UInt64(Int32.max))) }

    /// Raises the soft limit to the hard limit. Shells usually start programs with 1,024.
    static func raise() { ResourceLimit.openFiles.raise() }

    /// Free descriptors, minus a reserve for files: a quarter of the limit, at most 1,024.
    static var forConnections: Int {
        let limit = current
        return max(1, limit - (lowestFree ?? limit) - min(1024, limit / 4))
    }

    /// Whether more descriptors are free than are reserved.
    static var hasRoom: Bool { lowestFree.map { !isReserved($0) } ?? false }

    /// Whether a descriptor is among the last eighth of a limit, or the last 64. A new one has the lowest free number, so
    /// that fewer are free then.
    ///
    /// They are for what needs one for a moment: opening folders on the way to a file, and Dispatch, which ends the process
    /// if it can't open the system's files about its threads.
    static func isReserved(_ descriptor: Int) -> Bool {
        let limit = current
        return descriptor + min(64, limit / 8) >= limit
    }

    /// The lowest free descriptor, as all below it are in use; nil if there is none.
    private static var lowestFree: Int? {
        let number = dup(STDERR_FILENO)
        // Standard error may be closed, which doesn't indicate a shortage.
        guard number >= 0 else { return errno == EBADF ? 0 : nil }
        close(number)
        return Int(number)
    }
}
