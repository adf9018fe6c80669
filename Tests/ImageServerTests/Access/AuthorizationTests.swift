#if Server
import Foundation
import ImageServer
import Synchronization
import Testing

/// An operator's service that decides who may see what, which is a real one on this machine.
@Suite("Authorization by the operator's service")
struct AuthorizationTests {
    /// Opens `photo.png` for a cookie and `cutout.*` for all, for as long as `control` says.
    private static func hook(_ control: String = "max-age=1800") throws -> LoopbackServer {
        let server = try LoopbackServer { request in
            let isMember = request.fields["cookie"] == "member=1" || request.fields["authorization"] == "Bearer member"
            switch request.path.split(separator: "?").last ?? "" {
            case "image=cutout.png", "image=cutout.jpng": return .status(204, ["Cache-Control: \(control)"])
            case "image=photo.png", "folder=":
                return .status(isMember ? 200 : 401, ["Cache-Control: \(control)", "WWW-Authenticate: Basic realm=a"])
            case "image=broken.png": return .status(403, ["Cache-Control: \(control)"])
            default: return .status(404)
            }
        }
        // It ends with its last reference.
        hooks.withLock { $0.append(server) }
        return server
    }

    private static let hooks = Mutex<[LoopbackServer]>([])

    private static func gallery(
        _ hook: LoopbackServer, _ change: @escaping (inout AuthorizationService) -> Void = { _ in }
    ) throws -> Gallery {
        try Gallery {
            var service = AuthorizationService(url: hook.url("/may-see"))
            // Its default of 5 s is for an idle machine.
            service.timeout = .seconds(300)
            change(&service)
            $0.authorization = service
        }
    }

    private func get(_ gallery: Gallery, _ target: String, _ fields: [String: String] = [:]) async -> ServiceResponse {
        var request = ServiceRequest(.get, target)
        request.field = { name in fields[name.lowercased()].map { [$0] } ?? [] }
        return await gallery.respond(to: request)
    }

    private static let member = ["cookie": "member=1"]

