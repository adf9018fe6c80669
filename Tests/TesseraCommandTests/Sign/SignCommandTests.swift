#if Server
import Foundation
import ImageServer
import TestSupport
import Testing

/// `tessera sign`.
@Suite("tessera sign")
struct SignCommandTests {
    private let folder: TemporaryFolder
    private let signature: URLSignature

    init() throws {
        folder = try TemporaryFolder()
        signature = try URLSignature(keys: [SigningKey(Array("0123456789abcdef".utf8))])
        try folder.write(Array("2026-07:fedcba9876543210\n2026-08:0123456789abcdef\n".utf8), to: "keys")
        try folder.write(Array("0123456789abcdef\n".utf8), to: "key")
        try folder.write(Array("0123456789\n".utf8), to: "short")
    }

    @Test("Addresses are signed")
    func signsAddresses() throws {
        let outcome = try Command.run(
            "sign", "/image/a.jpg", "http://localhost:8080/image/a.jpg?w=400&h=3#view", "/image/a.jpg?u=http://b/",
            "--key-file", "key", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(
            outcome.text
                == """
                /image/a.jpg?sig=pgHzpSTG82S6AcvIHi49Zd_lsK96ltz7chwyJUG4iNk
                http://localhost:8080/image/a.jpg?w=400&h=3&sig=tIaFe8aRvcDWrnSnT0f6m8zRMOWof7NDirHnEvrdm48
                \(try signature.signed("/image/a.jpg?u=http://b/"))

                """)
    }

    @Test("A signature can expire")
    func limitsTheTime() throws {
        let before = Int64(Date().timeIntervalSince1970)
        let outcome = try Command.run("sign", "/a.jpg", "--key-file", "key", "--expires", "2h", in: folder)
        let after = Int64(Date().timeIntervalSince1970)
        let signed = outcome.text.trimmingCharacters(in: .newlines)
        #expect(outcome.status == 0 && signed.hasPrefix("/a.jpg?expires="))
        try signature.check(signed, now: before + 7200)
        #expect(throws: RequestFailure.self) { try signature.check(signed, now: after + 7201) }
    }

    @Test("The newest of several keys signs an address or a prefix")
    func signsByKeyID() throws {
        let outcome = try Command.run("sign", "/a.jpg?w=4", "--key-file", "keys", in: folder)
        #expect(outcome.status == 0 && outcome.text.hasPrefix("/a.jpg?w=4&kid=2026-08&sig="), "\(outcome.errors)")
        let before = Int64(Date().timeIntervalSince1970)
        let address = "http://localhost:8080/iiif/3/a%2Fb.jpg/info.json"
        let prefixed = try Command.run(
            "sign", "--prefix", address, "http://localhost:8080/?folder=a", "--key-file", "keys", "--expires", "1h",
            in: folder)
        let lines = prefixed.text.split(separator: "\n")
        #expect(prefixed.status == 0 && lines.count == 2, "\(prefixed.errors)")
        #expect(lines.first?.hasSuffix("/iiif/3/a%2Fb.jpg/info.json") == true)
        let keys = try URLSignature(keys: SigningKey.keys(inFile: folder.read("keys")))
        for (line, prefix) in zip(lines, ["/a/b.jpg", "/a/"]) {
            let (opened, end) = try keys.check(token: line.split(separator: "/")[3], now: before)
            let last = try #require(end)
            #expect(opened.text == prefix && last >= before + 3600)
        }
    }

    @Test(
        "Invalid calls are refused with the reason",
        arguments: [
            ([], 64, "Missing expected argument '<url> ...'"), (["/a"], 64, "Missing expected argument '--key-file"),
            (["a.jpg", "--key-file", "key"], 64, "write http://host/path or /path"),
            (["http://host", "--key-file", "key"], 64, "\"http://host\" has no path"),
            (["http:///a", "--key-file", "key"], 64, "has no path"),
            (["/a b.jpg", "--key-file", "key"], 64, "isn't percent-encoded: write %20"),
            (["/é.jpg", "--key-file", "key"], 64, "isn't percent-encoded: write %C3"),
            (["http://host/view/a.jpg", "--key-file", "key"], 64, "sign it with --prefix"),
            (["--prefix", "/metrics", "--key-file", "key"], 1, "can't be signed by prefix"),
            (["/a", "--key-file", "key", "--expires", "soon"], 64, "write a number and one of s, m, h or d"),
            (["/a", "--key-file", "none"], 1, "none can't be read: No such file or directory"),
            (["/a", "--key-file", "short"], 1, "short: invalid key of 10 bytes: a key has 16 to 4096 bytes"),
        ] as [([String], Int32, String)])
    func saysWhatIsWrong(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let outcome = try Command.run(["sign"] + arguments, in: folder)
        #expect(outcome.status == status && outcome.output.isEmpty)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("The help describes the command")
    func explainsItself() throws {
        let outcome = try Command.run("sign", "--help", in: folder)
        #expect(outcome.status == 0 && outcome.text.contains("EXAMPLES") && outcome.text.contains("--expires <time>"))
    }
}
#endif
