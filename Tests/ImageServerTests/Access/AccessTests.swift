#if Server
import Foundation
import ImageServer
import TestSupport
import Testing

@Suite("Responses of a server with keys")
struct AccessTests {
    private let gallery: Gallery
    private let signature: URLSignature
    private let now = Int64(Date.now.timeIntervalSince1970)
    /// Later than any busy machine ends a test.
    private var later: Int64 { now + 86_400 }

    init() throws {
        let keys = try [
            SigningKey(Array("the key of last month".utf8), id: "old"),
            SigningKey(Array("the key of this month".utf8), id: "new"),
        ]
        gallery = try Gallery { $0.signingKeys = keys }
        signature = try URLSignature(keys: keys)
    }

    private func get(_ target: String, _ change: (inout ServiceRequest) -> Void = { _ in }) async -> ServiceResponse {
        defer { withExtendedLifetime(gallery) {} }
        var request = ServiceRequest(.get, target)
        change(&request)
        return await gallery.service.respond(to: request) { "tessera_up 1\n" }
    }

    /// The cookie that a page leaves when it is opened by a prefix.
    private func session(_ address: String, expires: Int64? = nil) async throws -> String {
        let response = await get(try signature.signed(prefixOf: address, expires: expires))
        #expect(response.status == 303 && response["Location"] == address)
        let cookie = try #require(response["Set-Cookie"])
        for attribute in ["; Path=/", "; HttpOnly", "; SameSite=Lax"] {
            #expect(cookie.contains(attribute), "\(cookie)")
        }
        #expect(cookie.contains("; Max-Age=") == (expires != nil))
        return String(cookie.prefix { $0 != ";" })
    }

