/// A limit that the system sets on this process.
package enum ResourceLimit: Sendable {
    /// Open files and connections.
    case openFiles
    /// Bytes written to one file; the system ends a process that exceeds it.
    case fileByteCount

    // The C libraries of Linux declare the resource's type differently; glibc has a separate type for it.
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

    /// The soft limit in force: `UInt64.max`, or nearly so, if unlimited; nil where the system doesn't report it.
    package var current: UInt64? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Raises the soft limit to the hard limit, which needs no privilege.
    package func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
        // Higher values are refused, regardless of the hard limit.
        if case .openFiles = self { limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX)) }
        #endif
        setrlimit(resource, &limit)
    }
}
