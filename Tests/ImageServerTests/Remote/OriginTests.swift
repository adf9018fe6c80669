import ImageServer
import Raster
import Testing

/// What may be fetched from other servers: addresses as they are written by those who would like more.
@Suite("Origins of remote images")
struct OriginTests {
    private static let origins = [
        "https://example.org/photos/", "http://images.example.com", "http://example.net:8080/a/b", "http://10.0.0.5/",
        "https://[2001:db8::5]:8443/p/", "private+http://nas.local/scans/", "https://xn--bcher-kva.example/",
    ]

    /// Addresses that are fetched, as they are asked for.
    @Test(
        "URLs within the origin are allowed",
        arguments: [
            ("https://example.org/photos/a.jpg", "https://example.org/photos/a.jpg"),
            ("HTTPS://EXAMPLE.ORG/photos/a.jpg", "https://example.org/photos/a.jpg"),
            ("https://example.org./photos/a.jpg", "https://example.org/photos/a.jpg"),
            ("https://example.org:443/photos/a.jpg", "https://example.org/photos/a.jpg"),
            ("https://example.org:00443/photos/a.jpg", "https://example.org/photos/a.jpg"),
            ("https://example.org/photos/x/../a.jpg", "https://example.org/photos/a.jpg"),
            ("https://example.org/./photos/%2e/a.jpg", "https://example.org/photos/a.jpg"),
            ("https://example.org/other/%2E%2e/photos/a.jpg", "https://example.org/photos/a.jpg"),
            ("https://example.org/photos/a%2fb.jpg", "https://example.org/photos/a%2Fb.jpg"),
            ("https://example.org/photos/é ü.jpg", "https://example.org/photos/%C3%A9%20%C3%BC.jpg"),
            ("https://example.org/photos/a.jpg?v=2&u=../..", "https://example.org/photos/a.jpg?v=2&u=../.."),
            ("https://example.org/photos/a.jpg#../../x", "https://example.org/photos/a.jpg"),
            ("https://example.org/photos/...", "https://example.org/photos/..."),
            ("https://example.org/photos/", "https://example.org/photos/"),
            ("http://images.example.com", "http://images.example.com/"),
            ("http://images.example.com?a", "http://images.example.com/?a"),
            ("http://images.example.com/any/where.png", "http://images.example.com/any/where.png"),
            ("http://example.net:8080/a/b", "http://example.net:8080/a/b"),
            ("http://example.net:8080/a/b/c.png", "http://example.net:8080/a/b/c.png"),
            ("http://10.0.0.5/x.png", "http://10.0.0.5/x.png"),
            ("https://[2001:DB8:0::5]:8443/p/x.png", "https://[2001:db8::5]:8443/p/x.png"),
            ("http://nas.local/scans/1.tif", "http://nas.local/scans/1.tif"),
            ("https://xn--bcher-kva.example/1.jpg", "https://xn--bcher-kva.example/1.jpg"),
        ])
    func allows(_ text: String, _ sent: String) throws {
        let address = try RemoteAddress(text)
        #expect(address.text == sent)
        #expect(try Self.origins.contains { try Origin($0).allows(address) })
        #expect(try RemoteAddress(sent) == address)
    }

    /// Addresses of other places.
    @Test(
        "URLs outside the origin are refused",
        arguments: [
            "https://example.org/", "https://example.org/photos", "https://example.org/photos2/a.jpg",
            "https://example.org/Photos/a.jpg", "https://example.org/photos/../secret.jpg",
            "https://example.org/photos/%2e%2E/secret.jpg", "https://example.org/photos/.%2e/secret.jpg",
            "https://example.org/photos/./../secret.jpg", "https://example.org//photos/a.jpg",
            "https://example.org/%70hotos/a.jpg", "https://example.org/photos%2Fa.jpg",
            "http://example.org/photos/a.jpg", "https://example.org:8443/photos/a.jpg",
            "https://example.org:80/photos/a.jpg",
            "https://example.org.evil.test/photos/a.jpg", "https://evil-example.org/photos/a.jpg",
            "https://www.example.org/photos/a.jpg", "https://evil.test/https://example.org/photos/a.jpg",
            "https://evil.test/?https://example.org/photos/", "http://example.net:8080/a/bc",
            "http://example.net:8080/a",
            "http://example.net/a/b", "http://images.example.com:81/a.jpg", "http://localhost/a.jpg",
            "http://127.0.0.1/a.jpg",
            "http://10.0.0.6/a.jpg", "http://10.0.0.5:8080/a.jpg", "https://10.0.0.5/a.jpg",
            "http://[::ffff:10.0.0.5]/a.jpg",
            "http://[::ffff:a00:5]/a.jpg", "http://[64:ff9b::a00:5]/", "http://[::]/", "http://0.0.0.0/",
            "http://169.254.169.254/",
            "https://[2001:db8::5]/p/x.png", "http://nas.local/scans2/1.tif", "http://nas.local.evil.test/scans/1.tif",
        ])
    func doesntAllow(_ text: String) throws {
        let address = try RemoteAddress(text)
        #expect(try !Self.origins.contains { try Origin($0).allows(address) })
    }