    @Test("Without a signature, only routes that are the same on every server are open", arguments: Route.readable)
    func unsigned(_ route: Route) async throws {
        for address in try route.addresses {
            let response = await get(address)
            switch route.pattern.description {
            case "/assets/*", "/favicon.ico", "/healthz", "/readyz": #expect(response.status == 200, "\(address)")
            default:
                #expect(response.status == 403, "\(address)")
                #expect(response["Cache-Control"] == "no-store")
                for name in ["photo.png", "Übersicht", "tessera_up"] { #expect(!response.text.contains(name)) }
            }
            // Nor does it say which images there are.
            let other = await get(address.replacing("photo", with: "other"))
            #expect(other.text == response.text && other.status == response.status)
        }
    }

    @Test(
        "Paths without a route are closed too",
        arguments: ["/nothing", "/api", "/api/keys", "/iiif", "/signed", "/signed/a"])
    func withoutRoute(_ address: String) async throws { #expect(await get(address).status == 403) }

    @Test("Every route is open with its address signed", arguments: Route.readable)
    func signed(_ route: Route) async throws {
        for address in try route.addresses {
            let response = await get(try signature.signed(address, expires: later))
            #expect((200..<400).contains(response.status), "\(address): \(response.status)")
            for other in [signature, try URLSignature(keys: [SigningKey(Array("somebody else's key".utf8))])] {
                guard route.access != .public else { continue }
                let expires = other.signs(as: signature) ? now - 10 : later
                #expect(await get(try other.signed(address, expires: expires)).status == 403, "\(address)")
            }
        }
    }

    @Test("An image's signature opens all its addresses and no other's", arguments: Route.readable)
    func prefix(_ route: Route) async throws {
        for address in try route.addresses
        where !address.contains(Route.nestedImage) && !address.contains("?") {
            let image = address.contains("cutout") ? "cutout.jpng" : "photo.png"
            let token = signature.token(for: SignedPrefix(image: image), expires: later)
            let response = await get("/signed/\(token)\(address)")
            switch route.access {
            case .signed: #expect(response.status == 403, "\(address)")
            case .prefix where address.hasPrefix("/api/pictures"): #expect(response.status == 403, "\(address)")
            default: #expect((200..<400).contains(response.status), "\(address): \(response.status) \(response.text)")
            }
            guard route.access == .prefix else { continue }
            let other = signature.token(for: SignedPrefix(image: "cutout.png"))
            #expect(await get("/signed/\(other)\(address)").status == 403, "\(address)")
        }
    }

    @Test("An image's signature opens the addresses in its documents")
    func zooming() async throws {
        struct Information: Decodable { let id: String }
        let token = signature.token(for: SignedPrefix(image: "photo.png"))
        let answer = await get("/signed/\(token)/iiif/3/photo.png/info.json")
        let information = try JSONDecoder().decode(Information.self, from: Data(answer.text.utf8))
        #expect(information.id == "http://localhost/signed/\(token)/iiif/3/photo.png")
        let tile = await get("/signed/\(token)/iiif/3/photo.png/0,0,256,256/256,256/0/default.jpg")
        #expect(tile.status == 200 && tile["Cache-Control"] == "public, max-age=3600")
        #expect(tile["Link"]?.contains("<http://localhost/signed/\(token)/iiif/3/") == true)
        #expect(
            await get("/signed/\(token)/iiif/3/photo.png")["Location"]
                == "http://localhost/signed/\(token)/iiif/3/photo.png/info.json")
        #expect(await get("/signed/\(token)/xyz/photo.png/tilejson.json").text.contains("/signed/"))
    }

    @Test("An image's signature opens no other image through an effect")
    func otherImages() async throws {
        let token = signature.token(for: SignedPrefix(image: "photo.png"))
        for item in ["mask=cutout.png", "overlay=cutout.png,1,1"] {
            #expect(await get("/signed/\(token)/image/photo.png?w=40&\(item)").status == 403)
            let both = signature.token(for: .everything)
            #expect(await get("/signed/\(both)/image/photo.png?w=40&\(item)").status == 200)
        }
    }

    @Test("A folder's signature opens its list, its images and nothing beside it")
    func folder() async throws {
        let token = signature.token(for: SignedPrefix(folder: "a b"))
        for (address, status) in [
            ("/api/pictures?folder=a%20b", 200), ("/api/pictures?folder=a%20b&search=gro", 200), ("/api/pictures", 403),
            ("/api/pictures?search=photo", 403), ("/original/\(Route.nestedImage)", 200), ("/original/photo.png", 403),
            ("/original/a%20b%2F..%2Fphoto.png", 404), ("/metrics", 403),
        ] {
            #expect(await get("/signed/\(token)\(address)").status == status, "\(address)")
        }
    }

    @Test("A page opened by a prefix starts a session, which opens the same")
    func sessions() async throws {
        let folder = try await session("/?folder=a%20b", expires: later)
        for (address, status) in [
            ("/?folder=a%20b", 200), ("/view/\(Route.nestedImage)", 200), ("/api/pictures?folder=a%20b", 200),
            ("/iiif/3/\(Route.nestedImage)/info.json", 200), ("/image/\(Route.nestedImage)?w=40", 200),
            ("/api/effects", 200),
            ("/original/photo.png", 403), ("/api/pictures", 403), ("/metrics", 403),
        ] {
            let response = await get(address) { $0.cookie = "other=1; \(folder)" }
            #expect(response.status == status, "\(address)")
            guard status == 200 else { continue }
            // Neither a cache nor the next client by the same address.
            #expect(response["Vary"]?.contains("Cookie") == true && response.source == nil, "\(address)")
            #expect(response["Cache-Control"]?.hasPrefix("public") != true, "\(address)")
        }
        let picture = try await session("/view/photo.png")
        #expect(await get("/original/photo.png") { $0.cookie = "\(folder); \(picture)" }.status == 200)
        #expect(picture.prefix { $0 != "=" } != folder.prefix { $0 != "=" }, "one doesn't replace the other")
        for cookie in [
            "tessera-session=", "tessera-session", "tessera-session-1=Lw...x", picture + "x",
            "tessera-session=\(signature.token(for: .everything, expires: now - 10))",
        ] {
            #expect(await get("/original/photo.png") { $0.cookie = cookie }.status == 403, "\(cookie)")
        }
    }

    @Test("Behind TLS, a session's cookie is secure, and pages open by their URLs")
    func secureSession() async throws {
        let response = await get(try signature.signed(prefixOf: "/")) { $0.origin = "https://example.org" }
        #expect(response["Set-Cookie"]?.contains("; Secure") == true)
        // An address is never taken for one of another host.
        let token = signature.token(for: .everything)
        for path in ["//example.org/", "/\\example.org", "/%2Fexample.org/"] {
            let answer = await get("/signed/\(token)\(path)")
            #expect(answer["Location"] == nil && answer.status >= 400, "\(path)")
        }
    }

    @Test("Signed responses aren't cached beyond their expiry")
    func freshness() async throws {
        let address = "/image/photo.png?w=40"
        #expect(await get(try signature.signed(address))["Cache-Control"] == "public, max-age=3600")
        let soon = Int64(Date.now.timeIntervalSince1970) + 1800
        let token = signature.token(for: .everything, expires: soon)
        let cookie = try await session("/", expires: soon)
        for response in [
            await get(try signature.signed(address, expires: soon)), await get("/signed/\(token)\(address)"),
            await get(address, { $0.cookie = cookie }),
        ] {
            let age = try #require(response["Cache-Control"]?.split(separator: "=").last.flatMap { Int($0) })
            #expect(response.status == 200 && 0...1800 ~= age)
        }
    }

    @Test("A browser without a signature gets instructions")
    func instruction() async throws {
        let page = await get("/view/a'%3Cb") { $0.accept = "text/html,application/xhtml+xml,*/*;q=0.8" }
        #expect(page.status == 403 && page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.text.contains("tessera sign --prefix 'http://localhost/view/a%27%3Cb' --key-file KEYS"))
        #expect(!page.text.contains("{{"))
    }
}

extension URLSignature {
    /// Whether both sign alike.
    fileprivate func signs(as other: URLSignature) -> Bool {
        (try? signed("/") == other.signed("/")) ?? false
    }
}
#endif
