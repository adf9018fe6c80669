#if Server
internal import Platform

/// The number of files and connections that the process may have open.
enum DescriptorLimit {
    #if canImport(Darwin) || canImport(Musl)
    private static let resource = RLIMIT_NOFILE
    #else
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif

    /// The soft limit.
    static var current: Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        return Int(min(limit.rlim_cur, rlim_t(Int32.max)))
    }

    /// Raises the soft limit to the hard one, which any process may do. Shells start programs with 1,024.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

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
