#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ImageLoading

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes entries into a cache as fast as it can, until it is killed or has written as many as it was told:
/// `CacheWriter FOLDER SEED [COUNT]`. Says so by a line on standard output when the first one is on disk.
@main
enum CacheWriter {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, var seed = UInt64(arguments[2]) else {
            return print("CacheWriter FOLDER SEED [COUNT]")
        }
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : .max
        // Small, so that much is removed on the way.
        let cache = DataCache(directory: arguments[1], byteLimit: 2 << 20)
        for index in 0..<count {
            // A linear congruential generator (Knuth, MMIX).
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = DataCacheKey(group: "picture \(seed >> 32 % 40)", variant: [UInt8(seed >> 56 % 4)])
            switch seed >> 40 % 16 {
            case 0: await cache.remove(for: key)
            case 1: await cache.removeAll(in: key.group)
            case 2...5:
                await cache.update(CacheFreshness(validatedAt: Int64(index), lifetime: Int64(index)), for: key)
            default: await cache.store(entry(key, version: seed >> 20), for: key)
            }
            if index == 0 {
                await cache.flush()
                print("writing")
                // A pipe's reader would wait until the buffer is full.
                fflush(nil)
            }
        }
        await cache.flush()
    }

    /// An entry whose bytes follow from its key and its version, which is in the metadata.
    static func entry(_ key: DataCacheKey, version: UInt64) -> DataCacheEntry {
        let text = "\(key.group) \(key.variant) \(version);"
        let bytes = Array(text.utf8)
        var data = Data()
        while data.count < version % 40_000 { data.append(contentsOf: bytes) }
        return DataCacheEntry(
            data: data,
            metadata: DataCacheMetadata(
                entityTag: "\(version)", freshness: CacheFreshness(validatedAt: 0, lifetime: 0)))
    }
}
