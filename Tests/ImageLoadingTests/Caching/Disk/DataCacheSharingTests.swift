import Foundation
import ImageLoading
import Raster
import Testing
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Several at one folder, and what happens to them.
@Suite("The data cache: sharing a folder")
struct DataCacheSharingTests {
    /// The program that writes entries until it is killed, beside the tests.
    private static let program = BuiltProgram("CacheWriter").tool

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a writer, and waits until its first entry is on disk.
    private func start(seed: Int, count: Int? = nil) throws -> Process {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: try #require(Self.program.path))
        process.arguments = [folder.path, "\(seed)"] + (count.map { ["\($0)"] } ?? [])
        process.standardOutput = output
        try process.run()
        let said = output.fileHandleForReading.availableData
        #expect(String(decoding: said, as: UTF8.self).hasPrefix("writing"))
        return process
    }

    /// Whether an entry's bytes are those that the writer makes of its key and version.
    private func isWhole(_ entry: DataCacheEntry, _ key: DataCacheKey) -> Bool {
        guard let version = entry.metadata.entityTag.flatMap({ UInt64($0) }) else { return false }
        let piece = Data("\(key.group) \(key.variant) \(version);".utf8)
        var whole = Data()
        while whole.count < version % 40_000 { whole += piece }
        let freshness = entry.metadata.freshness
        return entry.data == whole && freshness.validatedAt == freshness.lifetime
    }

    /// How many entries of the writer's there are; fails where one isn't whole.
    private func countWhole(_ cache: DataCache) async -> Int {
        var count = 0
        for group in 0..<40 {
            for variant in 0..<4 as Range<UInt8> {
                let key = DataCacheKey(group: "picture \(group)", variant: [variant])
                guard let entry = await cache.entry(for: key) else { continue }
                #expect(isWhole(entry, key))
                count += 1
            }
        }
        return count
    }

    @Test("The cache survives a kill at any moment", .needs(program), .timeLimit(.minutes(15)))
    func survivesBeingKilledAtAnyMoment() async throws {
        var (found, generator) = (0, SystemRandomNumberGenerator())
        for round in 0..<200 {
            let process = try start(seed: round)
            // Any moment will do; none is too early or too late.
            usleep(UInt32.random(in: 0...15_000, using: &generator))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let outcome = DataCache(directory: folder.path).folder.verify(removesDamaged: false) { path, damage in
                Issue.record("round \(round): \(path), byte \(damage.offset): \(damage.message)")
            }
            found += outcome.whole
            #expect(outcome.damaged == 0)
            // The bytes are the right ones, too; looking at all of them each time takes longer than writing them.
            if round % 20 == 0 {
                let cache = DataCache(directory: folder.path)
                await cache.flush()
                #expect(await countWhole(cache) <= outcome.whole)
            }
        }
        #expect(found > 200)
        let cache = DataCache(directory: folder.path)
        await cache.store(.sample(), for: DataCacheKey(group: "after"))
        await cache.flush()
        #expect(await cache.entry(for: DataCacheKey(group: "after"))?.isEqual(.sample()) == true)
        #expect(await countWhole(cache) > 0)
    }

    @Test("Several processes share a folder", .needs(program)) func sharesAFolderWithOtherProcesses() async throws {
        let processes = try [1, 2].map { try start(seed: $0, count: 1500) }
        let cache = DataCache(directory: folder.path, byteLimit: 2 << 20)
        while processes.contains(where: \.isRunning) { _ = await countWhole(cache) }
        for process in processes {
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        }
        #expect(await countWhole(cache) > 0)
        let outcome = cache.folder.verify(removesDamaged: false) { path, damage in
            Issue.record("\(path), byte \(damage.offset): \(damage.message)")
        }
        #expect(outcome.damaged == 0 && outcome.whole > 0)
    }

    @Test("Several caches share a folder")
    func sharesAFolderWithAnotherCache() async throws {
        let caches = (0..<3).map { _ in DataCache(directory: folder.path, byteLimit: 300_000) }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<6 as Range<UInt64> {
                group.addTask {
                    var generator = SeededGenerator(worker)
                    let cache = caches[Int(worker % 3)]
                    for _ in 0..<150 {
                        let number = UInt64.random(in: 0..<20, using: &generator)
                        let key = DataCacheKey(group: "\(number % 5)", variant: [UInt8(number)])
                        switch Int.random(in: 0..<20, using: &generator) {
                        case 0: await cache.removeAll(in: key.group)
                        case 1: await cache.remove(for: key)
                        case 2: await cache.removeAll()
                        case 3...5: await cache.update(CacheFreshness(validatedAt: 0, lifetime: 1), for: key)
                        case 6...11: await cache.store(.sample(number, count: 4000 * Int(number)), for: key)
                        default:
                            guard let entry = await cache.entry(for: key) else { break }
                            #expect(entry.data == DataCacheEntry.sample(number, count: 4000 * Int(number)).data)
                        }
                    }
                }
            }
        }
        for cache in caches { await cache.flush() }
        #expect(caches[0].folder.verify(removesDamaged: false) { _, _ in }.damaged == 0)
        #expect(caches.allSatisfy { $0.failureCount == 0 })
        #expect(await caches[0].statistics().byteCountOnDisk <= 450_000)
    }

    /// A disk of a megabyte, which only the superuser can have.
    private final class SmallDisk {
        let folder: TemporaryFolder

        init?() throws {
            folder = try TemporaryFolder()
            let tool = CommandLineTool("mount")
            let arguments = ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path]
            guard try tool.run(arguments) else { return nil }
        }

        deinit { _ = try? CommandLineTool("umount").run([folder.path]) }
    }

    @Test("A full disk does no harm", .enabled(if: geteuid() == 0, "only the superuser can make a small disk"))
    func livesWithAFullDisk()
        async throws
    {
        guard let disk = try SmallDisk() else { return }
        let cache = DataCache(directory: disk.folder.path, byteLimit: 100 << 20)
        func key(_ number: UInt64) -> DataCacheKey { DataCacheKey(group: "\(number)") }
        for number in 0..<100 as Range<UInt64> {
            await cache.store(.sample(number, count: 30_000), for: key(number))
            await cache.flush()
            // There is always room for the last one, by what was used longest ago.
            #expect(await cache.entry(for: key(number))?.isEqual(.sample(number, count: 30_000)) == true)
        }
        #expect(cache.failureCount == 0)
        // For this there isn't.
        await cache.store(.sample(0, count: 2_000_000), for: key(99))
        await cache.flush()
        #expect(cache.failureCount == 1 && cache.lastError?.code == .inputOutput)
        #expect(await cache.entry(for: key(99)) == nil)
        // Others' bytes leave no room at all.
        let filler = try FileHandle(forWritingTo: URL(fileURLWithPath: disk.folder.write([], to: "filler")))
        while (try? filler.write(contentsOf: Data(count: 4096))) != nil {}
        try filler.close()
        await cache.store(.sample(1, count: 30_000), for: key(1))
        await cache.flush()
        #expect(cache.failureCount == 2)
        #expect(cache.folder.verify(removesDamaged: false) { _, _ in }.damaged == 0)
        try FileManager.default.removeItem(atPath: disk.folder.file("filler"))
        await cache.store(.sample(1, count: 30_000), for: key(1))
        await cache.flush()
        #expect(await cache.entry(for: key(1))?.isEqual(.sample(1, count: 30_000)) == true)
        #expect(cache.failureCount == 2)
    }
}