    @Test("The service's status is the image's, at every address of it", arguments: Route.table)
    func statuses(_ route: Route) async throws {
        guard route.access == .prefix, route.methods.contains(.get), route.pattern.description != "/probe/*/**" else {
            return
        }
        let gallery = try Self.gallery(Self.hook())
        for address in try route.addresses {
            let (stranger, member) = (await get(gallery, address), await get(gallery, address, Self.member))
            switch true {
            case address.contains(Route.nestedImage):
                #expect((stranger.status, member.status) == (404, 404), "\(address)")
            case address.contains("cutout"): #expect((stranger.status, member.status) == (200, 200), "\(address)")
            default:
                #expect(
                    stranger.status == 401 && stranger["WWW-Authenticate"] == "Basic realm=a",
                    "\(address): \(stranger.status)")
                #expect(stranger["Cache-Control"] == "no-store")
                #expect((200..<400).contains(member.status), "\(address): \(member.status)")
            }
        }
        #expect(await get(gallery, "/image/broken.png").status == 403)
        #expect(await get(gallery, "/image/photo?w=9").status == 401, "A name without extension is the same image")
        #expect(await get(gallery, "/image/missing.png").status == 404)
        #expect(await get(gallery, "/image/cutout.png?mask=photo.png").status == 401)
    }

    @Test("Responses are the client's own, for as long as the answer is")
    func caching() async throws {
        for (control, expected) in [
            ("max-age=1800", "private, max-age=1800"), ("max-age=99999", "private, max-age=3600"),
            ("no-store", "private, no-cache"), ("max-age=1800, no-cache", "private, no-cache"),
            ("public", "private, no-cache"),
        ] {
            let response = await get(try Self.gallery(Self.hook(control)), "/image/cutout.png?w=9")
            let age = response["Cache-Control"] ?? ""
            if control == "max-age=1800" {
                // Less what has passed since the answer.
                #expect(Int(age.dropFirst("private, max-age=".count)).map { 1...1800 ~= $0 } ?? false, "\(age)")
            } else {
                #expect(age == expected, "\(control): \(age)")
            }
            #expect(response["Vary"]?.contains("Authorization, Cookie") == true && response.source == nil)
        }
    }

    @Test("An answer is asked for once in its lifetime, for each image and each client's fields")
    func remembered() async throws {
        for (control, count) in [("max-age=1800", 4), ("no-store", 12)] {
            let hook = try Self.hook(control)
            let gallery = try Self.gallery(hook)
            for _ in 0..<3 {
                _ = await get(gallery, "/image/photo.png?w=9")
                _ = await get(gallery, "/image/photo.png?w=8", Self.member)
                _ = await get(gallery, "/image/cutout.png?w=9", ["cookie": "other=1", "x-other": "ignored"])
                _ = await get(gallery, "/api/pictures")
            }
            #expect(hook.requests.count == count, "\(control)")
            #expect(
                hook.requests.contains { $0.path == "/may-see?image=photo.png" && $0.fields["cookie"] == "member=1" })
            #expect(hook.requests.allSatisfy { $0.fields["x-other"] == nil })
        }
    }

    @Test("The fields that are forwarded are those of the configuration, and the query of the address is kept")
    func fields() async throws {
        let hook = try Self.hook()
        let gallery = try Self.gallery(hook) {
            $0.url += "?site=a"
            $0.forwardedFields = ["X-User", "X-Forwarded-For"]
        }
        _ = await get(
            gallery, "/image/a%20b%2Fgro%C3%9Fe%20%C3%9Cbersicht.jpg", ["x-user": "jane", "cookie": "member=1"])
        let request = try #require(hook.requests.first)
        #expect(request.path == "/may-see?site=a&image=a%20b%2Fgro%C3%9Fe%20%C3%9Cbersicht.jpg")
        #expect(request.fields["x-user"] == "jane" && request.fields["cookie"] == nil)
    }

    @Test("Nobody is let in when the service fails", arguments: [500, 302, 100, 429, 999, 0, -1])
    func failing(_ status: Int) async throws {
        let hook = try LoopbackServer { _ in status == 0 ? .silence : .status(status, ["Location: /elsewhere"]) }
        let gallery = try Self.gallery(hook) {
            if status == 0 { $0.timeout = .milliseconds(200) }
            // Nothing listens there.
            if status < 0 { $0.url = "http://127.0.0.1:1/" }
            if status == 100 { $0.timeout = .seconds(2) }
        }
        let response = await get(gallery, "/image/cutout.png?w=9", Self.member)
        #expect(response.status == 503 && response["Retry-After"] == "5", "\(response.status)")
        withExtendedLifetime(hook) {}
    }

    @Test("Without the service's answer pages and scripts are open, and pages show nothing of images")
    func pages() async throws {
        let gallery = try Self.gallery(Self.hook())
        for address in ["/", "/view/photo.png", "/docs", "/assets/site.css", "/healthz"] {
            #expect(await get(gallery, address).status == 200, "\(address)")
        }
    }

    @Test(
        "Addresses that aren't HTTP's are refused", arguments: ["", "file:///etc/passwd", "http://", "127.0.0.1:9000"])
    func invalid(_ url: String) throws {
        #expect(throws: (any Error).self) { try Gallery { $0.authorization = AuthorizationService(url: url) } }
    }

    // MARK: IIIF Authorization Flow API 2.0

    @Test("The probe's document has the image's status")
    func probe() async throws {
        struct Result: Decodable { let type: String; let status: Int; let heading: [String: [String]]? }
        let gallery = try Self.gallery(Self.hook())
        for (image, fields, status) in [
            ("photo.png", [:], 401), ("photo.png", ["authorization": "Bearer member"], 200), ("cutout.png", [:], 200),
            ("broken.png", [:], 403), ("missing.png", [:], 404),
        ] {
            let response = await get(gallery, "/probe/\(image)", fields)
            #expect(response.status == 200 && response["Cache-Control"] == "no-store")
            #expect(
                response["Content-Type"] == #"application/ld+json;profile="http://iiif.io/api/auth/2/context.json""#)
            let result = try JSONDecoder().decode(Result.self, from: Data(response.text.utf8))
            #expect(result.type == "AuthProbeResult2" && result.status == status, "\(image): \(result.status)")
            #expect((result.heading == nil) == (status == 200))
        }
    }

    @Test("info.json is open and names the services, if there is a token service")
    func services() async throws {
        let closed = try Self.gallery(Self.hook())
        #expect(await get(closed, "/iiif/3/photo.png/info.json").status == 401)
        for login in [nil, "https://example.org/login"] {
            let gallery = try Self.gallery(Self.hook()) {
                $0.tokenService = "https://example.org/token"
                $0.accessService = login
            }
            let response = await get(gallery, "/iiif/3/photo.png/info.json")
            #expect(response.status == 200 && response["Vary"] == "Accept")
            let document = try #require(JSONSerialization.jsonObject(with: Data(response.text.utf8)) as? [String: Any])
            #expect(
                document["@context"] as? [String]
                    == ["http://iiif.io/api/auth/2/context.json", "http://iiif.io/api/image/3/context.json"])
            let probe = try #require((document["service"] as? [[String: Any]])?.first)
            #expect(probe["type"] as? String == "AuthProbeService2")
            #expect(probe["id"] as? String == "http://localhost/probe/photo.png")
            let access = try #require((probe["service"] as? [[String: Any]])?.first)
            #expect(access["type"] as? String == "AuthAccessService2" && access["id"] as? String == login)
            #expect(access["profile"] as? String == (login == nil ? "external" : "active"))
            let token = try #require((access["service"] as? [[String: Any]])?.first)
            #expect(token["type"] as? String == "AuthAccessTokenService2")
            #expect(token["id"] as? String == "https://example.org/token")
            // Pixels stay closed, and so does version 2, which has no such services.
            for address in ["/iiif/3/photo.png/full/9,/0/default.jpg", "/iiif/2/photo.png/info.json"] {
                #expect(await get(gallery, address).status == 401)
            }
        }
    }

    @Test("Other sites' viewers may send Authorization")
    func preflight() async throws {
        var request = ServiceRequest(.options, "/probe/photo.png")
        request.sender = "https://viewer.example"
        for (hook, expected) in [(nil, "*"), (try Self.hook(), "*, Authorization")] {
            let gallery = try Gallery {
                $0.host = "0.0.0.0"
                $0.authorization = hook.map { AuthorizationService(url: $0.url("/")) }
            }
            #expect(await gallery.respond(to: request)["Access-Control-Allow-Headers"] == expected)
        }
    }
}
#endif
