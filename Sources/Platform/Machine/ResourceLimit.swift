/// What the system lets this process have of something.
package enum ResourceLimit: Sendable {
    /// Files and connections that are open at a time.
    case openFiles
    /// Bytes of one file that it writes; beyond them the system ends the process.
    case fileByteCount

    // Linux's C libraries say in different types what a limit is of, glibc in one of its own.
    #if canImport(Glibc)
    private var resource: __rlimit_resource_t {
        switch self {
        case .openFiles: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        case .fileByteCount: __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        }
    }
    #else
    private var resource: CInt {
        switch self {
        case .openFiles: RLIMIT_NOFILE
        case .fileByteCount: RLIMIT_FSIZE
        }
    }
    #endif

    /// What applies now, the soft limit: `UInt64.max`, or nearly so, where there is none; nil where the system doesn't say.
    package var current: UInt64? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Raises what applies to what may, which any process may do.
    package func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
        // More than this is refused, whatever the limit says.
        if case .openFiles = self { limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX)) }
        #endif
        setrlimit(resource, &limit)
    }
}
