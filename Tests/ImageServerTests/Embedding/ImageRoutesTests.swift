#if Server
import Foundation
import Hummingbird
import ImageServer
import Logging
import NIOCore
import TestSupport
import Testing

@Suite("Images in another application")
struct ImageRoutesTests {
    /// A context of the application's own.
    struct AppContext: ImageRequestContext {
        var coreContext: CoreRequestContextStorage
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }
    }

    /// Runs an application with a route of its own, and images beside it.
    private func withApplication(
        at path: RouterPath, keys: [SigningKey] = [], _ body: (LoopbackClient, Gallery) async throws -> Void
    ) async throws {
        let gallery = try Gallery()
        try Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 >> 7) }).write(
            to: URL(fileURLWithPath: gallery.folder.file("large.bmp")))
        var configuration = ImageServerConfiguration(folders: [gallery.folder.path])
        configuration.signingKeys = keys
        let images = try ImageRoutes(configuration)
        let router = Router(context: AppContext.self)
        router.get("hello") { _, _ in "Hello" }
        router.group("api").addImages(images, at: path)
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            services: [images], onServerRunning: { continuation.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let task = Task { try await application.run() }
        defer { task.cancel() }
        let port = try #require(await ports.first { _ in true })
        try await body(LoopbackClient(port: port), gallery)
    }

    @Test("Images are served below a path beside other routes", arguments: ["", "images", "a/b"])
    func routes(path: String) async throws {
        let prefix = path.isEmpty ? "/api" : "/api/\(path)"
        try await withApplication(at: RouterPath(path)) { client, gallery in
            #expect(try await client.get("/hello").hasSuffix("\r\n\r\nHello"))
            let information = try await client.get("\(prefix)/iiif/3/photo.png/info.json")
            #expect(information.contains("\"id\":\"http://localhost\(prefix)/iiif/3/photo.png\""), "\(information)")
            for target in [
                "/iiif/3/photo.png/full/90,/0/default.jpg", "/image/cutout.png?w=40&format=png",
                "/dzi/photo.png_files/9/0_0.jpg", "/original/a%20b/gro%C3%9Fe%20%C3%9Cbersicht.jpg",
            ] {
                let answer = try await client.get(prefix + target)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("ETag: "), "\(target)")
            }
            #expect(try await client.get("\(prefix)/image/missing.png").hasPrefix("HTTP/1.1 404 "))
            // Pages aren't among them.
            #expect(try await client.get("/docs").hasPrefix("HTTP/1.1 404 "))
            let head = try await client.exchange(
                "HEAD \(prefix)/original/photo.png HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\n\r\n"), "\(head)")
        }
    }

    @Test("Addresses below the path can be signed")
    func signed() async throws {
        let key = try SigningKey(Array("the key of this month".utf8), id: "new")
        try await withApplication(at: "images", keys: [key]) { client, gallery in
            let signature = try URLSignature(keys: [key])
            let target = "/iiif/3/photo.png/info.json"
            #expect(try await client.get("/api/images\(target)").hasPrefix("HTTP/1.1 403 "))
            let prefixed = try await client.get("/api/images\(signature.signed(prefixOf: target))")
            #expect(prefixed.contains("\"id\":\"http://localhost/api/images/signed/"), "\(prefixed)")
            let address = try signature.signed("/image/photo.png?w=40")
            #expect(try await client.get("/api/images\(address)").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A file is sent whole")
    func file() async throws {
        try await withApplication(at: "images") { client, gallery in
            let received = try await client.waiting {
                let socket = try ClientSocket(port: client.port, silence: LoopbackClient.patience)
                try socket.send(
                    Array("GET /api/images/original/large.bmp HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
                return socket.receiveAll()
            }
            let expected = try Data(contentsOf: URL(fileURLWithPath: gallery.folder.file("large.bmp")))
            #expect(received.suffix(expected.count).elementsEqual(expected))
            #expect(received.prefix(15).elementsEqual("HTTP/1.1 200 OK".utf8))
        }
    }
}
#endif
