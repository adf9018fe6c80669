#if HTTP
import Foundation
import Synchronization
import TestSupport

/// A server that answers the first request on a connection and fails at the next.
final class FickleServer: Sendable {
    /// What it does instead of answering.
    enum Fault: CaseIterable, Sendable {
        /// Sends what belongs to nothing: bytes of the answer before, beyond its length.
        case surplus
        /// Closes the connection.
        case closes
        /// Resets the connection.
        case resets
    }

    let url: URL
    private let listener: LoopbackListener
    private let counts = Counts()

    private final class Counts: Sendable {
        let connections = Atomic(0)
        let requests = Atomic(0)
    }

    /// - Parameter isBroken: Whether it also fails at the first request on every connection but the first.
    init(_ fault: Fault, isBroken: Bool = false) throws {
        listener = try LoopbackListener()
        url = URL(string: "http://127.0.0.1:\(listener.port)/a")!
        let counts = counts
        listener.accept { connection in
            let number = counts.connections.add(1, ordering: .relaxed).newValue
            Thread.detachNewThread {
                var isUsed = isBroken && number > 1
                while Self.readRequest(connection) {
                    counts.requests.add(1, ordering: .relaxed)
                    if isUsed {
                        Self.fail(connection, fault)
                        break
                    }
                    Self.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", connection)
                    isUsed = true
                }
                close(connection)
            }
        }
    }

    var connectionCount: Int { counts.connections.load(ordering: .relaxed) }
    var requestCount: Int { counts.requests.load(ordering: .relaxed) }

    private static func readRequest(_ connection: CInt) -> Bool {
        var tail: [UInt8] = []
        var byte: UInt8 = 0
        while tail != Array("\r\n\r\n".utf8) {
            guard read(connection, &byte, 1) == 1 else { return false }
            tail = tail.suffix(3) + [byte]
        }
        return true
    }

    private static func fail(_ connection: CInt, _ fault: Fault) {
        switch fault {
        case .surplus: write("and more\r\n\r\n", connection)
        case .closes: break
        case .resets:
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
    }

    private static func write(_ text: String, _ connection: CInt) {
        let bytes = Array(text.utf8)
        _ = send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
}
#endif
