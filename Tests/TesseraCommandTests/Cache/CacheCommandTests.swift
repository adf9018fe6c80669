import Foundation
import ImageLoading
import Testing
import TestSupport

/// `tessera cache`.
@Suite("tessera cache")
struct CacheCommandTests {
    private let folder: TemporaryFolder
    private let cache: DataCache

    init() async throws {
        folder = try TemporaryFolder()
        cache = DataCache(directory: folder.file("pictures"), byteLimit: 1_000_000)
        for (index, type) in ["image/png", "image/jpeg", "image/jpeg"].enumerated() {
            let metadata = DataCacheMetadata(mimeType: type, freshness: CacheFreshness(validatedAt: 0, lifetime: 0))
            await cache.store(DataCacheEntry(data: Data(count: 5000), metadata: metadata), for: Self.key(index))
        }
        await cache.flush()
    }

    private static func key(_ index: Int) -> DataCacheKey {
        DataCacheKey(group: "\(index / 2)", variant: [UInt8(index)])
    }

    private func path(_ index: Int) -> String { cache.folder.path(of: Self.key(index)) }

    /// Makes an entry as old as that.
    private func age(_ index: Int, seconds: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: path(index))
    }

    @Test("The cache's contents are listed")
    func tellsWhatIsThere() throws {
        try age(0, seconds: 10 * 86_400)
        let outcome = try Command.run("cache", "info", "pictures", in: folder)
        #expect(outcome.status == 0 && outcome.errors == "")
        for line in [
            "entries:  3, of 2 pictures", "24.6 KB on disk", "limit:    1.00 MB, 2 % used", "oldest:   10d ago",
            "image/jpeg        2", "image/png         1",
        ] {
            #expect(outcome.text.contains(line), "\(line) in \(outcome.text)")
        }
        let json = try Command.run("cache", "info", "pictures", "--json", in: folder)
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
        #expect(object["entries"] as? Int == 3 && object["bytesOnDisk"] as? Int == 24_576)
        #expect((object["types"] as? [[String: Any]])?.map { $0["type"] as? String } == ["image/jpeg", "image/png"])
    }

    @Test("Damage is found")
    func findsDamage() throws {
        let sound = try Command.run("cache", "verify", "pictures", in: folder)
        #expect(sound.status == 0 && sound.text == "3 whole, 0 damaged\n")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path(1)))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path(1)))
        let damaged = try Command.run("cache", "verify", "pictures", in: folder)
        #expect(damaged.status == 1)
        let name = URL(fileURLWithPath: path(1)).lastPathComponent
        #expect(damaged.text.contains("\(name): wrong: the checksum of the cached bytes is wrong (at byte "))
        #expect(damaged.text.hasSuffix("2 whole, 1 damaged\n"))
        let removed = try Command.run("cache", "verify", "pictures", "--remove", in: folder)
        #expect(removed.status == 1 && removed.text.hasSuffix("2 whole, 1 damaged and removed\n"))
        #expect(try Command.run("cache", "verify", "pictures", in: folder).text == "2 whole, 0 damaged\n")
    }

    @Test("The cache is cleared")
    func clears() async throws {
        try folder.write([1], to: "pictures/notes.txt")
        try age(0, seconds: 8 * 86_400)
        let old = try Command.run("cache", "clear", "pictures", "--older-than", "7d", in: folder)
        #expect(old.status == 0 && old.text.hasPrefix("removed 1 entry, 5.1"))
        #expect(!FileManager.default.fileExists(atPath: path(0)))
        let rest = try Command.run("cache", "clear", "pictures", in: folder)
        #expect(rest.status == 0 && rest.text.hasPrefix("removed 2 entries, 10.3 KB"))
        #expect(try folder.read("pictures/notes.txt") == [1])
        for index in 0..<3 { #expect(await cache.entry(for: Self.key(index)) == nil) }
    }

    @Test("A folder that isn't a cache is refused", arguments: ["info", "verify", "clear"])
    func refusesWhatIsNoCache(_ command: String) throws {
        try folder.write([1], to: "letter.txt")
        let foreign = try Command.run("cache", command, ".", in: folder)
        #expect(foreign.status == 1 && foreign.errors.contains("isn't a cache of Tessera's"))
        let none = try Command.run("cache", command, "none", in: folder)
        #expect(none.status == 1 && none.errors.contains("none isn't a folder"))
        #expect(try folder.read("letter.txt") == [1])
    }

    @Test("An invalid age is refused")
    func refusesAnAgeThatIsNone() throws {
        for age in ["7", "d", "-1d", "week"] {
            #expect(try Command.run("cache", "clear", "pictures", "--older-than=\(age)", in: folder).status == 64)
        }
        let all = try Command.run("cache", "clear", "pictures", "--older-than", "99999999999999999d", in: folder)
        #expect(all.status == 0 && all.text.hasPrefix("removed 0 entries"))
    }
}
