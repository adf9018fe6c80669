import ImageLoading
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Redirections")
struct HTTPRedirectTests {
    private let request = DataRequest(
        url: URL(string: "https://a.example/x/y?z")!,
        headers: ["Authorization": "me", "Cookie": "c", "Accept": "image/*", "Range": "bytes=1-"])

    @Test(
        "Redirections are followed, and credentials stay with their origin",
        arguments: [
            ("/b", "https://a.example/b", true), ("b?c", "https://a.example/x/b?c", true),
            ("https://A.example/b", "https://A.example/b", true), ("//b.example/c", "https://b.example/c", false),
            ("http://a.example/b", "http://a.example/b", false),
            ("https://a.example:444/", "https://a.example:444/", false),
            (" /b ", "https://a.example/b", true),
        ])
    func followsAndKeepsSecrets(location: String, url: String, keepsSecrets: Bool) throws {
        for status in [301, 302, 303, 307, 308] {
            let next = try #require(try HTTPRedirect.next(request, status: status, location: location))
            #expect(next.url.absoluteString == url)
            #expect((next.headers["Authorization"] != nil) == keepsSecrets)
            #expect((next.headers["Cookie"] != nil) == keepsSecrets)
            #expect(next.headers["Accept"] == "image/*" && next.headers["Range"] == "bytes=1-")
        }
    }

    @Test("Other responses are final")
    func takesTheRestAsFinal() throws {
        for status in [200, 206, 300, 304, 305, 404] {
            #expect(try HTTPRedirect.next(request, status: status, location: "/b")?.url == nil)
        }
        #expect(try HTTPRedirect.next(request, status: 302, location: nil)?.url == nil)
    }

    @Test(
        "Redirections only lead to HTTP and HTTPS",
        arguments: ["file:///etc/passwd", "data:,a", "ftp://a.example/", "https://", "javascript:0"])
    func staysWithHTTP(location: String) {
        #expect(throws: DataLoadingError.self) { try HTTPRedirect.next(request, status: 302, location: location) }
    }
}
