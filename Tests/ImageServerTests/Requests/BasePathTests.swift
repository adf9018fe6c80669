import Foundation
import ImageServer
import Testing

/// Servers below a path of another server.
@Suite("Base paths")
struct BasePathTests {
    @Test(
        "A base path is made of plain segments, and a slash at its end is dropped",
        arguments: [
            ("/images", "/images"), ("/images/", "/images"), ("/a/b-c_d.e~f", "/a/b-c_d.e~f"), ("", ""), ("/", ""),
            ("/imagery/image", "/imagery/image"),
        ])
    func valid(_ text: String, _ expected: String) throws { #expect(try BasePath(text).text == expected) }

    @Test(
        "Other text is refused, and so is what the server's own addresses begin with",
        arguments: [
            "images", "/a//b", "/a/../b", "/.", "/a b", "/a%20b", "/ä", "/a?b", "/a\"b",
            "/" + String(repeating: "a", count: 255),
            "/image", "/iiif/3", "/signed", "/api", "/assets",
        ])
    func invalid(_ text: String) { #expect(throws: (any Error).self) { try BasePath(text) } }

    private let gallery: Gallery

    init() throws { gallery = try Gallery { $0.basePath = "/images" } }

    @Test("Requests are answered with and without the base path", arguments: ["", "/images"])
    func answered(_ prefix: String) async throws {
        #expect(await gallery.get("\(prefix)/image/cutout.png?w=20").status == 200)
        #expect(await gallery.get("\(prefix)/healthz").status == 200)
        #expect(await gallery.get("\(prefix)?folder=").status == (prefix.isEmpty ? 400 : 200))
        #expect(await gallery.get("/images").status == 200)
        #expect(await gallery.get("\(prefix)s/image/cutout.png?w=20").status != 200)
    }

    @Test("Documents, redirections and links have the base path")
    func documents() async throws {
        for prefix in ["", "/images"] {
            let information = await gallery.get("\(prefix)/iiif/3/photo.png/info.json")
            #expect(information.text.contains(#""id":"http://localhost/images/iiif/3/photo.png""#))
            #expect(
                await gallery.get("\(prefix)/iiif/3/photo.png")["Location"]
                    == "http://localhost/images/iiif/3/photo.png/info.json")
            let tile = await gallery.get("\(prefix)/iiif/3/photo.png/full/40,/0/default.jpg")
            #expect(
                tile["Link"]?.contains("<http://localhost/images/iiif/3/photo.png/full/40,27/0/default.jpg>") == true)
            #expect(
                await gallery.get("\(prefix)/xyz/photo.png/tilejson.json").text.contains("http://localhost/images/xyz/")
            )
            #expect(await gallery.get("\(prefix)/api/picture/photo.png").text.contains(#""/images/iiif/3/photo.png""#))
        }
    }

    @Test(
        "Every link of every page has the base path",
        arguments: ["/", "/view/photo.png", "/effects/photo.png", "/jpng", "/docs"])
    func pages(_ page: String) async throws {
        let (plain, moved) = (try await Gallery().get(page), await gallery.get(page))
        #expect(moved.status == 200 && moved["ETag"] != plain["ETag"])
        let links = moved.text.matches(of: /(?:href|src|data-example)="([^"]*)"/).map { String($0.1) }
        #expect(links.count > 5 && links.count == plain.text.matches(of: /(?:href|src|data-example)="([^"]*)"/).count)
        for link in links where link.hasPrefix("/") { #expect(link.hasPrefix("/images/"), "\(link)") }
        // Everything that the page loads is there.
        for link in links where link.contains("/assets/") { #expect(await gallery.get(link).status == 200, "\(link)") }
    }

    @Test("A page of an error has the base path, and what the client sent has no link in it")
    func failures() async throws {
        var request = ServiceRequest(.get, "/images/image/photo.png?w=%22%3D%22/a")
        request.accept = "text/html"
        let response = await gallery.respond(to: request)
        #expect(response.status == 400 && response.text.contains(#"href="/images/assets/site.css""#))
        #expect(!response.text.contains(#"href="/assets"#))
        request.target = "/images/nothing"
        #expect(await gallery.respond(to: request).text.contains(#"href="/images/docs""#))
    }

    #if Server
    @Test("Signatures don't cover the base path, and sessions are limited to it")
    func signatures() async throws {
        let keys = [try SigningKey(Array("the key of this month".utf8))]
        let gallery = try Gallery {
            $0.basePath = "/images"
            $0.signingKeys = keys
        }
        let signature = try URLSignature(keys: keys, basePath: "/images")
        let address = try signature.signed("/images/image/cutout.png?w=20")
        #expect(
            address
                == (try URLSignature(keys: keys).signed("/image/cutout.png?w=20")).replacing(
                    "/image/", with: "/images/image/"))
        #expect(await gallery.get(address).status == 200)
        #expect(await gallery.get(String(address.dropFirst("/images".count))).status == 200)
        let page = try signature.signed(prefixOf: "http://localhost/images/view/cutout.png")
        #expect(page.hasPrefix("http://localhost/images/signed/"))
        let session = await gallery.get(String(page.dropFirst("http://localhost".count)))
        #expect(session.status == 303 && session["Location"] == "/images/view/cutout.png")
        #expect(session["Set-Cookie"]?.contains("; Path=/images/; ") == true)
        var refused = ServiceRequest(.get, "/images/view/photo.png")
        refused.accept = "text/html"
        #expect(
            await gallery.respond(to: refused).text.contains(
                "/images/view/photo.png' --key-file KEYS --base-path /images"))
    }
    #endif
}
