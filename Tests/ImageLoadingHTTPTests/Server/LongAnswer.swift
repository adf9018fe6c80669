#if HTTP
import Foundation
import Synchronization
import TestSupport

/// A server that answers every request with the same bytes, as fast as they are taken.
final class LongAnswer: Sendable {
    let url: URL
    private let listener: LoopbackListener
    private let sent = SentBytes()

    private final class SentBytes: Sendable { let count = Atomic(0) }

    /// Answers with `text` as it is, then closes the connection.
    convenience init(text: String) throws { try self.init(Array(text.utf8)) }

    /// Answers with a body of that many bytes, each of which is its position divided by 4,096.
    convenience init(byteCount: Int) throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(byteCount)\r\n\r\n"
        try self.init(Array(head.utf8) + (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 >> 12) })
    }

    private init(_ answer: [UInt8]) throws {
        listener = try LoopbackListener()
        url = URL(string: "http://127.0.0.1:\(listener.port)/a")!
        let sent = sent
        listener.accept { connection in
            var request = [UInt8](repeating: 0, count: 4096)
            _ = read(connection, &request, request.count)
            var rest = answer[...]
            while !rest.isEmpty {
                let piece = rest.prefix(65536)
                let count = piece.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
                sent.count.add(count, ordering: .relaxed)
            }
            shutdown(connection, CInt(SHUT_WR))
            // Closing with something unread would reset the connection, and lose what the other side hasn't read.
            while read(connection, &request, request.count) > 0 {}
            close(connection)
        }
    }

    var sentByteCount: Int { sent.count.load(ordering: .relaxed) }
}
#endif
