import ImageServer
import Raster
import Testing

@Suite("Which clients may ask, and read the answer")
struct ClientPolicyTests {
    private func respond(
        _ host: String? = nil, _ origin: String? = nil, method: ServiceRequest.Method = .get,
        target: String = "/healthz",
        _ change: (inout ImageServerConfiguration) -> Void = { _ in }
    ) async throws -> ServiceResponse {
        let gallery = try Gallery(change)
        var request = ServiceRequest(method, target, origin: "http://localhost:8080")
        (request.host, request.sender, request.asksForPrivateNetwork) = (host, origin, true)
        return await gallery.respond(to: request)
    }

    @Test(
        "On loopback a server answers only to its own names",
        arguments: [
            ("127.0.0.1", "localhost:8080", 200), ("127.0.0.1", "LOCALHOST", 200), ("127.0.0.1", "localhost.", 200),
            ("127.0.0.1", "127.0.0.1:80", 200), ("127.0.0.1", "[::1]:8080", 200), ("127.0.0.2", "127.0.0.2:8080", 200),
            ("::1", "[::1]", 200), ("localhost", "localhost", 200),
            ("127.0.0.1", "evil.example:8080", 421), ("127.0.0.1", "localhost.evil.example", 421),
            ("127.0.0.1", "127.0.0.1.evil.example", 421), ("::1", "192.168.0.7", 421), ("127.0.0.1", "", 421),
            ("127.0.0.1", "localhost:1:2", 421), ("127.9.9.9", "evil.example", 421), ("127.0.0.1", "*", 421),
            ("0.0.0.0", "anything.example", 200), ("192.168.0.7", "anything.example", 200),
            ("pictures.example", "anything.example", 200),
        ])
    func hosts(_ bound: String, _ host: String, _ status: Int) async throws {
        let response = try await respond(host) { $0.host = bound }
        #expect(response.status == status, "\(response.text)")
        if status == 421 { #expect(response.text.contains("--allow-host")) }
    }

    @Test(
        "Other names can be allowed",
        arguments: [
            ("127.0.0.1", ["pictures.example"], "Pictures.Example:443", 200),
            ("127.0.0.1", ["pictures.example"], "localhost", 200),
            ("127.0.0.1", ["pictures.example"], "a.example", 421),
            ("0.0.0.0", ["pictures.example", "b.example"], "b.example", 200),
            ("0.0.0.0", ["b.example"], "c.example", 421),
            ("127.0.0.1", ["*"], "c.example", 200), ("127.0.0.1", ["fe80::1"], "[fe80::1]:80", 200),
        ] as [(String, [String], String, Int)])
    func allowedHosts(_ bound: String, _ allowed: [String], _ host: String, _ status: Int) async throws {
        let response = try await respond(host) {
            $0.host = bound
            $0.allowedHosts = allowed
        }
        #expect(response.status == status)
    }

    @Test("A server behind a proxy answers to its public name")
    func publicAddress() async throws {
        for (host, status) in [("pictures.example", 200), ("localhost", 200), ("evil.example", 421)] {
            let response = try await respond(host, "https://viewer.example") {
                $0.publicAddress = "https://pictures.example/"
            }
            #expect(response.status == status)
            #expect(response["Access-Control-Allow-Origin"] == "*")
        }
    }

    @Test(
        "On loopback only the server's own pages read its responses; a public server is open",
        arguments: [
            ("127.0.0.1", [], "https://evil.example", nil), ("127.0.0.1", [], "null", nil),
            ("127.0.0.1", [], "http://localhost:3000", nil), ("0.0.0.0", [], "https://viewer.example", "*"),
            ("127.0.0.1", ["https://viewer.example"], "https://viewer.example", "https://viewer.example"),
            ("127.0.0.1", ["https://viewer.example"], "https://viewer.example.evil.example", nil),
            ("127.0.0.1", ["https://viewer.example"], "http://viewer.example", nil),
            ("127.0.0.1", ["https://a.example", "null"], "null", "null"),
            ("127.0.0.1", ["*"], "https://a.example", "*"),
            ("0.0.0.0", ["https://viewer.example"], "https://other.example", nil),
        ] as [(String, [String], String, String?)])
    func origins(_ bound: String, _ allowed: [String], _ origin: String, _ field: String?) async throws {
        func configure(_ configuration: inout ImageServerConfiguration) {
            configuration.host = bound
            configuration.allowedOrigins = allowed
        }
        for target in ["/healthz", "/original/photo.png", "/nothing", "/api/pictures"] {
            let response = try await respond("localhost", origin, target: target, configure)
            #expect(response["Access-Control-Allow-Origin"] == field, "\(target)")
            if !allowed.isEmpty, allowed != ["*"] { #expect(response["Vary"]?.contains("Origin") == true) }
            if allowed.isEmpty, bound == "127.0.0.1" {
                #expect(response["Cross-Origin-Resource-Policy"] == "same-site")
            }
        }
        let preflight = try await respond("localhost", origin, method: .options, configure)
        #expect(preflight.status == (field == nil ? 403 : 204), "\(preflight.text)")
        #expect(preflight["Access-Control-Allow-Origin"] == field)
        #expect(preflight["Access-Control-Allow-Private-Network"] == (field == nil ? nil : "true"))
        #expect((preflight["Access-Control-Allow-Methods"] != nil) == (field != nil))
    }

    @Test("OPTIONS without an origin or from the server's own pages lists the methods")
    func ownPreflight() async throws {
        for origin in [nil, "http://localhost:8080"] {
            let response = try await respond("localhost", origin, method: .options)
            #expect(response.status == 204 && response["Allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test("Invalid names and origins are refused at the start")
    func refused() throws {
        for host in ["", "a b", "https://a.example", "a/b", "é.example"] {
            #expect(throws: ImageError.self, "\(host)") { try Gallery { $0.allowedHosts = [host] } }
        }
        for origin in ["", "a.example", "https://", "https://a.example/", "ftp://a.example", "https://a b"] {
            #expect(throws: ImageError.self, "\(origin)") { try Gallery { $0.allowedOrigins = [origin] } }
        }
    }
}
