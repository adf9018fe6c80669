import Dispatch
import Foundation
import ImageLoading

/// A disk cache of so many entries of 2000 bytes each: `disk-cache FOLDER COUNT open|hit|put`.
///
/// `open` opens it and waits until all files are counted; `hit` reads a thousand entries, `put` writes as many.
final class DiskCacheSubject: Subject {
    private static let byteCount = 2000
    private static let runCount = 1000
    private static let byteLimit = 10 << 30

    private let folder: String
    private let count: Int
    private let operation: String
    private let cache: DataCache
    private var entries: [DataCacheEntry] = []
    private var found: [Data] = []

    init(_ arguments: [String]) throws {
        guard arguments.count == 3, ["open", "hit", "put"].contains(arguments[2]) else {
            throw MeasureError("disk-cache FOLDER COUNT open|hit|put")
        }
        (folder, count, operation) = (arguments[0], Int(try arguments.number(1)), arguments[2])
        let cache = DataCache(directory: folder, byteLimit: Self.byteLimit)
        self.cache = cache
        let count = count
        Self.wait {
            if await cache.statistics().all.entryCount < count {
                for index in 0..<count { await cache.store(Self.entry(index), for: Self.key(index)) }
            }
            await cache.flush()
        }
        entries = (0..<Self.runCount).map { Self.entry($0) }
    }

    private static func key(_ index: Int) -> DataCacheKey {
        DataCacheKey(group: "https://example.org/pictures/\(index).jpg")
    }

    /// Bytes that the comparison makes for its peer, too.
    private static func entry(_ index: Int) -> DataCacheEntry {
        let data = Data((0..<byteCount).map { UInt8((index * 31 + $0) % 251) })
        return DataCacheEntry(
            data: data, metadata: DataCacheMetadata(freshness: CacheFreshness(validatedAt: 0, lifetime: 0)))
    }

    /// The entries that are looked for, here and there in the whole.
    private func place(_ index: Int) -> Int { index * 7919 % count }

    func prepare() { found = [] }

    func run() throws {
        let (cache, folder) = (cache, folder)
        switch operation {
        case "open": Self.wait { await DataCache(directory: folder, byteLimit: Self.byteLimit).flush() }
        case "hit":
            let keys = (0..<Self.runCount).map { Self.key(place($0)) }
            found = Self.wait {
                var found: [Data] = []
                for key in keys { await found.append(cache.entry(for: key)?.data ?? Data()) }
                return found
            }
        default:
            let entries = entries
            Self.wait {
                for (index, entry) in entries.enumerated() {
                    await cache.store(entry, for: DataCacheKey(group: "put \(index)"))
                }
                await cache.flush()
            }
        }
    }

    func output() throws -> Output {
        let cache = cache
        let data =
            operation == "hit"
            ? found
            : Self.wait {
                var found: [Data] = []
                for index in 0..<Self.runCount {
                    await found.append(cache.entry(for: DataCacheKey(group: "put \(index)"))?.data ?? Data())
                }
                return found
            }
        return .file(data.flatMap { [UInt8]($0) })
    }

    /// Runs `body` to its end. The thread that waits is none that it could run on.
    @discardableResult
    private static func wait<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
        let (done, result) = (DispatchSemaphore(value: 0), ResultBox<Result>())
        Task.detached {
            result.value = await body()
            done.signal()
        }
        done.wait()
        return result.value!
    }

    /// Unchecked: written before the semaphore is signalled, and read after it was waited for.
    private final class ResultBox<Value>: @unchecked Sendable {
        var value: Value?
    }
}
