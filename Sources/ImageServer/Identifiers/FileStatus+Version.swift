internal import ImageLoading
internal import Platform

extension FileStatus {
    /// A short text that is another one when the file is another one or was changed.
    var version: String {
        let numbers: [Int64] = [
            Int64(bitPattern: device), Int64(bitPattern: inode), Int64(byteCount), modificationTime.seconds,
            modificationTime.nanoseconds, changeTime.seconds, changeTime.nanoseconds,
        ]
        // Half of the hash: it says nothing of the file system, and two of one picture differ.
        return StableHash(
            numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        ).half
    }
}
