import ImageServer
import Testing

@Suite("The table of routes")
struct RouteTests {
    @Test("No two routes have the same pattern")
    func distinct() {
        let patterns = Route.table.map(\.pattern.description)
        #expect(Set(patterns).count == patterns.count)
    }

    @Test("A route is found by its path", arguments: Route.table)
    func matching(_ route: Route) throws {
        for address in try route.addresses {
            let path = address.prefix { $0 != "?" }.split(separator: "/").map(String.init)
            #expect(Route.matching(path) === route, "\(address)")
        }
    }

    @Test(
        "A path without a pattern has no route",
        arguments: [
            ["", ""], ["docs", ""], ["assets"], ["assets", "a", "b"], ["api"], ["api", "picture"],
            ["api", "pictures", ""],
            ["metrics", "a"], ["healthz", ""], ["view%2Fa"], ["View", "a"], ["signed", "a", "view"], ["*"], ["**"],
        ])
    func withoutRoute(_ segments: [String]) { #expect(Route.matching(segments) == nil) }

    @Test("The methods of a route are answered, and no others", arguments: Route.readable)
    func methods(_ route: Route) async throws {
        let gallery = try Gallery()
        defer { withExtendedLifetime(gallery) {} }
        for address in try route.addresses {
            for method in ServiceRequest.Method.allCases {
                let request = ServiceRequest(method, address)
                let response = await gallery.service.respond(to: request) { "tessera_up 1\n" }
                switch method {
                case .options: #expect(response.status == 204 && response["Allow"] == "GET, HEAD, OPTIONS")
                case _ where route.methods.contains(method):
                    #expect((200..<400).contains(response.status), "\(method) \(address): \(response.status)")
                default:
                    #expect(response.status == 405 && response["Allow"] == "GET, HEAD, OPTIONS", "\(address)")
                    #expect(response.text == "only GET, HEAD and OPTIONS are answered here\n")
                }
            }
        }
    }

    #if Server
    @Test(
        "Unknown methods are refused first", arguments: ["/nothing", "/%zz", "*"])
    func methodsWithoutRoute(_ target: String) async throws {
        let key = try SigningKey(Array("the key of this month".utf8))
        let gallery = try Gallery { $0.signingKeys = [key] }
        let response = await gallery.respond(to: ServiceRequest(.other, target))
        #expect(response.status == 405 && response["Allow"] == "GET, HEAD, OPTIONS")
        #expect(await gallery.respond(to: ServiceRequest(.options, target)).status == 204)
    }
    #endif

    @Test("The documentation lists every route")
    func documentation() async throws {
        let text = try await Gallery().get("/docs").text
        #expect(!text.contains("{{") && !text.contains("}}"))
        for row in [
            "<tr><td><code>/iiif/3/<var>ID</var>/…</code>, <code>/iiif/2/<var>ID</var>/…</code></td>",
            "<td data-example=\"/image/ID?w=600&amp;radius=40&amp;format=auto\"></td></tr>",
            "<tr><td><code>/metrics</code></td><td>Counts and times, as Prometheus reads them</td>",
        ] { #expect(text.contains(row), "\(row)") }
    }
}
