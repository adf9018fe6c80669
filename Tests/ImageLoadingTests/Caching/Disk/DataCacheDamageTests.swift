import Foundation
import ImageLoading
import Raster
import Testing
import TestSupport

/// What others do to the files: never wrong bytes, never a trap.
@Suite("The data cache: damaged files")
struct DataCacheDamageTests {
    private let folder: TemporaryFolder
    private let cache: DataCache
    private let key = DataCacheKey(group: "https://example.org/a.png", variant: [1, 2, 3])
    private let entry = DataCacheEntry.sample(
        5, count: 100,
        metadata: DataCacheMetadata(
            url: "https://example.org/a.png", mimeType: "image/png", entityTag: "\"1\"",
            freshness: CacheFreshness(validatedAt: 100, lifetime: 10)))
    private let path: String

    init() async throws {
        folder = try TemporaryFolder()
        cache = DataCache(directory: folder.path)
        await cache.store(entry, for: key)
        await cache.flush()
        path = cache.folder.path(of: key)
    }

    private func read() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// Whether an entry is found; fails where it is another one, or where a damaged file stays.
    private func isFound(_ comment: String) async -> Bool {
        let known = await cache.metadata(for: key)
        let found = await cache.entry(for: key)
        if let found { #expect(found.isEqual(entry), "\(comment)") }
        if let known { #expect(known == entry.metadata, "\(comment)") }
        await cache.flush()
        #expect(FileManager.default.fileExists(atPath: path) == (found != nil), "\(comment)")
        return found != nil
    }

    @Test("Every flipped bit is detected")
    func noticesEveryFlippedBit() async throws {
        let whole = try read()
        var survivors: Set<Int> = []
        for offset in whole.indices {
            for bit in [0, 7] {
                var bytes = whole
                bytes[offset] ^= 1 << bit
                try write(bytes)
                if await isFound("bit \(bit) of byte \(offset)") { survivors.insert(offset) }
            }
        }
        // The slot that isn't in use and what fills up the other carry nothing.
        #expect(survivors == Set(60..<96))
    }

    @Test("Every wrong length is detected")
    func noticesEveryLengthButItsOwn() async throws {
        let whole = try read()
        for count in 0..<whole.count {
            try write(Array(whole.prefix(count)))
            #expect(await !isFound("\(count) bytes"))
        }
        try write(whole + [0])
        #expect(await !isFound("a byte more"))
        try write(whole)
        #expect(await isFound("as it was"))
    }

    @Test("Random bytes yield no entry")
    func readsNothingOutOfNonsense() async throws {
        let whole = try read()
        var generator = SeededGenerator(3)
        for round in 0..<300 {
            var bytes = whole
            for _ in 0..<Int.random(in: 2...20, using: &generator) {
                let value = [0, 0xFF, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator)
                bytes[Int.random(in: 0..<60, using: &generator)] = value ?? 0
            }
            try write(bytes)
            _ = await isFound("round \(round)")
        }
        try write([UInt8](repeating: 0xFF, count: 4096))
        #expect(await !isFound("ones"))
    }

    @Test("A damaged slot falls back to the other one")
    func goesBackToTheOtherSlot() async throws {
        let first = CacheFreshness(validatedAt: 200, lifetime: 2)
        let second = CacheFreshness(validatedAt: 300, lifetime: 3)
        await cache.update(first, for: key)
        let before = try read()
        await cache.update(second, for: key)
        let after = try read()
        // Writing ended after any number of bytes, or left something else.
        let changed = before.indices.filter { before[$0] != after[$0] }
        #expect(!changed.isEmpty && changed.allSatisfy((32..<64).contains))
        for count in 0...32 {
            for rest in [before, [UInt8](repeating: 0xA5, count: before.count)] {
                var torn = after
                torn.replaceSubrange(32 + count..<64, with: rest[32 + count..<64])
                try write(torn)
                let found = try #require(await cache.entry(for: key))
                #expect(found.data == entry.data)
                #expect([first, second].contains(found.metadata.freshness), "\(count)")
                // And it can be written anew.
                await cache.update(CacheFreshness(validatedAt: 400, lifetime: 4), for: key)
                #expect(await cache.metadata(for: key)?.freshness.validatedAt == 400)
            }
        }
    }

    @Test("A hash collision is a miss")
    func takesACollisionForNothing() async throws {
        // As if both had the same hash: the file of one is where the other's would be.
        let other = DataCacheKey(group: "https://example.org/b.png")
        let place = cache.folder.path(of: other)
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: place).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: path, toPath: place)
        #expect(await cache.entry(for: other) == nil)
        #expect(await cache.metadata(for: other) == nil)
        await cache.update(CacheFreshness(validatedAt: 9, lifetime: 9), for: other)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place)) == Data(read()))
        var damaged: [String] = []
        let outcome = cache.folder.verify(removesDamaged: false) { path, damage in
            damaged.append("\(path): \(damage.message)")
        }
        #expect(outcome.whole == 1 && outcome.damaged == 1)
        #expect(damaged == ["\(place): its key has another file's name"])
        await cache.store(.sample(8), for: other)
        await cache.flush()
        #expect(await cache.entry(for: other)?.isEqual(.sample(8)) == true)
        #expect(await cache.entry(for: key)?.isEqual(entry) == true)
    }

    @Test("Verification reports each damaged file and its offset")
    func findsWhatIsDamagedAndWhere() async throws {
        let whole = try read()
        for (offset, expected, message) in [
            (0, 0, "doesn't begin"), (9, 28, "header's checksum"), (36, 32, "freshness"), (100, 20, "description's"),
            (whole.count - 1, whole.count - 100, "cached bytes"),
        ] {
            var bytes = whole
            bytes[offset] ^= 0x10
            try write(bytes)
            var damages: [DataCacheDamage] = []
            let outcome = cache.folder.verify(removesDamaged: false) { _, damage in damages.append(damage) }
            #expect(outcome.damaged == 1 && damages.map(\.offset) == [expected])
            #expect(damages.first?.message.contains(message) == true)
        }
        #expect(cache.folder.verify(removesDamaged: true) { _, _ in } == (0, 1))
        #expect(cache.folder.verify(removesDamaged: true) { _, _ in } == (0, 0))
    }

    @Test("Files removed by others are misses")
    func livesWithoutItsFiles() async throws {
        try FileManager.default.removeItem(atPath: path)
        #expect(await cache.entry(for: key) == nil)
        await cache.update(CacheFreshness(validatedAt: 1, lifetime: 1), for: key)
        await cache.remove(for: key)
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(await cache.metadata(for: key) == nil)
        await cache.removeAll(in: key.group)
        await cache.removeAll()
        await cache.store(entry, for: key)
        await cache.flush()
        #expect(await cache.entry(for: key)?.isEqual(entry) == true)
        #expect(cache.failureCount == 0)
    }

    @Test("Files that aren't the cache's are left alone")
    func keepsOffWhatIsntItsOwn() async throws {
        try folder.write([1], to: "notes.txt")
        let shelf = String(URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent)
        try folder.write([2], to: "\(shelf)/notes.txt")
        try folder.write([3], to: "\(shelf)/.tessera-young.part")
        try folder.write([4], to: "\(shelf)/.tessera-old.part")
        setTimes(folder.file("\(shelf)/.tessera-old.part"), written: 10_000)
        // A link where an entry belongs, and a folder.
        let (linked, taken) = (DataCacheKey(group: "linked"), DataCacheKey(group: "taken"))
        for key in [linked, taken] {
            let place = URL(fileURLWithPath: cache.folder.path(of: key))
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: cache.folder.path(of: linked), withDestinationPath: folder.file("notes.txt"))
        try FileManager.default.createDirectory(
            atPath: cache.folder.path(of: taken), withIntermediateDirectories: false)
        for key in [linked, taken] {
            #expect(await cache.entry(for: key) == nil)
            await cache.store(entry, for: key)
            await cache.flush()
            #expect(await cache.entry(for: key) == nil)
        }
        #expect(cache.failureCount == 2)
        await DataCache(directory: folder.path, byteLimit: 1).flush()
        await cache.removeAll()
        _ = cache.folder.clear(olderThan: 0)
        #expect(try folder.read("notes.txt") == [1])
        #expect(try folder.names(in: shelf).sorted() == [".tessera-young.part", "notes.txt"])
        #expect(try folder.entryFiles().count == 4)
    }

    @Test(
        "A cache that can't write finds nothing and does no harm",
        arguments: ["/proc/no/such/place", "/dev/null/cache", "relative\u{0}path"])
    func loadsNothingAndHarmsNothingWhereItCantWrite(directory: String) async {
        let cache = DataCache(directory: directory)
        await cache.store(entry, for: key)
        await cache.flush()
        #expect(await cache.entry(for: key) == nil)
        #expect(cache.failureCount == 1)
        #expect(cache.lastError?.code == .inputOutput)
        await cache.removeAll()
        #expect(await cache.statistics().all.entryCount == 0)
    }

    @Test("Only folders of caches are marked as such")
    func marksOnlyFoldersThatAreCaches() async throws {
        let signature = Array("Signature: 8a477f597d28d172789f06886806bc55\n".utf8)
        #expect(try folder.read("CACHEDIR.TAG").starts(with: signature))
        #expect(cache.folder.isCache)
        let home = try TemporaryFolder()
        try home.write([1], to: "letter.txt")
        let guest = DataCache(directory: home.path)
        await guest.store(entry, for: key)
        await guest.flush()
        #expect(await guest.entry(for: key)?.isEqual(entry) == true)
        #expect(try !home.names().contains("CACHEDIR.TAG"))
        #expect(!guest.folder.isCache)
        let foreign = try TemporaryFolder()
        let tag = signature + Array("# of another program\n".utf8)
        try foreign.write(tag, to: "CACHEDIR.TAG")
        await DataCache(directory: foreign.path).flush()
        #expect(try foreign.read("CACHEDIR.TAG") == tag)
    }
}
