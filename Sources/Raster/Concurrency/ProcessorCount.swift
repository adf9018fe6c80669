#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How many processors there are to use.
enum ProcessorCount {
    static let available = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
