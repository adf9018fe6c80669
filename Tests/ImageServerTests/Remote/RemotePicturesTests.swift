#if HTTP
import Foundation
import ImageFormats
import ImageLoading
import ImageServer
import Synchronization
import Testing

/// Pictures of another server, which is a real one on this machine.
@Suite("Remote images")
struct RemotePicturesTests {
    private static let picture = Array("some bytes that count as a picture".utf8)

    private static func pictures(
        _ origins: String..., change: (inout RemotePictures.Configuration) -> Void = { _ in }
    ) throws -> RemotePictures {
        var configuration = RemotePictures.Configuration(origins: try origins.map { try Origin($0) })
        // The defaults of 30 and 10 s are for origins on a network; the suite may keep both cores busy for longer.
        (configuration.timeout, configuration.silence) = (.seconds(300), .seconds(300))
        change(&configuration)
        return RemotePictures(configuration)
    }

    /// The bytes of what is at `address`, and its version.
    private static func bytes(_ pictures: RemotePictures, _ address: String) async throws -> [UInt8] {
        let file = try await pictures.open(RemoteAddress(address))
        return try file.source.bytes()
    }

    /// The status with which that fails.
    private static func status(_ pictures: RemotePictures, _ address: String) async throws -> Int {
        do throws(RequestFailure) {
            _ = try await pictures.open(RemoteAddress(address))
            return 200
        } catch {
            // Nothing of the inside is told.
            #expect(!error.message.contains("127.0.0.1") && !error.message.contains("/tmp"))
            return error.status
        }
    }

