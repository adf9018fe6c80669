#if HTTP
import Dispatch
import Foundation
import Synchronization
import TestSupport

/// A server on this machine that answers as a test says, one request to a connection, and remembers what it was asked.
final class LoopbackServer: Sendable {
    /// A request: its path with the query, its header fields by their names in lower case, and its body.
    struct Request: Sendable {
        let method: String
        let path: String
        let fields: [String: String]
        let body: [UInt8]
    }

    /// What is sent back, head and all.
    struct Reply: Sendable {
        var text: String
        /// How often `piece` follows.
        var pieceCount = 0
        var piece: [UInt8] = []
        /// Whether nothing is sent, and the connection left open until the client has enough.
        var isSilent = false

        static func status(_ status: Int, _ fields: [String] = []) -> Reply {
            Reply(
                text:
                    "HTTP/1.1 \(status) x\r\n\(fields.map { "\($0)\r\n" }.joined())Content-Length: 0\r\nConnection: close\r\n\r\n"
            )
        }

        static func bytes(_ bytes: [UInt8], _ fields: [String] = ["Content-Type: image/png"]) -> Reply {
            Reply(
                text:
                    "HTTP/1.1 200 OK\r\n\(fields.map { "\($0)\r\n" }.joined())Content-Length: \(bytes.count)\r\nConnection: close\r\n\r\n",
                pieceCount: 1, piece: bytes)
        }

        static func redirect(_ location: String, status: Int = 302) -> Reply {
            .status(status, ["Location: \(location)"])
        }

        static let silence = Reply(text: "", isSilent: true)
    }

    private let listener: LoopbackListener
    private let log = Mutex<[Request]>([])

    /// Starts; `answer` is called on several threads at once.
    init(_ answer: @escaping @Sendable (Request) -> Reply) throws {
        listener = try LoopbackListener()
        listener.accept { [weak self] connection in
            Thread.detachNewThread { [weak self] in
                defer { close(connection) }
                guard let request = Self.read(connection) else { return }
                self?.log.withLock { $0.append(request) }
                Self.send(answer(request), to: connection)
            }
        }
    }

    var port: Int { listener.port }

    /// What was asked so far.
    var requests: [Request] { log.withLock { $0 } }

    func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    private static func read(_ connection: CInt) -> Request? {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var end: Range<Int>?
        while end == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0, head.count < 65536 else { return nil }
            head += buffer[..<count]
            end = head.firstRange(of: Array("\r\n\r\n".utf8))
        }
        var body = Array(head[end!.upperBound...])
        head.removeSubrange(end!.lowerBound...)
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        while body.count < Int(fields["content-length"] ?? "") ?? 0 {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            body += buffer[..<count]
        }
        return Request(method: String(words[0]), path: String(words[1]), fields: fields, body: body)
    }

    private static func send(_ reply: Reply, to connection: CInt) {
        var bytes = [UInt8](reply.text.utf8)
        for _ in 0...reply.pieceCount {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Foundation.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
            bytes = reply.piece
        }
        guard reply.isSilent else { return }
        var byte: UInt8 = 0
        _ = recv(connection, &byte, 1, 0)
    }
}
#endif
