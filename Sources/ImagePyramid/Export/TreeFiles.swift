internal import ImageFormats
internal import Platform
internal import Raster

/// Files addressed by path, in a folder or an archive.
protocol TreeFiles: Sendable {
    func contains(_ path: String) -> Bool
    /// Returns the bytes of the file at `path`; nil if it doesn't exist.
    func read(_ path: String) throws(ImageError) -> [UInt8]?
}

struct FolderFiles: TreeFiles {
    /// The folder, with a trailing slash unless it is empty.
    let prefix: String

    /// The largest size of a tile in bytes.
    private static let maximumByteCount = 1 << 30

    func contains(_ path: String) -> Bool { access(prefix + path, R_OK) == 0 }

    func read(_ path: String) throws(ImageError) -> [UInt8]? {
        guard contains(path) else { return nil }
        return try Source(regularFile: prefix + path).bytes(limit: Self.maximumByteCount)
    }
}
