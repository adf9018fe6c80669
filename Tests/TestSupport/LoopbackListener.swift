import Foundation

/// A port of this machine whose connections a test takes itself.
package final class LoopbackListener: Sendable {
    package let port: Int
    private let number: CInt

    package init() throws {
        let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, length) == 0 && listen(number, 64) == 0
                    && getsockname(number, pointer, &length) == 0
            }
        }
        guard number >= 0, isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        self.number = number
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Hands each connection to `take`, which closes it, on one thread of its own until the listener is let go of. To be
    /// called once.
    package func accept(_ take: @escaping @Sendable (CInt) -> Void) {
        let number = number
        Thread.detachNewThread {
            while case let connection = Foundation.accept(number, nil, nil), connection >= 0 { take(connection) }
            // By nobody else: its number could be another's before this thread asks again.
            close(number)
        }
    }

    deinit {
        // Wakes the thread that waits for connections.
        shutdown(number, CInt(SHUT_RDWR))
    }
}
