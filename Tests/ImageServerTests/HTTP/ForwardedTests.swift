#if Server
import Foundation
import ImageServer
import Testing

/// What proxies add about the address that a client sees.
@Suite("X-Forwarded-Proto, -Host and -Prefix")
struct ForwardedTests {
    private let fields = "X-Forwarded-Proto: https\r\nX-Forwarded-Host: a.example\r\nX-Forwarded-Prefix: /images/\r\n"

    private func identifier(_ answer: String) -> String? {
        answer.firstMatch(of: /"id":"([^"]*)"/).map { String($0.1) }
    }

    @Test("A trusted proxy's fields begin addresses, and others' don't")
    func trust() async throws {
        for (proxies, expected) in [
            (["127.0.0.1"], "https://a.example/images"), ([], "http://localhost"), (["unix"], "http://localhost"),
        ] {
            let server = try await RunningServer {
                $0.trustedProxies = proxies
                $0.allowedHosts = ["a.example"]
            }
            let answer = try await server.get("/iiif/3/photo.png/info.json", fields)
            #expect(identifier(answer) == "\(expected)/iiif/3/photo.png")
            #expect(
                try await server.get("/docs", fields).contains(
                    "href=\"\(expected == "http://localhost" ? "" : "/images")/assets/"))
        }
    }

    @Test("A response that is repeated from memory is repeated for the same fields only")
    func repeated() async throws {
        let server = try await RunningServer {
            $0.trustedProxies = ["127.0.0.1"]
            $0.allowedHosts = ["a.example", "b.example"]
        }
        let target = "/iiif/3/cutout.png/full/20,/0/default.png"
        for _ in 0..<3 {
            for (name, base) in [("a", "https://a.example/images"), ("b", "https://b.example/images")] {
                let fields = fields.replacing("a.example", with: "\(name).example")
                #expect(try await server.get(target, fields).contains("<\(base)/iiif/3/cutout.png/"))
            }
            #expect(try await server.get(target).contains("<http://localhost/iiif/3/cutout.png/"))
        }
    }

    @Test("A forwarded host is checked as any other, and malformed fields are ignored")
    func invalid() async throws {
        let server = try await RunningServer { $0.trustedProxies = ["127.0.0.1"] }
        #expect(try await server.get("/docs", "X-Forwarded-Host: evil.example\r\n").hasPrefix("HTTP/1.1 421"))
        for field in ["Proto: gopher", "Host: a/b", "Prefix: //evil.example", "Prefix: /a\"b", "Prefix: images"] {
            let answer = try await server.get("/iiif/3/photo.png/info.json", "X-Forwarded-\(field)\r\n")
            #expect(identifier(answer) == "http://localhost/iiif/3/photo.png", "\(field)")
        }
    }
}
#endif
