#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import ImageFormats
internal import JPEGBitstream
internal import Raster

/// A JPEG's index in a file, kept from one opening of the picture to the next.
///
/// Nothing depends on it: what can't be read, is damaged, or is of another picture or of this one before a change, is as
/// good as none; and what can't be written isn't there next time.
struct KeptIndex: Sendable {
    /// Where it is.
    let path: String
    private let bytes: PictureBytes

    /// What an index's file is called after the picture.
    static let suffix = ".tessera-index"

    /// The index of the picture at `picturePath`, whose bytes are `bytes`; nil for one that is no file.
    init?(of picturePath: String, _ bytes: PictureBytes, at place: TiledImage.Options.IndexPlace) {
        guard bytes.modification != nil else { return nil }
        self.bytes = bytes
        switch place {
        case .besidePicture: path = picturePath + Self.suffix
        case .folder(let folder):
            // Pictures of one name in several folders have an index each.
            let real = realpath(picturePath, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            }
            let full = Array((real ?? picturePath).utf8)
            let name = full.split(separator: UInt8(ascii: "/")).last ?? []
            let number = String(PictureDigest.of(full), radix: 16)
            path = "\(folder)/\(String(decoding: name.prefix(80), as: UTF8.self))-\(number)\(Self.suffix)"
        }
    }

    /// The index, if there is one of the picture as it is, divided as `layout` is.
    func load(_ layout: JPEGTileLayout) -> JPEGTileIndex? {
        // What an index of this layout takes, and no more, is read.
        let limit = (layout.columnCount + 1) * layout.mcusDown * 16 + 4096
        guard let file = try? InputFile(path: path), file.byteCount <= limit,
            let stored = try? file.read(file.byteCount, at: 0), let source = try? source(),
            let index = try? JPEGTileIndex(serialized: stored.span.bytes, for: source), index.layout == layout,
            index.isComplete
        else { return nil }
        return index
    }

    /// Writes the index, unless a file that is none has its name.
    func save(_ index: JPEGTileIndex) {
        guard index.isComplete, !isTaken, let source = try? source() else { return }
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) { mkdir(String(path[..<slash]), 0o777) }
        guard let file = try? AtomicFile(path: path, overwrites: true),
            (try? file.write(index.serialized(for: source).span.bytes)) != nil
        else { return }
        try? file.commit()
    }

    /// Whether there is something under the name that is no index.
    private var isTaken: Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG, let file = try? InputFile(path: path),
            let first = try? file.read(min(file.byteCount, JPEGTileIndex.signatureBytes.count), at: 0)
        else { return true }
        return !JPEGTileIndex.signatureBytes.starts(with: first)
    }

    /// What tells the picture from others, and from itself before a change.
    private func source() throws(ImageError) -> JPEGTileSource {
        let digest = try PictureDigest.of(bytes)
        return JPEGTileSource(
            byteCount: bytes.count, modification: bytes.modification ?? 0,
            hash: (0..<8).map { UInt8(truncatingIfNeeded: digest >> UInt64(8 * $0)) })
    }
}