    /// What is no address, or several.
    @Test(
        "Malformed URLs are refused",
        arguments: [
            ("", "begins neither"), ("a.jpg", "begins neither"), ("//example.org/photos/a.jpg", "begins neither"),
            ("file:///etc/passwd", "begins neither"), ("ftp://example.org/photos/a.jpg", "begins neither"),
            ("gopher://example.org/photos/", "begins neither"), ("unix:///run/docker.sock", "begins neither"),
            ("http+unix://%2Frun%2Fdocker.sock/", "begins neither"),
            ("https:/example.org/photos/a.jpg", "begins neither"),
            ("https:\\\\example.org\\photos", "backslash"), (" https://example.org/photos/", "begins neither"),
            ("https://user@example.org/photos/a.jpg", "a name before its host"),
            ("https://example.org@evil.test/photos/a.jpg", "a name before its host"),
            ("https://example.org:443@evil.test/photos/a.jpg", "a name before its host"),
            ("https://a:b@example.org/photos/a.jpg", "a name before its host"),
            ("https://example.org\\@evil.test/photos/a.jpg", "backslash"),
            ("https://evil.test\\.example.org/photos/a.jpg", "backslash"),
            ("https://example.org%40evil.test/photos/a.jpg", "no name"),
            ("https://evil.test%2F.example.org/photos/", "no name"), ("https://exam%70le.org/photos/a.jpg", "no name"),
            ("https://example.org%00.evil.test/", "no name"), ("https://bücher.example/a.jpg", "ASCII"),
            ("https://example．org/photos/a.jpg", "ASCII"), ("https://еxample.org/photos/a.jpg", "ASCII"),
            ("https:///photos/a.jpg", "no name"), ("https://.example.org/photos/", "no name"),
            ("https://example..org/photos/", "no name"), ("https://example.org../photos/", "no name"),
            ("https://example org/photos/", "no name"), ("https://a,b/photos/", "no name"),
            ("https://\(String(repeating: "a", count: 64)).org/", "no name"),
            ("https://example.org:/photos/a.jpg", "port"), ("https://example.org:0/photos/a.jpg", "port"),
            ("https://example.org:65536/photos/a.jpg", "port"), ("https://example.org:443x/photos/a.jpg", "port"),
            ("https://example.org:+443/photos/a.jpg", "port"), ("https://example.org:443:443/photos/a.jpg", "port"),
            ("https://example.org:000443/photos/", "port"),
            // One machine in many ways: in decimal, octal and hexadecimal numbers, and with parts left out.
            ("http://167772165/", "no address as they are written"),
            ("http://0xa000005/", "no address as they are written"),
            ("http://0x0A.0.0.5/", "no address as they are written"),
            ("http://012.0.0.5/", "no address as they are written"),
            ("http://10.5/", "no address as they are written"), ("http://10.0.5/", "no address as they are written"),
            ("http://10.0.0.05/", "no address as they are written"),
            ("http://127.1/", "no address as they are written"),
            ("http://0/", "no address as they are written"), ("http://0x7f.1/", "no address as they are written"),
            ("http://2130706433/", "no address as they are written"), ("http://0x/", "no address as they are written"),
            ("http://1.2.3.4.5/", "no address as they are written"),
            ("http://10.0.0.256/", "no address as they are written"),
            ("http://[10.0.0.5]/", "in brackets"), ("http://[::1", "] is missing"), ("http://[]/", "in brackets"),
            ("http://[::1%25lo]/", "in brackets"), ("http://[::1]x/", "in brackets"), ("http://[v1.a]/", "in brackets"),
            ("http://::1/", "no name"), ("http://①②⑦.0.0.1/", "ASCII"),
            ("https://example.org/photos/\r\nHost: evil.test", "control character"),
            ("https://example.org/photos/\0", "control character"),
            ("https://example.org/photos/%0d%0a", "encoded control"),
            ("https://example.org/photos/%00.jpg", "encoded control"),
            ("https://example.org/photos/%2500.jpg", "encoded control"),
            ("https://example.org/photos/%", "two hexadecimal digits"),
            ("https://example.org/photos/%2", "two hexadecimal"),
            ("https://example.org/photos/%zz", "two hexadecimal digits"),
            ("https://example.org/photos/?%g1", "two hexadecimal"),
            ("https://example.org/photos/..%2fsecret.jpg", "leads upwards"),
            ("https://example.org/photos/x%2f..%2f..%2fsecret.jpg", "leads upwards"),
            ("https://example.org/photos/..%5csecret.jpg", "leads upwards"),
            ("https://example.org/photos/%252e%252e/secret.jpg", "leads upwards"),
            ("https://example.org/photos/%252e%252e%252fsecret.jpg", "leads upwards"),
            ("https://example.org/photos/%25252e%25252e/secret.jpg", "leads upwards"),
            ("https://example.org/photos/..;/secret.jpg", "leads upwards"),
            ("https://example.org/photos/%2e%2e;a=b/secret.jpg", "leads upwards"),
            (
                "https://example.org/\(String(repeating: "%25", count: 1) + String(repeating: "25", count: 20))2e",
                "too often"
            ),
        ])
    func refuses(_ text: String, _ reason: String) {
        #expect {
            try RemoteAddress(text)
        } throws: { error in
            guard let failure = error as? RequestFailure else { return false }
            return failure.status == 400 && failure.message.contains(reason)
        }
    }

    // The second is long enough once its letters are encoded, each as nine bytes.
    @Test(
        "Long URLs are refused",
        arguments: [String(repeating: "a", count: 3000), String(repeating: "\u{20AC}", count: 600)])
    func refusesLongAddresses(_ name: String) {
        let text = "https://example.org/photos/" + name
        #expect {
            try RemoteAddress(text)
        } throws: {
            ($0 as? RequestFailure)?.status == 414
        }
    }

    @Test(
        "Malformed origins are refused",
        arguments: [
            "", "example.org", "https://", "ftp://example.org/", "https://example.org/?a=b", "https://example.org/#a",
            "https://user@example.org/", "public+https://example.org/", "https://*.example.org/", "http://0x7f.1/",
        ])
    func isNoOrigin(_ text: String) {
        #expect {
            try Origin(text)
        } throws: {
            ($0 as? ImageError)?.code == .invalidParameter
        }
    }

    /// Origins, what their hosts' names are said to stand for, and whether they are reached.
    @Test(
        "An origin is reached by its own URLs",
        arguments: [
            ("https://example.org/", ["93.184.216.34"], true),
            ("https://example.org/", ["2606:4700::1", "1.1.1.1"], true),
            ("https://example.org/", ["127.0.0.1"], false), ("https://example.org/", ["::1"], false),
            ("https://example.org/", ["93.184.216.34", "10.0.0.1"], false),
            ("https://example.org/", ["::ffff:127.0.0.1"], false), ("https://example.org/", ["169.254.169.254"], false),
            ("https://localhost/", ["127.0.0.1"], false), ("private+https://localhost/", ["127.0.0.1"], true),
            ("PRIVATE+http://nas.local/a/", ["192.168.1.4", "fd00::4"], true),
            ("http://127.0.0.1:90/", ["127.0.0.1"], true),
            ("http://[::1]/", ["::1"], true),
        ])
    func isReachedBy(_ origin: String, _ addresses: [String], _ isReached: Bool) throws {
        let found = try addresses.map { try #require(NetworkAddress($0)) }
        #expect(try Origin(origin).allows(found) == isReached)
    }

    @Test("A slash with a combining accent is no slash")
    func countsASlashWithAnAccentForNone() throws {
        // To Swift's characters, "/" and a combining accent are one that is no slash.
        let origin = try Origin("https://example.org/photos")
        #expect(try !origin.allows(RemoteAddress("https://example.org/photos\u{301}/a.jpg")))
        #expect(try origin.allows(RemoteAddress("https://example.org/photos/\u{301}a.jpg")))
        #expect(try RemoteAddress("https://example.org/\u{301}a").path == "/%CC%81a")
    }
}
