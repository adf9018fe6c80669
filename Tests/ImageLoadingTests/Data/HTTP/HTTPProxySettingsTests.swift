import ImageLoading
import Testing

@Suite("Proxy settings")
struct HTTPProxySettingsTests {
    @Test(
        "Proxy variables are parsed",
        arguments: [
            ("http://proxy:3128", HTTPProxy(host: "proxy", port: 3128)),
            ("proxy:3128", HTTPProxy(host: "proxy", port: 3128)),
            ("  proxy ", HTTPProxy(host: "proxy", port: 80)),
            ("HTTP://proxy:3128/", HTTPProxy(host: "proxy", port: 3128)),
            ("http://me:p%40ss@proxy:1", HTTPProxy(host: "proxy", port: 1, credentials: "me:p@ss")),
            ("http://[::2]:8080", HTTPProxy(host: "::2", port: 8080)),
            ("socks5://proxy", HTTPProxy(kind: .socks5, host: "proxy", port: 1080)),
            ("socks5h://proxy:9", HTTPProxy(kind: .socks5, host: "proxy", port: 9)),
        ] as [(String, HTTPProxy)])
    func readsProxies(text: String, proxy: HTTPProxy) {
        let settings = HTTPProxySettings(environment: ["http_proxy": text])
        #expect(settings.route(scheme: "http", host: "a.example", port: nil) == .proxy(proxy))
        #expect(settings.route(scheme: "https", host: "a.example", port: nil) == .direct)
    }

    @Test(
        "An unusable proxy is never bypassed",
        arguments: [
            ("https://proxy:1", "https://proxy:1"), ("ftp://proxy", "ftp://proxy"),
            ("http://proxy:99999", "http://proxy:99999"),
            ("http://proxy:a", "http://proxy:a"), ("http://", "http://"), ("http://me:%zz@proxy", "http://…@proxy"),
            ("socks5://me:secret@proxy", "socks5://…@proxy"), ("http://[::1", "http://[::1"),
        ])
    func neverGoesAroundAProxyThatItCannotUse(text: String, shown: String) {
        let settings = HTTPProxySettings(environment: ["http_proxy": text])
        #expect(settings.route(scheme: "http", host: "a.example", port: nil) == .unusable(shown))
    }

    @Test(
        "The variable for the URL's scheme is chosen",
        arguments: [
            (["http_proxy": "p:1"], "p", nil), (["HTTP_PROXY": "p:1"], "p", nil),
            (["http_proxy": "p:1", "HTTP_PROXY": "q:1"], "p", nil), (["all_proxy": "p:1"], "p", "p"),
            (["ALL_PROXY": "p:1", "https_proxy": "q:1"], "p", "q"), (["HTTPS_PROXY": "q:1"], nil, "q"),
            (["http_proxy": "", "all_proxy": "p:1"], nil, "p"), ([:], nil, nil),
            // A client of a CGI program could set this one.
            (["HTTP_PROXY": "p:1", "REQUEST_METHOD": "GET"], nil, nil),
            (["http_proxy": "p:1", "REQUEST_METHOD": "GET"], "p", nil),
        ] as [([String: String], String?, String?)])
    func choosesVariables(environment: [String: String], http: String?, https: String?) {
        let settings = HTTPProxySettings(environment: environment)
        func route(_ host: String?) -> HTTPProxySettings.Route {
            host.map { .proxy(HTTPProxy(host: $0, port: 1)) } ?? .direct
        }
        #expect(settings.route(scheme: "http", host: "a", port: nil) == route(http))
        #expect(settings.route(scheme: "https", host: "a", port: nil) == route(https))
    }

    @Test(
        "NO_PROXY lists hosts for a direct connection",
        arguments: [
            ("", "a.example", 80, false), ("*", "a.example", 80, true), ("example", "a.example", 80, true),
            (".a.example", "a.example", 80, true), ("*.a.example", "b.A.Example.", 80, true),
            ("a.example", "ba.example", 80, false), ("a.example", "a.example.org", 80, false),
            ("x, a.example:8080", "a.example", 8080, true), ("a.example:8080", "a.example", 80, false),
            ("10.1.0.0/16", "10.1.255.3", 80, true), ("10.1.0.0/16", "10.2.0.1", 80, false),
            ("0.0.0.0/0", "8.8.8.8", 80, true), ("10.1.0.0/16", "a.example", 80, false),
            ("10.1.2.3", "10.1.2.3", 80, true),
            ("[2001:db8::1]:443", "2001:db8::1", 443, true), ("2001:db8::1", "2001:db8::1", 80, true),
            ("10.0.0.0/33", "10.0.0.1", 80, false), (",,", "a", 80, false),
            ("", "localhost", 80, true), ("", "127.3.2.1", 80, true), ("", "::1", 80, true),
            ("", "localhost.example", 80, false),
        ] as [(String, String, Int, Bool)])
    func knowsWhatIsReachedDirectly(exceptions: String, host: String, port: Int, isDirect: Bool) {
        let settings = HTTPProxySettings(environment: ["http_proxy": "p:1", "no_proxy": exceptions])
        #expect((settings.route(scheme: "http", host: host, port: port) == .direct) == isDirect)
    }
}
