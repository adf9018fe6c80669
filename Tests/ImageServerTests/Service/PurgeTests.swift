#if Server
import Foundation
import ImageServer
import TestSupport
import Testing

@Suite("POST /api/purge")
struct PurgeTests {
    private let gallery: Gallery
    private let cache: TemporaryFolder

    init() throws {
        let cache = try TemporaryFolder()
        self.cache = cache
        gallery = try Gallery {
            $0.cacheDirectory = cache.path
            $0.purgeTokens = [
                try! SigningKey(Array("the operator's old token".utf8)),
                try! SigningKey(Array("the operator's token".utf8)),
            ]
        }
    }

    private func purge(
        _ query: String, token: String? = "Bearer the operator's token", method: ServiceRequest.Method = .post
    ) async -> ServiceResponse {
        var request = ServiceRequest(method, "/api/purge?\(query)")
        request.authorization = token
        return await gallery.respond(to: request)
    }

    private func counts(_ response: ServiceResponse) throws -> [String: Int] {
        #expect(response.status == 200 && response["Cache-Control"] == "no-store", "\(response.text)")
        return try JSONDecoder().decode([String: Int].self, from: Data(response.text.utf8))
    }

    private func fill() async throws { try await Self.fill(gallery) }

    private static func fill(_ gallery: Gallery) async throws {
        for name in ["photo.png", "cutout.png", "a%20b%2Fgro%C3%9Fe%20%C3%9Cbersicht.jpg"] {
            for width in [20, 30] { #expect(await gallery.get("/image/\(name)?w=\(width)").status == 200) }
        }
        await gallery.service.end()
    }

    private var cached: Int { gallery.service.gauges.first { $0.name == "tessera_cached_responses" }!.value }

    @Test("An image's responses are removed from memory and disk, and no other's")
    func image() async throws {
        try await fill()
        #expect(cached == 6)
        let first = try counts(await purge("image=photo.png"))
        #expect(first == ["responsesInMemory": 2, "responsesOnDisk": 2, "openImages": 1, "fetchedImages": 0])
        #expect(cached == 4)
        // What is left on disk is what is left in memory.
        let rest = try counts(await purge("folder="))
        #expect(rest == ["responsesInMemory": 4, "responsesOnDisk": 4, "openImages": 2, "fetchedImages": 0])
        #expect(cached == 0 && gallery.service.gauges.first { $0.name == "tessera_open_pictures" }!.value == 0)
        #expect(try counts(await purge("image=photo.png")).values.allSatisfy { $0 == 0 })
        try await fill()
        #expect(cached == 6)
    }

    @Test("A folder's responses are removed, and not those of names that begin like it")
    func folder() async throws {
        try await fill()
        for query in ["folder=a", "folder=photo", "folder=a%20b/gro", "image=a%20b", "image=photo"] {
            #expect(try counts(await purge(query)).values.allSatisfy { $0 == 0 }, "\(query)")
        }
        #expect(try counts(await purge("folder=a%20b/"))["responsesOnDisk"] == 2)
        #expect(cached == 4)
    }

    @Test(
        "Without the operator's token nothing is removed",
        arguments: [
            nil, "", "Bearer", "Bearer ", "Bearer the operator's toke", "Bearer the operator's token ", "bearer",
            "Basic the operator's token", "the operator's token", "Bearer The operator's token",
        ])
    func refused(_ token: String?) async throws {
        try await fill()
        let response = await purge("image=photo.png", token: token)
        #expect(response.status == 401 && response["WWW-Authenticate"] == "Bearer")
        #expect(cached == 6)
    }

    @Test("Each of several tokens is accepted, whatever the scheme's case")
    func tokens() async throws {
        for token in ["Bearer the operator's old token", "bearer the operator's token"] {
            #expect(await purge("folder=", token: token).status == 200)
        }
    }

    @Test(
        "A query that names no image and no folder is refused",
        arguments: ["", "image", "image=a&folder=b", "image=a&image=b", "id=a", "folder=a&x=1"])
    func malformed(_ query: String) async throws {
        #expect(await purge(query).status == (query == "image" ? 200 : 400), "\(query)")
    }

    @Test("There is no purge without tokens, and none by other methods")
    func absent() async throws {
        var request = ServiceRequest(.post, "/api/purge?folder=")
        request.authorization = "Bearer the operator's token"
        #expect(await (try Gallery()).respond(to: request).status == 404)
        for method in [ServiceRequest.Method.get, .head, .other] {
            let response = await purge("folder=", method: method)
            #expect(response.status == 405 && response["Allow"] == "POST, OPTIONS")
        }
    }

    #if HTTP
    @Test("An image's shared results are removed with its other responses, and no other's")
    func sharedResults() async throws {
        let store = try BucketServer()
        let gallery = try gallery(over: store)
        try await Self.fill(gallery)
        #expect(store.names(in: "renders").count == 6)
        store["renders/r/notes.txt"] = [1]
        let first = try counts(await Self.purge(gallery, "image=photo.png"))
        #expect(first["sharedResults"] == 2 && first["responsesInMemory"] == 2)
        // Rendered and written again, while the others are where they were.
        try await Self.fill(gallery)
        #expect(store.names(in: "renders").count == 7)
        #expect(try counts(await Self.purge(gallery, "folder=a%20b"))["sharedResults"] == 2)
        // A server beside it has the rest; what was purged it renders.
        let other = try self.gallery(over: store, gallery.folder.path)
        try await Self.fill(other)
        let gauges = Dictionary(uniqueKeysWithValues: other.service.gauges.map { ($0.name, $0.value) })
        #expect(gauges["tessera_results_hits"] == 4 && gauges["tessera_results_written"] == 2)
        #expect(try counts(await Self.purge(gallery, "folder="))["sharedResults"] == 6)
        #expect(store.names(in: "renders") == ["renders/r/notes.txt"])
    }

    @Test("If shared results can't be removed, the purge fails, and what is in the server is removed")
    func unreachableResults() async throws {
        let store = try BucketServer()
        let gallery = try gallery(over: store)
        try await Self.fill(gallery)
        store.fail { $0.method == "DELETE" ? BucketServer.error(403, "AccessDenied") : nil }
        let response = await Self.purge(gallery, "image=photo.png")
        #expect(response.status == 503 && response.text.contains("purge again"))
        #expect(gallery.service.gauges.first { $0.name == "tessera_cached_responses" }!.value == 4)
        store.fail(nil)
        #expect(try counts(await Self.purge(gallery, "image=photo.png"))["sharedResults"] == 2)
    }

    /// A service of the images at `path`, or of others.
    private func gallery(over store: BucketServer, _ path: String? = nil) throws -> Gallery {
        try Gallery {
            if let path { $0.folders = [path] }
            $0.results = "s3://renders/r"
            $0.objectStore = store.configuration
            $0.purgeTokens = [try! SigningKey(Array("the operator's token".utf8))]
        }
    }

    private static func purge(_ gallery: Gallery, _ query: String) async -> ServiceResponse {
        var request = ServiceRequest(.post, "/api/purge?\(query)")
        request.authorization = "Bearer the operator's token"
        return await gallery.respond(to: request)
    }
    #endif

    @Test("With signing keys, the token is enough, and is no signature")
    func signed() async throws {
        let gallery = try Gallery {
            $0.signingKeys = [try! SigningKey(Array("the key of this month".utf8))]
            $0.purgeTokens = [try! SigningKey(Array("the operator's token".utf8))]
        }
        var request = ServiceRequest(.post, "/api/purge?folder=")
        #expect(await gallery.respond(to: request).status == 401)
        request.authorization = "Bearer the operator's token"
        #expect(await gallery.respond(to: request).status == 200)
        request = ServiceRequest(.get, "/image/photo.png?w=20")
        request.authorization = "Bearer the operator's token"
        #expect(await gallery.respond(to: request).status == 403)
    }
}
#endif
