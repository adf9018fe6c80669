internal import CTesseraSystem
internal import ImageLoading

/// What the system knows of an open file.
struct FileStatus: Hashable, Sendable {
    /// What a file can be.
    enum Kind: Hashable, Sendable {
        case regular, folder, link, other
    }

    let kind: Kind
    let byteCount: Int
    let modificationTime: FileTime
    /// When anything of it was changed, its name, owner or content; nobody can set it.
    let changeTime: FileTime
    let device: UInt64
    let inode: UInt64

    /// That of the open file `number`; nil where the system has none.
    init?(_ number: CInt) {
        var status = tessera_file_status()
        guard tessera_status(number, &status) == 0 else { return nil }
        self.init(status)
    }

    /// That of what is called `name` in an open folder, links not followed.
    init?(_ name: UnsafePointer<CChar>, in folder: CInt) {
        var status = tessera_file_status()
        guard tessera_status_in(folder, name, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: tessera_file_status) {
        kind =
            switch status.kind {
            case TESSERA_REGULAR_FILE: .regular
            case TESSERA_FOLDER: .folder
            case TESSERA_LINK: .link
            default: .other
            }
        byteCount = Int(status.byte_count)
        modificationTime = Self.time(status.modification_seconds, status.modification_nanoseconds)
        changeTime = Self.time(status.change_seconds, status.change_nanoseconds)
        device = status.device
        inode = status.inode
    }

    private static func time(_ seconds: Int64, _ nanoseconds: Int64) -> FileTime {
        var result = FileTime(seconds: seconds)
        result.nanoseconds = nanoseconds
        return result
    }

    /// A short text that is another one when the file is another one or was changed.
    var version: String {
        let numbers: [Int64] = [
            Int64(bitPattern: device), Int64(bitPattern: inode), Int64(byteCount), modificationTime.seconds,
            modificationTime.nanoseconds, changeTime.seconds, changeTime.nanoseconds,
        ]
        let hash = StableHash(
            numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } })
        // Half of the hash: it says nothing of the file system, and two of one picture differ.
        return String(hash.high ^ hash.low, radix: 36)
    }
}
