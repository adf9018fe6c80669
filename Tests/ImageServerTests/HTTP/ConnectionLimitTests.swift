#if Server
import Foundation
import ImageServer
import Logging
import TestSupport
import Testing

@Suite("More connections than the limit")
struct ConnectionLimitTests {
    private static let limit = 16

    /// A file that no system's buffers hold.
    private static func addLargeFile(to server: RunningServer) throws {
        try Data(count: 40 << 20).write(to: URL(fileURLWithPath: server.gallery.folder.file("large.bmp")))
    }

    private static let request = "GET /original/large.bmp HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test("Idle connections are closed for new ones, which is logged once")
    func idle() async throws {
        let log = RecordedLog()
        let server = try await RunningServer(log: log) { $0.maximumConnectionCount = Self.limit }
        let client = server.client
        for _ in 0..<2 {
            try await client.waiting {
                let crowd = try (0..<Self.limit * 4).map { _ in
                    try ClientSocket(port: client.port, silence: LoopbackClient.patience)
                }
                let other = try ClientSocket(port: client.port, silence: LoopbackClient.patience)
                try other.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
                let answer = String(decoding: other.receiveAll(), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK"), "\(answer)")
                #expect(crowd[0].isClosedByServer && crowd[1].isClosedByServer)
            }
            try await Self.settle(server, to: 1)
        }
        #expect(log.warnings.count == 2 && log.warnings.allSatisfy { $0.contains("all 16 connections are in use") })
        #expect(log.entries.count { $0.level == .notice } == 2)
    }

    @Test("A server that is cancelled while clients connect closes their connections")
    func cancelled() async throws {
        for _ in 0..<20 {
            let server = try await RunningServer()
            try await server.client.waiting { [port = server.port, task = server.task] in
                let crowd = try (0..<64).map { _ in try ClientSocket(port: port, silence: LoopbackClient.patience) }
                task.cancel()
                let open = crowd.filter { !$0.isClosedByServer }
                #expect(open.isEmpty)
            }
        }
    }

    @Test("If all connections are in use, a new one gets 503, and the others continue")
    func busy() async throws {
        let server = try await RunningServer {
            $0.maximumConnectionCount = Self.limit
            // However slow the machine is, none of the readers is taken for one that doesn't read.
            $0.unreadPatience = .seconds(600)
            $0.idleTimeout = .seconds(600)
        }
        try Self.addLargeFile(to: server)
        let client = server.client
        try await client.waiting {
            let readers = try (0..<Self.limit).map { _ in
                let reader = try ClientSocket(port: client.port, silence: LoopbackClient.patience)
                try reader.send(Array(Self.request.utf8))
                #expect(reader.receive(12) == Array("HTTP/1.1 200".utf8))
                return reader
            }
            let refused = try ClientSocket(port: client.port, silence: LoopbackClient.patience)
            let answer = String(decoding: refused.receiveAll(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("Retry-After: "), "\(answer)")
            // The end of each still comes.
            for reader in readers.prefix(3) {
                var count = 0
                while count < 40 << 20 {
                    let piece = reader.receive(1 << 20)
                    guard !piece.isEmpty else { break }
                    count += piece.count
                }
                #expect(count >= 40 << 20)
            }
        }
        try await Self.settle(server, to: 1)
        #expect(try await server.get("/healthz").hasPrefix("HTTP/1.1 200"))
    }

    @Test(
        "Clients that don't read share a budget, beyond which they get 503, and which they free when they leave")
    func unread() async throws {
        // A megabyte for all that is unread, without memory caches: sixteen pieces of files.
        let server = try await RunningServer {
            $0.memoryCacheByteLimit = 0
            // None of the first is closed for the others, however slow the machine is.
            $0.unreadPatience = .seconds(600)
            $0.idleTimeout = .seconds(600)
        }
        try Self.addLargeFile(to: server)
        let client = server.client
        let statuses = try await client.waiting {
            let sockets = try (0..<24).map { _ in try ClientSocket(port: client.port, silence: LoopbackClient.patience)
            }
            for socket in sockets { try socket.send(Array(Self.request.utf8)) }
            let statuses = sockets.map { String(decoding: $0.receive(12).suffix(3), as: UTF8.self) }
            return statuses
        }
        #expect(statuses.count { $0 == "200" } == 16 && statuses.count { $0 == "503" } == 8, "\(statuses)")
        try await Self.settle(server, to: 1)
        let metrics = try await server.get("/metrics")
        #expect(metrics.contains("tessera_unread_response_bytes 0\n"), "\(metrics)")
        #expect(try await server.get("/original/cutout.png").hasPrefix("HTTP/1.1 200"))
    }

    /// Waits until only so many connections are left, the one that asks among them.
    private static func settle(_ server: RunningServer, to count: Int) async throws {
        let hasSettled = try await eventually(every: .milliseconds(100)) {
            try await server.get("/metrics").contains("tessera_connections \(count)\n")
        }
        #expect(hasSettled, "there are more connections than \(count)")
    }
}
#endif
