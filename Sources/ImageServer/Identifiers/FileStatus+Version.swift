internal import ImageLoading
internal import Platform

extension FileStatus {
    /// A short text that changes when the file is replaced or modified.
    var version: String {
        let numbers: [Int64] = [
            Int64(bitPattern: device), Int64(bitPattern: inode), Int64(byteCount), modificationTime.seconds,
            modificationTime.nanoseconds, changeTime.seconds, changeTime.nanoseconds,
        ]
        // Half of the hash reveals nothing about the file system, and is enough to distinguish an image's versions.
        return StableHash(
            numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        ).half
    }
}
