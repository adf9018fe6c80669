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
