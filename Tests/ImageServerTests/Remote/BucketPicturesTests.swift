#if HTTP
import Foundation
import ImageFormats
import ImageLoading
import ImageServer
import Raster
import Synchronization
import TestSupport
import Testing

@Suite("Images in buckets")
struct BucketPicturesTests {
    private let server: BucketServer
    private static let formats: [String: ImageFormat] = ["png": .png, "jpg": .jpeg]
    private static let executor = ImageExecutor(width: 2)
    private static let name = "photos/in/a.png"

    init() throws {
        server = try BucketServer()
        server[Self.name] = Array("the first bytes".utf8)
    }

    private func pictures(freshness: Duration = .seconds(3600)) -> BucketPictures {
        BucketPictures(server.configuration, formats: Self.formats, freshness: freshness)
    }

    private func open(_ pictures: BucketPictures, _ name: String = "a.png") async throws(RequestFailure) -> OpenedFile {
        let identifier = try PictureIdentifier(decoded: name)
        guard let address = try? S3Address("s3://photos/in/\(name)") else { throw .noSuchPicture }
        return try await pictures.open(identifier, at: address)
    }

    private func status(_ pictures: BucketPictures, _ name: String = "a.png") async -> Int {
        do throws(RequestFailure) {
            _ = try await open(pictures, name)
            return 200
        } catch {
            // The store isn't named to clients.
            #expect(!error.message.contains("photos") && !error.message.contains("127.0.0.1"))
            return error.status
        }
    }

    private func text(_ file: OpenedFile) async throws -> String {
        let bytes = try await Self.executor.run { () throws(ImageError) in try file.source.bytes() }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("An image is asked for once while it is fresh, and its version is the same for every server")
    func opensOnce() async throws {
        let pictures = pictures()
        let file = try await open(pictures)
        #expect(try await text(file) == "the first bytes" && file.byteCount == 15)
        #expect(file.identifier.path == "a.png" && file.modificationTime.seconds == 1_369_353_600)
        #expect(try await open(pictures) === file)
        #expect(server.requests == ["GET photos/in/a.png"] && pictures.requests.requestCount == 1)
        let other = try await open(self.pictures())
        #expect(other.version == file.version && other.sharedVersion == file.sharedVersion)
        server["photos/in/b.png"] = Array("the first bytes".utf8)
        #expect(try await open(pictures, "b.png").version != file.version)
    }

    @Test("Later it is asked for by its tag: an unchanged image stays open, a changed one is opened again")
    func noticesChanges() async throws {
        let pictures = pictures(freshness: .zero)
        let file = try await open(pictures)
        #expect(try await open(pictures) === file)
        #expect(server.requests == ["GET photos/in/a.png", "HEAD photos/in/a.png"])
        server[Self.name] = Array("the other bytes".utf8)
        let changed = try await open(pictures)
        #expect(changed !== file && changed.version != file.version)
        #expect(try await text(changed) == "the other bytes")
        server[Self.name] = nil
        #expect(await status(pictures) == 404)
        #expect(await status(pictures) == 404)
        server[Self.name] = Array("the third bytes".utf8)
        #expect(try await text(open(pictures)) == "the third bytes")
    }

    @Test("Concurrent requests for an image are one request to the store")
    func sharesRequests() async throws {
        let isHeld = Atomic(true)
        server.fail { _ in
            while isHeld.load(ordering: .relaxed) { usleep(1000) }
            return nil
        }
        let pictures = pictures()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { await status(pictures) } }
            try? await Task.sleep(for: .milliseconds(50))
            isHeld.store(false, ordering: .relaxed)
            for await status in group { #expect(status == 200) }
        }
        #expect(server.requests == ["GET photos/in/a.png"])
    }

    @Test(
        "Failures of the store have their status, and are asked for again",
        arguments: [
            (404, "NoSuchKey", 404), (404, "NoSuchBucket", 404), (403, "AccessDenied", 502),
            (400, "InvalidRequest", 502), (503, "SlowDown", 503), (500, "InternalError", 503),
        ])
    func failures(_ status: Int, _ code: String, _ expected: Int) async throws {
        let pictures = pictures()
        server.fail { _ in BucketServer.error(status, code) }
        #expect(await self.status(pictures) == expected)
        // What may pass is tried three times, what doesn't once.
        #expect(server.requests.count == (expected == 503 ? 3 : 1))
        server.fail(nil)
        #expect(await self.status(pictures) == 200)
    }

    @Test("A store that fails for now doesn't take away what is open")
    func keepsWhatIsOpen() async throws {
        let pictures = pictures(freshness: .zero)
        let file = try await open(pictures)
        server.fail { _ in BucketServer.error(503, "SlowDown") }
        #expect(try await open(pictures) === file)
        #expect(await status(pictures, "b.png") == 503)
    }

