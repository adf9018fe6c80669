#if Server
internal import Platform

/// The number of files and connections that the process may have open.
enum DescriptorLimit {
    /// The soft limit.
    static var current: Int { Int(min(ResourceLimit.openFiles.current ?? 1024, UInt64(Int32.max))) }

    /// Raises the soft limit to the hard one. Shells start programs with 1,024.
    static func raise() { ResourceLimit.openFiles.raise() }

    /// Descriptors for connections: those that are free now, but for a quarter of the limit, and at most 1,024, which files
    /// may need.
    static var forConnections: Int {
        let limit = current
        return max(1, limit - (lowestFree ?? limit) - min(1024, limit / 4))
    }

    /// Whether at least 8 are left.
    static var hasRoom: Bool { lowestFree.map { $0 + 8 < current } ?? false }

    /// The number that the next descriptor gets: all below it are taken. Nil where there is none.
    private static var lowestFree: Int? {
        let number = dup(STDERR_FILENO)
        // Standard error may be closed, which says nothing of the others.
        guard number >= 0 else { return errno == EBADF ? 0 : nil }
        close(number)
        return Int(number)
    }
}
#endif
