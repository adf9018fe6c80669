/// Socket options whose names or types differ between systems.
package enum SocketOptions {
    /// The socket type of a stream, as a plain number.
    package static var stream: CInt {
        #if canImport(Glibc)
        CInt(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }

    /// The flag of a socket's kind that keeps programs started later from inheriting it; 0 if the system has none.
    package static var uninherited: CInt {
        #if !os(Linux) || TESSERA_POSIX
        0
        #elseif canImport(Glibc)
        CInt(SOCK_CLOEXEC.rawValue)
        #else
        SOCK_CLOEXEC
        #endif
    }

    /// The TCP option that limits unsent bytes in the kernel; nil if the system has none.
    package static var unsentByteCount: CInt? {
        #if TESSERA_POSIX
        nil
        #elseif os(Linux) || canImport(Darwin)
        TCP_NOTSENT_LOWAT
        #else
        nil
        #endif
    }
}