    @Test("A store that is silent is asked once, and an open image stays")
    func isPatient() async throws {
        let pictures = pictures(freshness: .seconds(2))
        let file = try await open(pictures)
        try await Task.sleep(for: .seconds(2.1))
        server.fail { _ in .silence }
        #expect(try await open(pictures) === file)
        // Other requests are tried three times, each after ten seconds of silence.
        #expect(server.requests == ["GET photos/in/a.png", "HEAD photos/in/a.png"])
        #expect(try await open(pictures) === file)
    }

    @Test("Images that are purged are opened again")
    func purges() async throws {
        let pictures = pictures()
        let file = try await open(pictures)
        #expect(pictures.removeAll { $0 == "b.png" } == 0)
        #expect(try await open(pictures) === file)
        #expect(pictures.removeAll { $0 == "a.png" } == 1)
        #expect(try await open(pictures) !== file)
    }

    // MARK: Listing

    private func folders() throws -> PictureFolders {
        for name in [
            "in/b.jpg", "in/c.PNG", "in/notes.txt", "in/.hidden.png", "in/x/d.png", "in/x/y/day & night.png", "e.png",
        ] {
            server["photos/\(name)"] = [1, 2, 3]
        }
        return try PictureFolders(["s3://photos/in"], store: server.configuration)
    }

    /// Lists as the service does: on a thread that may wait for the store.
    private func list(_ folders: PictureFolders, _ folder: String) async throws(RequestFailure) -> FolderContents {
        try await Self.executor.run { () throws(RequestFailure) in try folders.list(folder) }
    }

    private func search(
        _ folders: PictureFolders, _ text: String, in folder: String
    ) async throws(RequestFailure) -> Set<String> {
        let contents = try await Self.executor.run { () throws(RequestFailure) in try folders.search(text, in: folder) }
        return Set(contents.pictures.map(\.identifier.path))
    }

    @Test("A prefix is listed page by page, like a folder")
    func lists() async throws {
        let folders = try folders()
        let contents = try await list(folders, "")
        #expect(Set(contents.pictures.map(\.identifier.path)) == ["a.png", "b.jpg", "c.PNG"])
        #expect(contents.folders.map(\.path) == ["x"] && contents.isComplete)
        #expect(contents.pictures.first { $0.identifier.path == "b.jpg" }?.byteCount == 3)
        #expect(contents.pictures.first { $0.identifier.path == "b.jpg" }?.format == .jpeg)
        #expect(server.requests == ["GET photos/?", "GET photos/?"])
        let below = try await list(folders, "x")
        #expect(below.pictures.map(\.identifier.path) == ["x/d.png"] && below.folders.map(\.path) == ["x/y"])
        #expect(try await list(folders, "nothing").pictures.isEmpty)
    }

    @Test("A search finds images at all levels")
    func searches() async throws {
        let folders = try folders()
        #expect(try await search(folders, "NIGHT", in: "") == ["x/y/day & night.png"])
        #expect(try await search(folders, "d", in: "x") == ["x/d.png", "x/y/day & night.png"])
        #expect(try await search(folders, "notes", in: "").isEmpty)
    }

    @Test("A bucket that isn't there is no folder, and one that fails is no empty one")
    func failedLists() async throws {
        let missing = try PictureFolders(["s3://missing"], store: server.configuration)
        let error = await #expect(throws: RequestFailure.self) { try await list(missing, "") }
        #expect(error?.status == 404)
        let folders = try folders()
        server.fail { _ in BucketServer.error(503, "SlowDown") }
        let other = await #expect(throws: RequestFailure.self) { try await list(folders, "") }
        #expect(other?.status == 503)
    }

    // MARK: The service

    @Test("Servers side by side give an image of a bucket the same bytes and tag as a folder's image has bytes")
    func serves() async throws {
        let local = try Gallery()
        server["photos/in/photo.png"] = try [UInt8](
            Data(contentsOf: URL(fileURLWithPath: local.folder.file("photo.png"))))
        let services = try (0..<2).map { _ in
            try Gallery {
                $0.folders = ["s3://photos/in"]
                $0.objectStore = server.configuration
            }
        }
        let target = "/image/photo.png?w=120&format=webp"
        let expected = await local.get(target)
        let answers = [await services[0].get(target), await services[1].get(target)]
        for answer in answers {
            guard case .bytes(let bytes) = answer.body, case .bytes(let same) = expected.body else {
                Issue.record("\(answer.status)")
                continue
            }
            #expect(answer.status == 200 && bytes.array == same.array)
            #expect(answer["ETag"] == answers[0]["ETag"] && answer["ETag"] != nil)
        }
        #expect(await services[0].get("/image/none.png").status == 404)
        #expect(await services[0].get("/image/..%2Fe.png").status == 404)
        #expect(await services[0].get("/image/photo").status == 404)
    }
}
#endif
