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
