#if Server
import ImageServer
import Testing

/// Signed addresses.
@Suite struct URLSignatureTests {
    private static let key = Array("0123456789abcdef".utf8)
    private let signature = URLSignature(keys: [key])

    /// RFC 4231, section 4; case 5 is of shortened codes.
    @Test(
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
        let digits = URLSignature.code(of: message, key: key).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(digits.joined() == code)
    }

    /// Codes by Python's hmac.
    @Test(
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
        #expect(signature.signed(target, expires: expires) == signed)
        try signature.check(signed, now: 1_999_999_999)
    }

    @Test func takesItemsInAnyOrder() throws {
        for target in [
            "/image/a.jpg?h=3&w=400&sig=tIaFe8aRvcDWrnSnT0f6m8zRMOWof7NDirHnEvrdm48",
            "/image/a.jpg?sig=tIaFe8aRvcDWrnSnT0f6m8zRMOWof7NDirHnEvrdm48&w=400&&h=3&",
        ] {
            try signature.check(target, now: 0)
        }
    }

    @Test func refusesWhatIsChanged() throws {
        let signed = signature.signed("/image/a.jpg?w=400", expires: 100)
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
        arguments: [
            ("/image/a.jpg", "has to be signed"), ("/image/a.jpg?w=400", "has to be signed"), ("", "has to be signed"),
            ("/image/a.jpg?sig", "isn't signed as"), ("/image/a.jpg?sig=", "isn't signed as"),
            ("/image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk=", "isn't signed as"),
            ("/image/a.jpg?w=4&sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "isn't signed as"),
            ("/image/b.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "isn't signed as"),
            ("/image/%61.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "isn't signed as"),
            ("/image/a.jpg?%73ig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "has to be signed"),
            ("/image/a.jpg?sig=1&sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk", "isn't signed as"),
            ("/image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk&sig=1", "isn't signed as"),
        ])
    func refusesWhatIsntSigned(_ target: String, _ message: String) {
        #expect {
            try signature.check(target, now: 0)
        } throws: {
            ($0 as? RequestFailure).map { $0.status == 403 && $0.message.contains(message) } ?? false
        }
    }

    @Test func isOverWhenItSays() throws {
        let signed = signature.signed("/image/a.jpg", expires: 1000)
        try signature.check(signed, now: 1000)
        #expect(throws: RequestFailure(403, "the time of this address is over")) {
            try signature.check(signed, now: 1001)
        }
        // What makes no sense never holds, however well it's signed.
        for end in ["", "x", "1e9", "99999999999999999999"] {
            let signed = signature.signed("/image/a.jpg?expires=\(end)")
            #expect(throws: RequestFailure.self) { try signature.check(signed, now: 0) }
        }
        let twice = signature.signed("/image/a.jpg?expires=5&expires=1000")
        #expect(throws: RequestFailure.self) { try signature.check(twice, now: 6) }
    }

    @Test func takesWhatAnyKeyHasSigned() throws {
        let old = Array("an older key of it".utf8)
        let both = URLSignature(keys: [Self.key, old])
        try both.check(URLSignature(keys: [old]).signed("/a?b=c"), now: 0)
        try both.check(signature.signed("/a?b=c"), now: 0)
        #expect(both.signed("/a") == signature.signed("/a"))
        #expect(throws: RequestFailure.self) {
            try both.check(URLSignature(keys: [Array("another key of it".utf8)]).signed("/a"), now: 0)
        }
    }
}
#endif
