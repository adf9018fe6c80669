#if Server
import Foundation
import ImageFormats
import ImageServer
import TestSupport
import Testing

@Suite("The server on its socket")
struct ImageServerTests {
    /// What follows a response's head.
    private static func body(_ response: String) -> Substring? {
        response.split(separator: "\r\n\r\n", maxSplits: 1).last
    }

    @Test("An image has its header fields, rendered and from memory")
    func hot() async throws {
        let server = try await RunningServer()
        let target = "/iiif/3/photo.png/0,0,256,256/256,/0/default.jpg"
        let first = try await server.get(target)
        #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n"))
        for field in [
            "Content-Type: image/jpeg", "Content-Length: ", "ETag: ", "Last-Modified: ", "Cache-Control: public",
        ] {
            #expect(first.contains(field), "\(field)")
        }
        let second = try await server.get(target)
        #expect(Self.body(second) == Self.body(first))
    }

    @Test("Pipelined requests are answered in order, from memory too")
    func pipelining() async throws {
        let server = try await RunningServer()
        let hot = "/iiif/3/photo.png/0,0,256,256/256,/0/default.jpg"
        _ = try await server.get(hot)
        var text = ""
        for target in ["/iiif/3/cutout.png/full/40,/0/default.png", hot, "/nothing", hot, hot] {
            text += "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        }
        text += "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let answers = try await server.exchange(text)
        let statuses = answers.matches(of: /HTTP\/1\.1 (\d+) [A-Za-z ]+\r\n/).map { String($0.1) }
        #expect(statuses == ["200", "200", "404", "200", "200", "200"])
        #expect(answers.hasSuffix("\r\n\r\nok\n"))
    }

    @Test("An unchanged image in memory is answered with 304, and HEAD has no body")
    func confirmed() async throws {
        let server = try await RunningServer()
        let target = "/iiif/3/photo.png/0,0,256,256/256,/0/default.jpg"
        let first = try await server.get(target)
        let tag = try #require(first.firstMatch(of: /ETag: ("[0-9a-f]+")/)).1
        let second = try await server.get(target, "If-None-Match: \(tag)\r\n")
        #expect(second.hasPrefix("HTTP/1.1 304 Not Modified\r\n") && second.hasSuffix("\r\n\r\n"))
        let head = try await server.exchange(
            "HEAD \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"))
    }

    @Test("A changed file is noticed though its image was in memory")
    func changed() async throws {
        let server = try await RunningServer()
        let target = "/iiif/3/photo.png/0,0,64,64/64,/0/default.png"
        let first = try await server.get(target)
        try Gallery.write(server.gallery.cutout, .png, to: server.gallery.folder.file("photo.png"))
        // A file is looked at again after a second, which nothing announces.
        #expect(
            try await eventually(every: .milliseconds(100)) {
                let second = try await server.get(target)
                return second.hasPrefix("HTTP/1.1 200 OK") && Self.body(second) != Self.body(first)
            })
    }

    @Test(
        "Malformed requests get 4xx or no answer, and do no harm",
        arguments: [
            "\r\n\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}", "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "POST /image/photo.png HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X-Field: 1\r\n", count: 20_000) + "\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 3_000_000) + "\r\n\r\n",
            "GET /" + String(repeating: "a", count: 3_000_000) + " HTTP/1.1\r\nHost: a\r\n\r\n",
            "DELETE /image/photo.png HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        ])
    func malformed(_ text: String) async throws {
        let server = try await RunningServer { $0.idleTimeout = .seconds(4) }
        let answer = try await server.exchange(text, silence: 1)
        #expect(
            answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.0 4")
                || answer.hasPrefix("HTTP/1.1 505"), "\(answer.prefix(300))")
        #expect(try await server.get("/healthz").hasSuffix("ok\n"))
    }

    @Test("Clients with unfinished or no requests are disconnected")
    func slow() async throws {
        let server = try await RunningServer { $0.idleTimeout = .seconds(1) }
        for start in ["", "GET / HTTP/1.1\r\nHost: a\r\nX: "] {
            let client = server.client
            let isClosed = try await client.waiting {
                let socket = try ClientSocket(port: client.port, silence: 60)
                try socket.send(Array(start.utf8))
                return socket.isClosedByServer
            }
            #expect(isClosed, "\(start)")
        }
        #expect(try await server.get("/healthz").hasSuffix("ok\n"))
    }

    @Test("A client that sends slowly has the same time limit as a silent one")
    func dripping() async throws {
        let server = try await RunningServer { $0.idleTimeout = .seconds(1) }
        let client = server.client
        let sent = try await client.waiting {
            let socket = try ClientSocket(port: client.port, silence: 0.1)
            let text = Array(("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 500)).utf8)
            for (index, byte) in text.enumerated() {
                try socket.send([byte])
                if socket.isClosedByServer { return index }
            }
            return text.count
        }
        #expect(sent < 500)
        #expect(try await server.get("/healthz").hasSuffix("ok\n"))
    }

    @Test("Metrics are in Prometheus' format")
    func metrics() async throws {
        let server = try await RunningServer()
        _ = try await server.get("/iiif/3/photo.png/0,0,64,64/64,/0/default.png")
        _ = try await server.get("/nothing")
        let text = try await server.get("/metrics")
        for line in [
            "tessera_http_requests_total{status=\"2xx\"} 1", "tessera_http_requests_total{status=\"4xx\"} 1",
            "# TYPE tessera_http_request_seconds histogram", "tessera_http_request_seconds_count 2",
            "tessera_open_pictures 1",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("Beyond its capacity it refuses requests, answers the accepted ones, and recovers")
    func overload() async throws {
        let server = try await RunningServer {
            $0.renderCount = 1
            $0.waitingRequestCount = 2
        }
        let client = server.client
        // All are connected before the first asks, so that they ask at once however busy the machine is.
        let answers = try await client.waiting {
            let sockets = try (0..<40).map { _ in
                try ClientSocket(port: client.port, silence: LoopbackClient.patience)
            }
            for (number, socket) in sockets.enumerated() {
                // Each another picture, so that none is shared.
                let target = "/iiif/3/photo.png/full/\(500 + number),/13.\(number)/default.png"
                try socket.send(
                    Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
            }
            return sockets.map { String(decoding: $0.receiveAll(), as: UTF8.self) }
        }
        let refused = answers.filter { $0.hasPrefix("HTTP/1.1 503") }
        #expect(!refused.isEmpty && refused.allSatisfy { $0.contains("Retry-After: ") })
        #expect(answers.count { $0.hasPrefix("HTTP/1.1 200") } == answers.count - refused.count)
        #expect(try await server.get("/iiif/3/photo.png/full/77,/0/default.png").hasPrefix("HTTP/1.1 200"))
    }
}
#endif
