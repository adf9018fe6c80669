#if GTK
internal import Essentials
internal import ImageFormats
internal import Platform

/// A file in the trash, which can be brought back.
struct TrashedFile: Sendable {
    /// The path that it had.
    let original: String
    fileprivate let place: String
    fileprivate let record: String

    /// Moves the file back to where it was.
    /// - Throws: `inputOutput` if there is a file of that name again, or the folder is gone.
    func restore() throws(ImageError) {
        guard FileStatus(path: original, followsLinks: false) == nil else {
            throw ImageError(.inputOutput, "\(original) can't be brought back: there is another file of that name")
        }
        guard SystemCall.rename(place, to: original) == 0 else {
            throw ImageError(.inputOutput, "\(original) can't be brought back: \(SystemError.last)")
        }
        unlink(record.native)
    }
}

/// The desktop's trash, by the Trash specification of freedesktop.org, version 1.0: in the user's data folder, or on the
/// volume that the file is on.
enum TrashCan {
    /// Moves the file at `path` to the trash.
    /// - Throws: `inputOutput` if there is no such file, or neither it nor the trash may be changed.
    static func take(_ path: String) throws(ImageError) -> TrashedFile {
        let path = URL(filePath: path).absoluteURL.path(percentEncoded: false)
        func failure(_ reason: String) -> ImageError {
            ImageError(.inputOutput, "\(path) can't be moved to the trash: \(reason)")
        }
        guard let status = FileStatus(path: path, followsLinks: false) else { throw failure("\(SystemError.last)") }
        let home = URL(filePath: dataFolder).appending(path: "Trash", directoryHint: .isDirectory)
        var (folder, volume): (URL, String?) = (home, nil)
        try? make(home)
        if FileStatus(path: home.path(percentEncoded: false))?.device != status.device {
            let top = self.volume(of: path, status.device)
            (folder, volume) = (URL(filePath: top).appending(path: ".Trash-\(getuid())"), top)
            // The one that the administrator has made, if it is safe: its sticky bit keeps others from our files.
            let shared = URL(filePath: top).appending(path: ".Trash")
            if isSticky(shared.path(percentEncoded: false)) { folder = shared.appending(path: "\(getuid())") }
        }
        do {
            for part in ["files", "info"] { try make(folder.appending(path: part)) }
        } catch {
            throw failure("\(folder.path(percentEncoded: false)) can't be made")
        }
        let (name, stem) = (path.split(separator: "/").last.map(String.init) ?? path, pathInRecord(path, volume))
        for number in 1...10_000 {
            let used = number == 1 ? name : "\(number)-\(name)"
            let record = folder.appending(path: "info/\(used).trashinfo").path(percentEncoded: false)
            let place = folder.appending(path: "files/\(used)").path(percentEncoded: false)
            // The record's name reserves that of the file.
            let file = SystemCall.open(record, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
            if file < 0 {
                if errno == EEXIST { continue }
                throw failure("\(SystemError.last)")
            }
            let text = Array("[Trash Info]\nPath=\(stem)\nDeletionDate=\(now)\n".utf8)
            let count = text.withUnsafeBytes { SystemCall.write(file, $0) }
            close(file)
            guard count == text.count, SystemCall.rename(path, to: place) == 0 else {
                let error = failure("\(SystemError.last)")
                unlink(record.native)
                throw error
            }
            return TrashedFile(original: path, place: place, record: record)
        }
        throw failure("it has too many files of that name")
    }

    /// $XDG_DATA_HOME, or its default.
    private static var dataFolder: String {
        if let value = getenv("XDG_DATA_HOME"), value.pointee == UInt8(ascii: "/") {
            return String(native: value)
        }
        return (getenv("HOME").map { String(native: $0) } ?? "") + "/.local/share"
    }

    private static func make(_ folder: URL) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path(percentEncoded: false), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    private static func isSticky(_ path: String) -> Bool {
        var status = stat()
        return lstat(path.native, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_mode & S_ISVTX != 0
    }

    /// The highest folder of the volume that the file at `path` is on.
    private static func volume(of path: String, _ device: UInt64) -> String {
        var top = URL(filePath: path).deletingLastPathComponent()
        while top.path(percentEncoded: false) != "/" {
            let above = top.deletingLastPathComponent()
            guard FileStatus(path: above.path(percentEncoded: false))?.device == device else { break }
            top = above
        }
        return top.path(percentEncoded: false)
    }

    /// The path as a record has it: percent-encoded, and relative to the volume in its own trash.
    private static func pathInRecord(_ path: String, _ volume: String?) -> String {
        let relative = volume.map { String(path.dropFirst($0.count).drop { $0 == "/" }) } ?? path
        return relative.nativeBytes.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789/-_.~".unicodeScalars.contains(scalar))
            text += isPlain ? String(scalar) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }

    /// The local time as a record has it.
    private static var now: String {
        var (time, parts) = (time(nil), tm())
        localtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return "\(date)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }
}
#endif
