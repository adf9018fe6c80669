internal import ImageLoading
internal import Platform

extension FileStatus {
    /// A short text that changes when the file is replaced or modified.
    var version: String {
        let numbers: [Int64] = [
            Int64(bitPattern: device), Int64(bitPattern: inode), Int64(byteCount), modificationTime.seconds,
            modificationTime.nanoseconds, changeTime.seconds, changeTime.nanoseconds,
        ]
        return Self.version(numbers)
    }

    /// A short text that changes with the file's size and modification time, the same for each copy that keeps both.
    var sharedVersion: String {
        Self.version([Int64(byteCount), modificationTime.seconds, modificationTime.nanoseconds])
    }

    /// Half of the hash reveals nothing about the file system, and is enough to distinguish an image's versions.
    private static func version(_ numbers: [Int64]) -> String {
        StableHash(
            numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        ).half
    }
}
