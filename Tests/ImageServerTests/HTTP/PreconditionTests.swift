#if Server
import Foundation
import ImageServer
import Testing

@Suite("Conditional requests")
struct PreconditionTests {
    private static let targets = [
        "/iiif/3/photo.png/full/90,/0/default.jpg", "/iiif/3/photo.png/info.json", "/iiif/2/photo.png/info.json",
        "/dzi/photo.png.dzi", "/dzi/photo.png_files/9/0_0.jpg", "/zoomify/photo.png/ImageProperties.xml",
        "/xyz/photo.png/tilejson.json", "/image/photo.png?w=50", "/original/photo.png",
        "/jpng-part/cutout.jpng/photo.jpg",
        "/", "/docs", "/api/effects",
    ]

    @Test("If-Modified-Since applies wherever there is a Last-Modified", arguments: targets)
    func modificationTime(target: String) async throws {
        let server = try await RunningServer()
        let first = try await server.get(target)
        #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(first.prefix(300))")
        let date = try #require(first.firstMatch(of: /Last-Modified: ([^\r]+)\r\n/), "\(first.prefix(500))").1
        // The second request comes from memory where responses are hot, which only connections that stay open are answered by.
        for _ in 0..<2 {
            let same = try await server.exchange(
                "GET \(target) HTTP/1.1\r\nHost: localhost\r\nIf-Modified-Since: \(date)\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(same.hasPrefix("HTTP/1.1 304 Not Modified\r\n"), "\(same.prefix(300))")
            let older = try await server.exchange(
                "GET \(target) HTTP/1.1\r\nHost: localhost\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(older.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(older.prefix(300))")
        }
        // A tag says more than a date.
        let other = try await server.get(target, "If-None-Match: \"other\"\r\nIf-Modified-Since: \(date)\r\n")
        #expect(other.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(other.prefix(300))")
    }

    @Test(
        "An HTTP/1.1 request has one Host field",
        arguments: [
            ("HTTP/1.1", "", 400), ("HTTP/1.1", "Host: localhost\r\n", 200),
            ("HTTP/1.1", "Host: localhost\r\nHost: localhost\r\n", 400),
            ("HTTP/1.1", "Host: localhost\r\nX-Y: 1\r\nhOST: localhost\r\n", 400), ("HTTP/1.0", "", 200),
            ("HTTP/1.0", "Host: localhost\r\n", 200), ("HTTP/1.0", "Host: localhost\r\nHost: localhost\r\n", 400),
        ])
    func hosts(version: String, fields: String, status: Int) async throws {
        let server = try await RunningServer()
        let target = "/iiif/3/photo.png/0,0,256,256/256,/0/default.jpg"
        // Made, and then hot.
        for _ in 0..<2 {
            let answer = try await server.exchange(
                "GET \(target) \(version)\r\n\(fields)\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(300))")
            _ = try await server.exchange("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        }
    }
}
#endif
