internal import ImageFormats
internal import Platform
internal import Raster

/// Files with paths, in a folder or in an archive.
protocol TreeFiles: Sendable {
    func contains(_ path: String) -> Bool
    /// The bytes of the file at `path`; nil where there is none.
    func read(_ path: String) throws(ImageError) -> [UInt8]?
}

struct FolderFiles: TreeFiles {
    /// The folder, with a slash at its end unless it is empty.
    let prefix: String

    /// Larger files than this are no tiles.
    private static let maximumByteCount = 1 << 30

    func contains(_ path: String) -> Bool { access(prefix + path, R_OK) == 0 }

    func read(_ path: String) throws(ImageError) -> [UInt8]? {
        guard contains(path) else { return nil }
        return try Source(regularFile: prefix + path).bytes(limit: Self.maximumByteCount)
    }
}
