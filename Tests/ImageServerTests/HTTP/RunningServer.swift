#if Server
import Foundation
import ImageServer
import Logging
import TestSupport

/// A server on loopback, and what it says to bytes as they are.
final class RunningServer {
    let client: LoopbackClient
    var port: Int { client.port }
    let gallery: Gallery
    let task: Task<Void, any Error>

    init(
        log: RecordedLog? = nil, _ change: (inout ImageServerConfiguration) -> Void = { _ in }
    ) async throws {
        let gallery = try Gallery()
        self.gallery = gallery
        var configuration = ImageServerConfiguration(folders: [gallery.folder.path])
        configuration.port = 0
        configuration.logsAccess = false
        change(&configuration)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let logger = Logger(label: "test") { _ in
            log.map { RecordingLogHandler(log: $0) as any LogHandler } ?? SwiftLogNoOpLogHandler()
        }
        let server = try ImageServer(configuration, logger: logger) { continuation.yield($0) }
        task = Task {
            defer { continuation.finish() }
            try await server.run()
        }
        guard let port = await ports.first(where: { _ in true }) else { throw ServerDidNotStart() }
        client = LoopbackClient(port: port)
    }

    deinit { task.cancel() }

    struct ServerDidNotStart: Error {}

    func exchange(_ text: String, silence: Double = LoopbackClient.patience) async throws -> String {
        try await client.exchange(text, silence: silence)
    }

    func get(_ target: String, _ fields: String = "") async throws -> String { try await client.get(target, fields) }
}

/// Speaks to a server on loopback with no library between.
struct LoopbackClient: Sendable {
    /// How long a server may be silent, in seconds, that has a thousand tests beside it.
    static let patience = 300.0

    let port: Int

    /// Sends `text`, and returns all that comes until the server closes or is silent for `silence` seconds.
    func exchange(_ text: String, silence: Double = patience) async throws -> String {
        try await waiting {
            let socket = try ClientSocket(port: port, silence: silence)
            try socket.send(Array(text.utf8))
            return String(decoding: socket.receiveAll(), as: UTF8.self)
        }
    }

    /// Does what waits on a thread of its own: those of the concurrency library are few, and the server needs them.
    func waiting<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    func get(_ target: String, _ fields: String = "") async throws -> String {
        try await exchange("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n")
    }
}

/// A connection, with no library between.
final class ClientSocket {
    private let number: CInt

    init(port: Int, silence: Double) throws {
        number = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var time = timeval(tv_sec: Int(silence), tv_usec: Int(silence.truncatingRemainder(dividingBy: 1) * 1e6))
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
    }

    deinit { close(number) }

    /// Sends as much as the server takes.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    func receive(_ count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = recv(number, &buffer, count, 0)
        return Array(buffer.prefix(max(0, got)))
    }

    /// Waits for what comes next, and says whether it is the end, and no more than silence.
    var isClosedByServer: Bool {
        var byte: UInt8 = 0
        errno = 0
        let got = recv(number, &byte, 1, 0)
        return got == 0 || (got < 0 && errno == ECONNRESET)
    }

    func receiveAll() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = receive(1 << 16)
            guard !piece.isEmpty else { return all }
            all += piece
        }
    }
}
#endif
