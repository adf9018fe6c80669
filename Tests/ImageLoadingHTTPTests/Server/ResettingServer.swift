#if HTTP
import Foundation

/// A server that takes connections and, once there is something to read, resets them.
final class ResettingServer: Sendable {
    let url: URL
    private let listener: CInt

    init() throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard listener >= 0, isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.listener = listener
        url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/a")!
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                var status = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
                _ = poll(&status, 1, -1)
                // What nobody has read is lost: the other side is told so.
                close(connection)
            }
            close(listener)
        }
    }

    deinit {
        // Wakes the thread, which then closes it.
        shutdown(listener, CInt(SHUT_RDWR))
    }
}
#endif