    @Test("An image is fetched once")
    func fetchesAPictureOnce() async throws {
        let server = try LoopbackServer { _ in
            .bytes(Self.picture, ["ETag: \"7\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"])
        }
        let pictures = try Self.pictures(server.url("/photos/"))
        let address = server.url("/photos/a%20b.jpg?x=1")
        for _ in 0..<3 { #expect(try await Self.bytes(pictures, address) == Self.picture) }
        #expect(server.requests.map(\.path) == ["/photos/a%20b.jpg?x=1"])
        let file = try await pictures.open(RemoteAddress(address))
        #expect(file.identifier.path == address && file.byteCount == Self.picture.count)
        #expect(file.modificationTime.seconds == 784_111_777)
        // The version is the server's word, so it is the same in every run.
        let others = try Self.pictures(server.url("/photos/"))
        #expect(try await others.open(RemoteAddress(address)).version == file.version)
        #expect(try await others.open(RemoteAddress(server.url("/photos/c.jpg"))).version != file.version)
    }

    @Test("Concurrent requests for an image fetch it once")
    func fetchesForSeveralAtOnce() async throws {
        let isReleased = DispatchSemaphore(value: 0)
        let (beginnings, begun) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { _ in
            // Whoever passes lets the next one pass.
            isReleased.wait()
            isReleased.signal()
            return .bytes(Self.picture)
        }
        let pictures = try Self.pictures(server.url("/"))
        let address = server.url("/a.jpg")
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    begun.yield()
                    return try await Self.bytes(pictures, address)
                }
            }
            // The answer comes when all of them ask.
            var count = 0
            for await _ in beginnings {
                count += 1
                if count == 16 { break }
            }
            isReleased.signal()
            for try await bytes in group { #expect(bytes == Self.picture) }
        }
        #expect(server.requests.count == 1)
    }

    @Test("A stale image is revalidated")
    func asksWhetherAPictureIsStillTheSame() async throws {
        let isChanged = Mutex(false)
        let isBroken = Mutex(false)
        let server = try LoopbackServer { request in
            if isBroken.withLock({ $0 }) { return .status(500) }
            if isChanged.withLock({ $0 }) { return .bytes([1, 2, 3], ["ETag: \"8\""]) }
            return request.fields["if-none-match"] == "\"7\"" ? .status(304) : .bytes(Self.picture, ["ETag: \"7\""])
        }
        let pictures = try Self.pictures(server.url("/")) { $0.lifetimes = 0...0 }
        let address = try RemoteAddress(server.url("/a.jpg"))
        let first = try await pictures.open(address)
        let second = try await pictures.open(address)
        #expect(first === second && server.requests.count == 2)
        isChanged.withLock { $0 = true }
        let third = try await pictures.open(address)
        #expect(third.byteCount == 3 && third.version != first.version)
        // What is there stays while its server is in trouble.
        isBroken.withLock { $0 = true }
        #expect(try await pictures.open(address) === third)
        // Who was given the first one can still read it.
        #expect(try first.source.bytes().count == Self.picture.count)
    }

    @Test("The connection goes to the address that was checked")
    func connectsToTheAddressThatWasJudged() async throws {
        let server = try LoopbackServer { _ in .bytes(Self.picture) }
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        let questions = Mutex<[String]>([])
        // Nothing but the answer to the first question leads anywhere.
        let pictures = try Self.pictures("private+\(server.url("/", host: "pictures.invalid"))") {
            $0.lookUp = { host in
                questions.withLock { questions in
                    questions.append(host)
                    return questions.count == 1 ? [loopback] : []
                }
            }
        }
        #expect(try await Self.bytes(pictures, server.url("/a.jpg", host: "Pictures.INVALID.")) == Self.picture)
        #expect(questions.withLock { $0 } == ["pictures.invalid"])
        #expect(server.requests.first?.fields["host"] == "pictures.invalid:\(server.port)")
    }

    @Test("The next address is tried when one fails")
    func triesTheNextAddress() async throws {
        let server = try LoopbackServer { _ in .bytes(Self.picture) }
        let addresses = try ["127.0.0.2", "127.0.0.1"].map { try #require(NetworkAddress($0)) }
        let pictures = try Self.pictures("private+\(server.url("/", host: "pictures.invalid"))") {
            $0.lookUp = { _ in addresses }
        }
        #expect(try await Self.bytes(pictures, server.url("/a.jpg", host: "pictures.invalid")) == Self.picture)
    }

    @Test(
        "Private addresses are refused",
        arguments: [
            ["127.0.0.1"], ["::1"], ["10.0.0.1"], ["169.254.169.254"], ["::ffff:127.0.0.1"],
            ["93.184.216.34", "127.0.0.1"],
        ])
    func refusesPrivateAddresses(_ addresses: [String]) async throws {
        let server = try LoopbackServer { _ in .bytes(Self.picture) }
        let found = try addresses.map { try #require(NetworkAddress($0)) }
        let pictures = try Self.pictures(server.url("/", host: "pictures.invalid")) { $0.lookUp = { _ in found } }
        #expect(try await Self.status(pictures, server.url("/a.jpg", host: "pictures.invalid")) == 403)
        #expect(server.requests.isEmpty)
    }

    @Test("Addresses of this machine need permission")
    func looksUpThisMachine() async throws {
        let server = try LoopbackServer { _ in .bytes(Self.picture) }
        let refusing = try Self.pictures(server.url("/", host: "localhost"))
        #expect(try await Self.status(refusing, server.url("/a.jpg", host: "localhost")) == 403)
        #expect(server.requests.isEmpty)
        let allowing = try Self.pictures("private+\(server.url("/", host: "localhost"))")
        #expect(try await Self.status(allowing, server.url("/a.jpg", host: "localhost")) == 200)
    }

    @Test("Other origins are refused")
    func fetchesFromNowhereElse() async throws {
        let server = try LoopbackServer { _ in .bytes(Self.picture) }
        let pictures = try Self.pictures(server.url("/photos/"))
        for path in ["/", "/photos", "/photos2/a.jpg", "/photos/../a.jpg", "/photos/%2e%2e/a.jpg"] {
            #expect(try await Self.status(pictures, server.url(path)) == 403, "\(path)")
        }
        #expect(try await Self.status(pictures, "http://127.0.0.1:1/photos/a.jpg") == 403)
        #expect(server.requests.isEmpty)
    }

    /// Where a picture's server sends on to: paths on the same one, and other places.
    @Test(
        "Redirections are checked",
        arguments: [
            ("/photos/b.jpg", 200), ("b.jpg", 200), ("../photos/b.jpg", 200), ("./x/../b.jpg#part", 200),
            ("/private/b.jpg", 403), ("../b.jpg", 403), ("/photos/%2e%2e/b.jpg", 403), ("/photos/..%2fb.jpg", 403),
            ("http://127.0.0.1:OTHER/photos/b.jpg", 403), ("//127.0.0.1:OTHER/photos/b.jpg", 403),
            ("http://127.0.0.1:SAME@127.0.0.1:OTHER/photos/b.jpg", 403), ("http://2130706433:OTHER/photos/b.jpg", 403),
            ("http://[::ffff:127.0.0.1]:OTHER/photos/b.jpg", 403), ("http://localhost:SAME/photos/b.jpg", 403),
            ("https://127.0.0.1:SAME/photos/b.jpg", 403), ("file:///etc/passwd", 502),
            ("gopher://127.0.0.1:OTHER/", 502),
            ("/photos/a.jpg", 502),
        ])
    func judgesRedirections(_ location: String, _ status: Int) async throws {
        let other = try LoopbackServer { _ in .bytes([0]) }
        let port = Mutex(0)
        let server = try LoopbackServer { request in
            guard request.path == "/photos/a.jpg" else { return .bytes(Self.picture) }
            return .redirect(
                location.replacingOccurrences(of: "OTHER", with: "\(other.port)")
                    .replacingOccurrences(of: "SAME", with: "\(port.withLock { $0 })"))
        }
        port.withLock { $0 = server.port }
        let pictures = try Self.pictures(server.url("/photos/"))
        #expect(try await Self.status(pictures, server.url("/photos/a.jpg")) == status)
        #expect(other.requests.isEmpty)
        #expect(server.requests.count <= pictures.configuration.maximumRedirectCount + 1)
        #expect(!server.requests.contains { $0.path.contains("private") })
    }

    /// What a server may answer instead of a picture.
    @Test(
        "Every answer of a server is handled",
        arguments: [
            (.status(404), 404), (.status(410), 404), (.status(403), 502), (.status(500), 502), (.status(204), 502),
            (.status(304), 502), (.status(302), 502), (.bytes([]), 502),
            (.bytes([1], ["Content-Type: text/html; charset=utf-8"]), 404), (.bytes([1], []), 200),
            (.bytes([1], ["Content-Type: application/octet-stream"]), 200),
            (.bytes([1], ["Content-Type: IMAGE/JPEG"]), 200), (.silence, 504),
            (LoopbackServer.Reply(text: "what?\r\n\r\n"), 502), (LoopbackServer.Reply(text: ""), 502),
            (LoopbackServer.Reply(text: "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort"), 502),
            (LoopbackServer.Reply(text: "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n"), 413),
            (
                LoopbackServer.Reply(
                    text: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", pieceCount: 2000,
                    piece: [UInt8](repeating: 7, count: 1000)), 413
            ),
        ] as [(LoopbackServer.Reply, Int)])
    func putsUpWithEveryAnswer(_ reply: LoopbackServer.Reply, _ status: Int) async throws {
        let server = try LoopbackServer { _ in reply }
        let pictures = try Self.pictures(server.url("/")) {
            $0.maximumByteCount = 1_000_000
            if reply.isSilent { $0.timeout = .milliseconds(300) }
        }
        #expect(try await Self.status(pictures, server.url("/a.jpg")) == status)
    }

    @Test("Missing servers are reported")
    func tellsOfServersThatArentThere() async throws {
        let port = try LoopbackServer { _ in .bytes([]) }.port
        let pictures = try Self.pictures("http://127.0.0.1:\(port)/", "private+http://pictures.invalid/")
        #expect(try await Self.status(pictures, "http://127.0.0.1:\(port)/a.jpg") == 502)
        #expect(try await Self.status(pictures, "http://pictures.invalid/a.jpg") == 502)
    }

    @Test("The cache stays within its limit")
    func keepsNoMoreThanItMay() async throws {
        let server = try LoopbackServer { _ in .bytes([UInt8](repeating: 1, count: 1000)) }
        let pictures = try Self.pictures(server.url("/")) { $0.keptByteCount = 2500 }
        for name in ["a", "b", "c", "c", "b", "a"] { _ = try await Self.bytes(pictures, server.url("/\(name)")) }
        #expect(server.requests.map(\.path) == ["/a", "/b", "/c", "/a"])
    }

    @Test("Remote URLs are distinguished from paths")
    func knowsAddressesFromPaths() {
        #expect(RemotePictures.isAddress("HTTPS://example.org/a.jpg") && RemotePictures.isAddress("http://a"))
        #expect(!RemotePictures.isAddress("https/a.jpg") && !RemotePictures.isAddress("folder/http://a.jpg"))
    }
}
#endif
