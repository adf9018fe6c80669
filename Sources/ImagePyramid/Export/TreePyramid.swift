internal import Essentials
package import ImageFormats
internal import Raster

/// A pyramid in a tree of files, in a folder or a zip archive, in any layout that `TreeSink` writes.
package final class TreePyramid: StoredPyramid {
    /// The naming of the files.
    package let layout: TreeLayout
    /// The levels and tiles. Google's layout doesn't record the image's size, which is taken to be that of its tiles.
    package let geometry: PyramidGeometry
    /// The format of the tiles.
    package let format: ImageFormat
    /// Whether tiles at the right and bottom edges are padded, as in Google's layout.
    package var isPadded: Bool { layout == .google }

    private let tree: PyramidTree
    private let files: any TreeFiles
    /// The part before a tile's path.
    private let prefix: String

    /// Opens the tree at `path`: the folder, Deep Zoom's document or its name without extension, or an archive.
    /// - Throws: `inputOutput` if it can't be read, `unknownFormat` if it isn't a tree of tiles, `corrupt` for invalid
    ///   documents.
    package convenience init(path: String) throws(ImageError) { try self.init(path: path, codecs: .default) }

    convenience init(path: String, codecs: CodecRegistry) throws(ImageError) {
        guard !Self.isArchive(path) else {
            try self.init(archive: Source(regularFile: path), codecs: codecs)
            return
        }
        var folder = path
        while folder.hasSuffix("/"), folder.utf8.count > 1 { folder.removeLast() }
        for ending in [".dzi", "_files"] where folder.hasSuffix(ending) { folder.removeLast(ending.count) }
        let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(folder[folder.utf8.index(after: $0)...]) } ?? folder
        let files = FolderFiles(prefix: slash.map { String(folder[...$0]) } ?? "")
        self.init(try Self.known(Found(files, folder: "", name: name, codecs), path), files)
    }

    convenience init(archive source: Source, codecs: CodecRegistry) throws(ImageError) {
        let archive = try ZipFiles(source)
        let roots = Set(archive.paths.compactMap { $0.split(separator: "/", maxSplits: 1).first.map(String.init) })
        var found: Found?
        for root in roots.sorted() where found == nil {
            found = try Found(archive, folder: root + "/", name: root, codecs)
        }
        self.init(try Self.known(found, source.name), archive)
    }

    static func isArchive(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower.hasSuffix(".zip") || lower.hasSuffix(".szi")
    }

    private init(_ found: Found, _ files: any TreeFiles) {
        (layout, geometry, format) = (found.tree.layout, found.tree.geometry, found.tree.encoding.format)
        (tree, prefix) = (found.tree, found.prefix)
        self.files = files
    }

    private static func known(_ found: Found?, _ path: String) throws(ImageError) -> Found {
        guard let found else {
            throw ImageError(.unknownFormat, "\(path) isn't a tree of tiles, or its document is missing")
        }
        return found
    }

    /// Returns a tile's encoded file; nil if it is missing. Traps for an address outside the geometry.
    /// - Throws: `inputOutput`; `corrupt` for a wrong checksum in an archive.
    package func tile(at address: TileAddress) throws(ImageError) -> [UInt8]? {
        precondition(geometry.contains(address))
        return try files.read(prefix + tree.path(of: address))
    }

    /// A tree, and the prefix of its tiles' paths.
    private struct Found {
        let tree: PyramidTree
        let prefix: String

        /// Looks for the documents of each layout.
        init?(
            _ files: any TreeFiles, folder: String, name: String, _ codecs: CodecRegistry
        ) throws(ImageError) {
            let inner = folder.isEmpty ? name + "/" : folder
            if let text = try Self.text(files, "\(folder)\(name).dzi") {
                let prefix = "\(folder)\(name)_files/"
                let (size, tileSize, overlap) = (
                    try Self.size(text, "Width", "Height"), try Self.number(text, "TileSize"),
                    try Self.number(text, "Overlap")
                )
                let geometry = try Self.checked(size, tileSize, overlap, .onePixel)
                self.init(try Self.tree(.deepZoom, geometry, name, files, prefix), prefix: prefix)
            } else if let text = try Self.text(files, "\(inner)ImageProperties.xml") {
                let geometry = try Self.checked(
                    Self.size(text, "WIDTH", "HEIGHT"), Self.number(text, "TILESIZE"), 0, .oneTile)
                self.init(try Self.tree(.zoomify, geometry, name, files, inner), prefix: inner)
            } else if let text = try Self.text(files, "\(inner)info.json") {
                guard let picture = try? JSONDecoder().decode(IIIFPicture.self, from: Data(text.utf8)),
                    let side = picture.tiles.first?.width
                else { throw ImageError(.corrupt, "info.json lacks the image's size or the tile size") }
                let geometry = try Self.checked(
                    PixelSize(width: picture.width, height: picture.height), side, 0, .oneTile)
                let layout = text.contains("/api/image/2") ? TreeLayout.iiif2 : .iiif3
                self.init(try Self.tree(layout, geometry, name, files, inner), prefix: inner)
            } else if files.contains("\(inner)blank.png") {
                self.init(try Self.google(name, files, inner, codecs), prefix: inner)
            } else {
                return nil
            }
        }

        private init(_ tree: PyramidTree, prefix: String) { (self.tree, self.prefix) = (tree, prefix) }

        private static func text(_ files: any TreeFiles, _ path: String) throws(ImageError) -> String? {
            guard let bytes = try files.read(path) else { return nil }
            guard bytes.count <= 1 << 20 else {
                throw ImageError(.limitExceeded, "\(path) has \(bytes.count) bytes; the limit is \(1 << 20)")
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        private static func number(_ text: String, _ name: String) throws(ImageError) -> Int {
            let bytes = Array(text.utf8)
            let wanted = Array("\(name)=\"".utf8)
            for start in bytes.indices.dropLast(wanted.count)
            where start > 0 && bytes[start - 1] <= 32 && bytes[start..<start + wanted.count].elementsEqual(wanted) {
                let digits = bytes[(start + wanted.count)...].prefix { $0 != UInt8(ascii: "\"") }
                if let number = Int(String(decoding: digits, as: UTF8.self)) { return number }
            }
            throw ImageError(.corrupt, "the tree's document has no number \(name)")
        }

        private static func size(_ text: String, _ width: String, _ height: String) throws(ImageError) -> PixelSize {
            PixelSize(width: try number(text, width), height: try number(text, height))
        }

        private static func checked(
            _ size: PixelSize, _ tileSize: Int, _ overlap: Int, _ depth: PyramidGeometry.Depth
        ) throws(ImageError) -> PyramidGeometry {
            guard max(size.width, size.height) <= Int(UInt32.max), tileSize > 0,
                ((size.width - 1) / tileSize + 1).multipliedReportingOverflow(by: (size.height - 1) / tileSize + 1)
                    .partialValue < 1 << 40
            else { throw ImageError(.limitExceeded, "an image of \(size) has too many tiles of \(tileSize) pixels") }
            return try PyramidGeometry(size: size, tileSize: tileSize, overlap: overlap, depth: depth)
        }

        /// Creates the tree with the format of the smallest level's tile.
        private static func tree(
            _ layout: TreeLayout, _ geometry: PyramidGeometry, _ name: String, _ files: any TreeFiles, _ prefix: String
        ) throws(ImageError) -> PyramidTree {
            var first: PyramidTree?
            for format in [ImageFormat.jpeg, .png, .webP, .jpng] {
                for filenameExtension in Set([layout.filenameExtension(format), format.filenameExtension]).sorted() {
                    let encoding = TileEncoding(format: format, padding: layout.padding)
                    var tree = try PyramidTree(layout, geometry, encoding, name: name, identifierBase: "")
                    tree.filenameExtension = filenameExtension
                    let address = TileAddress(level: geometry.levels.count - 1, column: 0, row: 0)
                    if files.contains(prefix + tree.path(of: address)) { return tree }
                    first = first ?? tree
                }
            }
            guard let first else { throw ImageError(.corrupt, "the tree's smallest tile is missing") }
            return first
        }

        /// Derives the geometry of Google's layout, which has no document, from the names of tiles.
        private static func google(
            _ name: String, _ files: any TreeFiles, _ prefix: String, _ codecs: CodecRegistry
        ) throws(ImageError) -> PyramidTree {
            let formats = [ImageFormat.jpeg, .png, .webP, .jpng]
            guard let format = formats.first(where: { files.contains("\(prefix)0/0/0.\($0.filenameExtension)") }),
                let bytes = try files.read("\(prefix)0/0/0.\(format.filenameExtension)")
            else { throw ImageError(.corrupt, "the tree's smallest tile is missing") }
            let tileSize = try ImageSource.header(of: bytes, registry: codecs).size.width
            func count(_ path: (Int) -> String) -> Int {
                (0..<1 << 20).first { !files.contains(prefix + path($0) + "." + format.filenameExtension) } ?? 1
            }
            let level = count { "\($0)/0/0" } - 1
            let (columns, rows) = (count { "\(level)/0/\($0)" }, count { "\(level)/\($0)/0" })
            let size = PixelSize(width: columns * tileSize, height: rows * tileSize)
            let encoding = TileEncoding(format: format, padding: .background)
            return try PyramidTree(
                .google, checked(size, tileSize, 0, .oneTile), encoding, name: name, identifierBase: "")
        }
    }
}

/// The part of the IIIF Image API's `info.json` that describes the division into tiles.
private struct IIIFPicture: Decodable {
    struct Tile: Decodable {
        let width: Int
    }

    let width: Int
    let height: Int
    let tiles: [Tile]
}
