import Foundation
import ImageLoading
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension DataCacheEntry {
    /// An entry of `count` bytes that follow from `seed`.
    static func sample(_ seed: UInt64 = 1, count: Int = 1000, metadata: DataCacheMetadata? = nil) -> DataCacheEntry {
        var data = Data(count: count)
        var generator = SeededGenerator(seed)
        for start in stride(from: 0, to: count, by: 61) {
            data[start] = UInt8(truncatingIfNeeded: generator.next())
            if start + 1 < count { data[start + 1] = UInt8(truncatingIfNeeded: start) }
        }
        let freshness = CacheFreshness(validatedAt: Int64(seed), lifetime: 60)
        return DataCacheEntry(
            data: data, metadata: metadata ?? DataCacheMetadata(mimeType: "image/png", freshness: freshness))
    }

    func isEqual(_ other: DataCacheEntry?) -> Bool { data == other?.data && metadata == other?.metadata }
}

extension TemporaryFolder {
    /// The files of entries in the cache here.
    func entryFiles() throws -> [String] {
        try names().filter { $0.utf8.count == 2 }
            .flatMap { folder in try names(in: folder).map { "\(folder)/\($0)" } }
    }
}

/// Sets when a file was last used and last written, in seconds before now.
func setTimes(_ path: String, used: Int? = nil, written: Int? = nil) {
    let now = time(nil)
    let times = [used, written].map { seconds in
        // The number is UTIME_OMIT.
        seconds.map { timespec(tv_sec: now - $0, tv_nsec: 0) } ?? timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
    }
    utimensat(AT_FDCWD, path, times, 0)
}

extension DataCache {
    /// Writes what there is, and then nothing until `writer` is resumed.
    func hold() async {
        await flush()
        suspendWriter()
    }

    private func suspendWriter() {
        // What it is at is done when this comes back.
        writer.sync {}
        writer.suspend()
    }
}
