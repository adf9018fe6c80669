#if Server
import ImageServer
import Testing

@Suite("Access, on a socket")
struct AccessOverSocketTests {
    private func fields(_ server: RunningServer, _ target: String, _ fields: String) async throws -> String {
        try await server.exchange("GET \(target) HTTP/1.1\r\nConnection: close\r\n\(fields)\r\n")
    }

    @Test("An image opened by a session isn't served to other clients")
    func session() async throws {
        let keys = try [SigningKey(Array("the key of this month".utf8), id: "new")]
        let server = try await RunningServer { $0.signingKeys = keys }
        let signature = try URLSignature(keys: keys)
        let target = "/iiif/3/photo.png/0,0,256,256/256,/0/default.jpg"
        let page = try await server.get(try signature.signed(prefixOf: "/view/photo.png"))
        #expect(page.hasPrefix("HTTP/1.1 303") && page.contains("\r\nLocation: /view/photo.png\r\n"))
        let cookie = try #require(page.firstMatch(of: /Set-Cookie: ([^;]+);/)).1
        for _ in 0..<3 {
            let answer = try await server.get(target, "Cookie: \(cookie)\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("Cache-Control: private"))
            #expect(try await server.get(target).hasPrefix("HTTP/1.1 403"))
        }
        #expect(try await server.get("/metrics").hasPrefix("HTTP/1.1 403"))
        #expect(try await server.get("/metrics", "Cookie: \(cookie)\r\n").hasPrefix("HTTP/1.1 403"))
        #expect(try await server.get(try signature.signed("/metrics")).contains("tessera_connections"))
    }

    @Test("A foreign host name reads nothing, even from memory")
    func rebinding() async throws {
        let server = try await RunningServer()
        let target = "/iiif/3/photo.png/0,0,256,256/256,/0/default.jpg"
        for _ in 0..<2 {
            #expect(try await fields(server, target, "Host: localhost:\(server.port)\r\n").hasPrefix("HTTP/1.1 200"))
            for path in [target, "/", "/metrics", "/api/pictures"] {
                let answer = try await fields(server, path, "Host: evil.example:\(server.port)\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 421") && answer.contains("--allow-host"), "\(path)")
            }
        }
        let read = try await fields(server, target, "Host: localhost\r\nOrigin: https://evil.example\r\n")
        #expect(read.hasPrefix("HTTP/1.1 200") && !read.contains("Access-Control-Allow-Origin"))
    }

    @Test("A public site's page may reach a server in a private network only with permission")
    func privateNetwork() async throws {
        func preflight(_ origin: String) async throws -> String {
            let server = try await RunningServer { $0.allowedOrigins = ["https://viewer.example"] }
            return try await server.exchange(
                """
                OPTIONS /iiif/3/photo.png/info.json HTTP/1.1\r
                Host: localhost\r
                Connection: close\r
                Origin: \(origin)\r
                Access-Control-Request-Method: GET\r
                Access-Control-Request-Private-Network: true\r
                \r

                """)
        }
        let allowed = try await preflight("https://viewer.example")
        #expect(allowed.hasPrefix("HTTP/1.1 204"))
        #expect(allowed.contains("Access-Control-Allow-Private-Network: true"))
        #expect(allowed.contains("Access-Control-Allow-Origin: https://viewer.example"))
        let refused = try await preflight("https://evil.example")
        #expect(refused.hasPrefix("HTTP/1.1 403") && !refused.contains("Access-Control-Allow"))
    }
}
#endif
