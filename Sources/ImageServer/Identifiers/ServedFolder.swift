internal import ImageFormats
internal import ImageLoading
internal import Platform
internal import Raster

/// A served folder or beginning of keys in a bucket, with its name in identifiers.
struct ServedFolder: Hashable, Sendable {
    /// The name, which is valid in an identifier; used only if several folders are served.
    var name: String
    /// The absolute path with the operator's symbolic links unresolved, so that a changed link is noticed.
    let path: String
    /// The beginning of the images' addresses in a bucket, which ends in a slash unless it is the bucket; nil for a folder.
    let bucket: S3Address?

    /// Checks that the folder at `path` can be opened. An address in a bucket isn't checked: a server starts without its store.
    /// - Throws: `inputOutput` if it can't, `invalidParameter` for an invalid address.
    init(_ path: String) throws(ImageError) {
        if S3Address.isAddress(path) {
            let address = try S3Address(path)
            let isWhole = address.key.isEmpty || address.key.hasSuffix("/")
            bucket = isWhole ? address : try S3Address(bucket: address.bucket, key: address.key + "/")
            let last = address.key.split(separator: "/").last.map(String.init) ?? address.bucket
            name = PictureIdentifier.isPath(last) ? last : "pictures"
            self.path = path
            return
        }
        bucket = nil
        let number = path.utf8.contains(0) ? -1 : SystemCall.open(path, O_RDONLY | O_DIRECTORY)
        guard number >= 0, let real = realpath(path, nil) else { throw Self.failure(path) }
        close(number)
        defer { free(real) }
        let last = String(cString: real).utf8.split(separator: UInt8(ascii: "/")).last
        let visible = last.map { String(Substring($0).drop { $0 == "." }) } ?? ""
        name = PictureIdentifier.isPath(visible) ? visible : "pictures"
        if path.utf8.first == UInt8(ascii: "/") {
            self.path = path
        } else {
            guard let folder = getcwd(nil, 0) else { throw Self.failure(path) }
            defer { free(folder) }
            self.path = String(cString: folder) + "/" + path
        }
    }

    private static func failure(_ path: String) -> ImageError {
        ImageError(.inputOutput, "\(path) can't be served: \(String(cString: strerror(errno)))")
    }

    /// The folders at `paths`, with numbers appended to duplicate names.
    static func all(_ paths: [String]) throws(ImageError) -> [ServedFolder] {
        var folders: [ServedFolder] = []
        for path in paths {
            var folder = try ServedFolder(path)
            let (name, others) = (folder.name, Set(folders.map(\.name)))
            var number = 2
            while others.contains(folder.name) {
                folder.name = "\(name)-\(number)"
                number += 1
            }
            folders.append(folder)
        }
        return folders
    }
}
