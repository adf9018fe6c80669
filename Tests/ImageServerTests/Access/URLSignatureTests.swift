#if Server
import ImageLoading
import ImageServer
import Raster
import Testing

/// Signed addresses.
@Suite("Signed URLs")
struct URLSignatureTests {
    private let signature: URLSignature

    init() throws { signature = try Self.signature(nil, "0123456789abcdef") }

    private static func signature(_ keys: (String?, String)...) throws -> URLSignature {
        try URLSignature(keys: keys.map { try SigningKey(Array($0.1.utf8), id: $0.0) })
    }

    private static func signature(_ id: String?, _ secret: String) throws -> URLSignature {
        try signature((id, secret))
    }

    /// RFC 4231, section 4; case 5 is of shortened codes.
    @Test(
        "The signature is the standard's HMAC",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131),
                Array(
                    ("This is a test using a larger than block-size key and a larger than block-size data. The key "
                        + "needs to be hashed before being used by the HMAC algorithm.").utf8),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ] as [([UInt8], [UInt8], String)])
    func isTheCodeOfTheStandard(_ key: [UInt8], _ message: [UInt8], _ code: String) {
        let digits = MessageDigest.authenticationCode(of: message, key: key).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        #expect(digits.joined() == code)
    }

    /// Codes by Python's hmac.
    @Test(
        "Addresses are signed",
        arguments: [
            ("/image/a.jpg", nil, "/image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk"),
            ("/image/a.jpg?", nil, "/image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk"),
            (
                "/image/a.jpg?w=400&h=3", nil,
                "/image/a.jpg?w=400&h=3&sig=tIaFe8aRvcDWrnSnT0f6m8zRMOWof7NDirHnEvrdm48"
            ),
            (
                "/image/a%2Fb.jpg?w=400&expires=1&sig=old&radius=20", 2_000_000_000,
                "/image/a%2Fb.jpg?w=400&radius=20&expires=2000000000&sig=XDkzGWUlITDOuR6VV09gFv7frhJ2FHM5Q-C-8gdq7w8"
            ),
        ] as [(String, Int64?, String)])
    func signsAddresses(_ target: String, _ expires: Int64?, _ signed: String) throws {
        #expect(try signature.signed(target, expires: expires) == signed)
        try signature.check(signed, now: 1_999_999_999)
    }

    @Test("Query items may come in any order")
    func takesItemsInAnyOrder() throws {
        for target in [
            "/image/a.jpg?h=3&w=400&sig=tIaFe8aRvcDWrnSnT0f6m8zRMOWof7NDirHnEvrdm48",
            "/image/a.jpg?sig=tIaFe8aRvcDWrnSnT0f6m8zRMOWof7NDirHnEvrdm48&w=400&&h=3&",
        ] {
            try signature.check(target, now: 0)
        }
    }

    @Test("Changed addresses are refused")
    func refusesWhatIsChanged() throws {
        let signed = try signature.signed("/image/a.jpg?w=400", expires: 100)
        try signature.check(signed, now: 100)
        var bytes = Array(signed.utf8)
        for index in bytes.indices {
            bytes[index] ^= 1
            #expect(throws: RequestFailure.self, "\(index)") {
                try signature.check(String(decoding: bytes, as: UTF8.self), now: 0)
            }
            bytes[index] ^= 1
        }
        for index in signed.indices {
            #expect(throws: RequestFailure.self) { try signature.check(String(signed[..<index]), now: 0) }
        }
    }

    @Test(
        "Unsigned addresses are refused",
        arguments: [
            ("/image/a.jpg", "must be signed"), ("/image/a.jpg?w=400", "must be signed"), ("", "must be signed"),
            ("/image/a.jpg?sig", "invalid signature"), ("/image/a.jpg?sig=", "invalid signature"),
            ("/image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk=", "invalid signature"),
            ("/image/a.jpg?w=4&sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "invalid signature"),
            ("/image/b.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "invalid signature"),
            ("/image/%61.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "invalid signature"),
            ("/image/a.jpg?%73ig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "must be signed"),
            ("/image/a.jpg?sig=1&sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "invalid signature"),
            ("/image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk&sig=1", "invalid signature"),
        ])
    func refusesWhatIsntSigned(_ target: String, _ message: String) {
        #expect {
            try signature.check(target, now: 0)
        } throws: {
            ($0 as? RequestFailure).map { $0.status == 403 && $0.message.contains(message) } ?? false
        }
    }

    @Test("A signature expires when it says")
    func isOverWhenItSays() throws {
        let signed = try signature.signed("/image/a.jpg", expires: 1000)
        try signature.check(signed, now: 1000)
        #expect {
            try signature.check(signed, now: 1001)
        } throws: {
            ($0 as? RequestFailure).map { $0.status == 403 && $0.message.contains("has expired") } ?? false
        }
        // What makes no sense never holds, however well it's signed.
        for end in ["", "x", "1e9", "99999999999999999999"] {
            let signed = try signature.signed("/image/a.jpg?expires=\(end)")
            #expect(throws: RequestFailure.self) { try signature.check(signed, now: 0) }
        }
        let twice = try signature.signed("/image/a.jpg?expires=5&expires=1000")
        #expect(throws: RequestFailure.self) { try signature.check(twice, now: 6) }
    }

    @Test("The newest key signs with its id, and the signatures of every key are accepted")
    func keys() throws {
        let (old, new) = (("2026-07", "an older key of it"), ("2026-08", "the newer key of it"))
        let (first, both) = (try Self.signature(old), try Self.signature(old, new))
        let signed = try both.signed("/a?b=c")
        #expect(signed.hasPrefix("/a?b=c&kid=2026-08&sig="))
        try both.check(signed, now: 0)
        try both.check(first.signed("/a?b=c"), now: 0)
        #expect(try both.signed(first.signed("/a?b=c")) == signed, "the other key's is replaced")
        // Each signature names its key: neither another key of the server's nor one that has gone takes it.
        for other in [signed.replacing("kid=2026-08", with: "kid=2026-07"), signed.replacing("kid=2026-08&", with: "")]
        {
            #expect(throws: RequestFailure.self) { try both.check(other, now: 0) }
        }
        #expect(throws: RequestFailure.self) { try first.check(signed, now: 0) }
        #expect(throws: RequestFailure.self) { try both.check(signed + "&kid=2026-08", now: 0) }
    }

    @Test("Signatures from before a key had an id stay valid")
    func keyWithoutID() throws {
        let named = try Self.signature(("2026-07", "0123456789abcdef"), ("2026-08", "the newer key of it"))
        try named.check(signature.signed("/a?b=c"), now: 0)
        try named.check("/image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", now: 0)
        #expect(throws: RequestFailure.self) {
            try named.check(Self.signature(nil, "another key of it").signed("/a"), now: 0)
        }
    }

    @Test("Whole URLs are signed")
    func takesWholeAddresses() throws {
        let target = try signature.signed("/image/a.jpg?w=400")
        #expect(try signature.signed("https://example.org/image/a.jpg?w=400#top") == "https://example.org\(target)")
        for address in ["image/a.jpg", "https://example.org", "/image/a b.jpg", "/image/é.jpg", ""] {
            #expect(throws: ImageError.self, "\(address)") { try signature.signed(address) }
        }
    }

    @Test("Short keys and duplicate ids are refused")
    func refusedKeys() throws {
        #expect(throws: ImageError.self) { try SigningKey(Array("0123456789".utf8)) }
        for id in ["", "a.b", "a b", "é", String(repeating: "a", count: 65)] {
            #expect(throws: ImageError.self) { try SigningKey(Array("0123456789abcdef".utf8), id: id) }
        }
        #expect(throws: ImageError.self) { try URLSignature(keys: []) }
        #expect(throws: ImageError.self) {
            try Self.signature(("a", "0123456789abcdef"), ("a", "the newer key of it"))
        }
    }

    @Test(
        "Key files are parsed",
        arguments: [
            ("0123456789abcdef\n", [(nil, "0123456789abcdef")]),
            (
                "a-1:0123456789abcdef\nb_2:fedcba9876543210\r\n\n",
                [("a-1", "0123456789abcdef"), ("b_2", "fedcba9876543210")]
            ),
            // Not all lines are a key's: it is one secret, as it always was.
            ("a:0123456789abcdef\nfedcba9876543210", [(nil, "a:0123456789abcdef\nfedcba9876543210")]),
            ("a: 0123456789abcdef", [(nil, "a: 0123456789abcdef")]),
            ("a:b:0123456789abcdef", [("a", "b:0123456789abcdef")]),
        ] as [(String, [(String?, String)])])
    func readsKeyFiles(_ text: String, _ keys: [(String?, String)]) throws {
        let found = try SigningKey.keys(inFile: Array(text.utf8))
        #expect(try found == keys.map { try SigningKey(Array($0.1.utf8), id: $0.0) })
    }

    @Test(
        "Malformed key files are refused",
        arguments: ["", "short", "a:short", "a:0123456789abcdef\na:fedcba9876543210"])
    func refusesKeyFiles(_ text: String) {
        #expect(throws: ImageError.self) { try SigningKey.keys(inFile: Array(text.utf8)) }
    }

    // MARK: Prefixes

    @Test(
        "A prefix is signed with any address of its image",
        arguments: [
            ("/iiif/3/a%2Fb.jpg/info.json", "/a/b.jpg"), ("/iiif/2/a%2Fb.jpg/full/full/0/default.jpg", "/a/b.jpg"),
            ("/dzi/a%2Fb.jpg.dzi", "/a/b.jpg"), ("/zoomify/a/b.jpg/ImageProperties.xml", "/a/b.jpg"),
            ("/xyz/a%2Fb.jpg/tilejson.json", "/a/b.jpg"), ("/image/a/b.jpg?w=40", "/a/b.jpg"),
            ("/original/a%2Fb.jpg", "/a/b.jpg"), ("/view/a%2Fb.jpg", "/a/b.jpg"),
            ("/api/picture/a%2Fb.jpg", "/a/b.jpg"),
            ("/jpng-part/a%2Fb.jpng/mask.png", "/a/b.jpng"), ("/jpng/a%2Fb.jpng", "/a/b.jpng"), ("/", "/"),
            ("/jpng", "/"),
            ("/?folder=a%2Fb", "/a/b/"), ("/api/pictures?folder=a", "/a/"),
            ("/image/https%3A%2F%2FExample.org%3A443%2Fa.jpg", "/https://example.org/a.jpg"),
        ])
    func signsPrefixes(_ target: String, _ prefix: String) throws {
        let signed = try signature.signed(prefixOf: "http://localhost\(target)", expires: 1000)
        #expect(signed.hasPrefix("http://localhost/signed/") && signed.hasSuffix(target))
        let token = signed.split(separator: "/")[3]
        let (opened, end) = try signature.check(token: token, now: 1000)
        #expect(opened.text == prefix && end == 1000)
        #expect(throws: RequestFailure.self) { try signature.check(token: token, now: 1001) }
        #expect(try signature.check(token: signature.token(for: opened), now: .max).1 == nil)
    }

    @Test(
        "Empty prefixes are refused",
        arguments: ["/metrics", "/healthz", "/docs", "/nothing", "/assets/site.css", "/api/effects"])
    func refusesPrefixesOfNothing(_ target: String) {
        #expect(throws: ImageError.self) { try signature.signed(prefixOf: target) }
    }

    @Test("Changed prefixes are refused")
    func refusesChangedPrefixes() throws {
        let keyed = try Self.signature("2026-08", "0123456789abcdef")
        let token = keyed.token(for: SignedPrefix(image: "a/b.jpg"), expires: 1000)
        _ = try keyed.check(token: token, now: 0)
        var bytes = Array(token.utf8)
        for index in bytes.indices {
            for change in [1, 32] as [UInt8] {
                bytes[index] ^= change
                #expect(throws: RequestFailure.self, "\(index)") {
                    try keyed.check(token: String(decoding: bytes, as: UTF8.self), now: 0)
                }
                bytes[index] ^= change
            }
        }
        for token in ["", "...", "Lw...", "Lw...x", "a.b.c.d.e", String(repeating: ".", count: 100)] {
            #expect(throws: RequestFailure.self) { try keyed.check(token: token, now: 0) }
        }
        // A signature of one kind is none of the other.
        let address = try keyed.signed("/Lw..2026-08")
        #expect(throws: RequestFailure.self) {
            try keyed.check(token: "Lw..2026-08.\(address.split(separator: "sig=").last ?? "")", now: 0)
        }
    }

    @Test(
        "A signed prefix opens the addresses within it",
        arguments: [
            ("/", "a.jpg", true), ("/a/", "a/b.jpg", true), ("/a/", "a/b/c.jpg", true), ("/a/", "ab/c.jpg", false),
            ("/a/", "a", false), ("/a/b.jpg", "a/b.jpg", true), ("/a/b.jpg", "a/b.jpg.png", false),
            ("/a/b.jpg", "a/b", false), ("/a", "a/b.jpg", false), ("/a/", "A/b.jpg", false),
        ])
    func opensWhatIsWithin(_ prefix: String, _ identifier: String, _ isOpen: Bool) throws {
        #expect(try #require(SignedPrefix(prefix)).opens(image: identifier) == isOpen)
    }

    @Test(
        "A signed prefix opens the lists within it",
        arguments: [
            ("/", "", true), ("/", "a", true), ("/a/", "a", true), ("/a/", "a/b", true), ("/a/", "", false),
            ("/a/", "ab", false), ("/a/b.jpg", "a", false), ("/a", "a", false),
        ])
    func opensListsWithin(_ prefix: String, _ folder: String, _ isOpen: Bool) throws {
        #expect(try #require(SignedPrefix(prefix)).opens(folder: folder) == isOpen)
    }
}
#endif
