/// What is asked of sockets under names or types of the system's own.
package enum SocketOptions {
    /// The kind of socket that a stream is, where the system wants a plain number.
    package static var stream: CInt {
        #if canImport(Glibc)
        CInt(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }

    /// What has a socket, beside its kind, not pass to programs that are started meanwhile; 0 where the system has no such.
    package static var uninherited: CInt {
        #if !os(Linux) || TESSERA_POSIX
        0
        #elseif canImport(Glibc)
        CInt(SOCK_CLOEXEC.rawValue)
        #else
        SOCK_CLOEXEC
        #endif
    }

    /// The option of TCP that limits what the system takes ahead of sending it, in bytes; nil where it has none.
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
