#if Server
import Foundation
import ImageServer
import Testing

@Suite("The log of a server")
struct RequestLogTests {
    @Test("A failed request is logged with client, identifier and reason, and its client gets the identifier")
    func failures() async throws {
        let log = RecordedLog()
        let server = try await RunningServer(log: log) { $0.logsAccess = true }
        let answer = try await server.get("/iiif/3/missing.png/full/90,/0/default.jpg")
        let id = try #require(answer.firstMatch(of: /X-Request-Id: ([0-9a-z]+)\r\n/)).1
        let body = try #require(answer.split(separator: "\r\n\r\n").last)
        let entry = try #require(log.entries.first { $0.message.contains("missing.png") })
        #expect(entry.message.hasPrefix("GET /iiif/3/missing.png/full/90,/0/default.jpg 404 "))
        #expect(entry.metadata["client"] == "127.0.0.1" && entry.metadata["id"] == String(id))
        #expect(entry.metadata["reason"] == body.trimmingCharacters(in: .newlines))
        // Another request has another identifier, and one that succeeds no reason.
        _ = try await server.get("/healthz")
        let success = try #require(log.entries.first { $0.message.hasPrefix("GET /healthz 200 ") })
        #expect(success.metadata["id"] != String(id) && success.metadata["reason"] == nil)
    }

    @Test("An unwritable cache folder is a warning at the start, and a zero in the metrics")
    func unwritableCache() async throws {
        for isWritable in [true, false] {
            let log = RecordedLog()
            let server = try await RunningServer(log: log) {
                // Nothing can be written below a file, whoever tries.
                $0.cacheDirectory = $0.folders[0] + (isWritable ? "/new/cache" : "/photo.png/cache")
            }
            #expect(
                log.warnings.contains { $0.contains("cache folder") && $0.contains("photo.png/cache") } != isWritable)
            let metrics = try await server.get("/metrics")
            #expect(metrics.contains("tessera_cache_writable \(isWritable ? 1 : 0)\n"), "\(metrics)")
        }
        let metrics = try await RunningServer().get("/metrics")
        #expect(!metrics.contains("tessera_cache_writable"))
    }
}
#endif
