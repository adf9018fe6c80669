public import ImageFormats
internal import Platform
internal import Raster

/// Writes a pyramid as a folder of files, which any web server can serve to a viewer.
///
/// All is made beside its place under another name, which it loses when everything is there. Deep Zoom's document, which
/// viewers open, comes last.
public final class TreeSink: TileSink {
    /// Whether files of an interrupted run were there to go on from.
    public let isResumed: Bool

    /// How the picture is divided.
    public var geometry: PyramidGeometry { tree.geometry }
    /// How the tiles are encoded.
    public var encoding: TileEncoding { tree.encoding }

    private let tree: PyramidTree
    private let folder: OutputFolder
    private let documentPath: String?
    private let overwrites: Bool
    private let whole: WholePictures?

    /// What a tree is of, kept in it while it isn't finished.
    private static let note = ".tessera-unfinished"

    /// Makes room for the tree at `path`: a folder of that name; for Deep Zoom `path` and `.dzi`, and `path` and `_files`.
    /// - Parameters:
    ///   - identifierBase: What stands before the name in an IIIF identifier: the address of the folder that the tree is
    ///     in, as clients will know it.
    ///   - overwrites: Whether a tree of that name may be replaced. A folder that looks like something else never is.
    ///   - resumes: Whether the folder stays, as `path` and `.part`, when it isn't finished. If there is one of the same
    ///     geometry and encoding, the whole tiles in it are kept; any other is emptied.
    ///   - source: What tells this work from any other that is resumed: the input's name and date, perhaps.
    ///   - codecs: Those by which IIIF's pictures of the whole, and Google's blank tile, are made.
    /// - Throws: `inputOutput`; `invalidParameter` for an overlap or padding that the layout doesn't have.
    public init(
        path: String, layout: TreeLayout, geometry: PyramidGeometry, encoding: TileEncoding,
        identifierBase: String = "https://example.com/iiif", overwrites: Bool = false, resumes: Bool = false,
        source: String = "", codecs: CodecRegistry = .default
    ) throws(ImageError) {
        let path = path.hasSuffix("/") ? String(path.dropLast()) : path
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        let parent = slash.map { String(path[...$0]) } ?? ""
        guard !name.isEmpty, name != ".", name != ".." else {
            throw ImageError(.invalidParameter, "\(path) is no name for a tree of tiles")
        }
        let tree = try PyramidTree(
            layout, geometry, encoding, name: name, identifierBase: identifierBase, codecs: codecs)
        let target = parent + tree.tileFolder
        documentPath = tree.outerDocument.map { parent + $0 }
        self.overwrites = overwrites
        try Self.checkReplacing(target, documentPath, layout, overwrites: overwrites)
        let folder = try OutputFolder(path: target, resumes: resumes)
        var isResumed = false
        if resumes {
            let note = Array("\(layout) \(geometry) \(encoding) \(source)".utf8)
            if folder.read(Self.note, limit: note.count + 1) == note {
                isResumed = true
            } else {
                folder.removeAll()
                try folder.write(note, to: Self.note)
            }
        }
        for inner in tree.folders { try folder.makeFolder(inner) }
        (self.tree, self.folder, self.isResumed) = (tree, folder, isResumed)
        whole = layout.isIIIF ? WholePictures(tree) : nil
    }

    private static func checkReplacing(
        _ folder: String, _ document: String?, _ layout: TreeLayout, overwrites: Bool
    ) throws(ImageError) {
        if let document, !overwrites, FileStatus(path: document) != nil {
            throw ImageError(.inputOutput, "\(document) can't be written: it exists already")
        }
        guard let status = FileStatus(path: folder, followsLinks: false) else { return }
        guard overwrites else { throw ImageError(.inputOutput, "\(folder) can't be written: it exists already") }
        let signs =
            switch layout {
            case .deepZoom: [document ?? "", "\(folder)/0/0_0.jpeg", "\(folder)/0"]
            case .zoomify: ["\(folder)/ImageProperties.xml"]
            case .google: ["\(folder)/blank.png"]
            case .iiif2, .iiif3: ["\(folder)/info.json"]
            }
        guard status.isFolder, signs.contains(where: { access($0, F_OK) == 0 }) else {
            throw ImageError(.inputOutput, "\(folder) can't be replaced: it is no tree of this layout")
        }
    }

    /// Whether the tile is there, and whole by its last bytes, from an interrupted run.
    public func contains(_ address: TileAddress) -> Bool {
        guard isResumed, whole?.wants(address) != true,
            let tail = folder.tail(tree.path(of: address), count: 12)
        else { return false }
        return switch encoding.format {
        case .jpeg: tail.suffix(2) == [0xFF, 0xD9]
        case .png: tail.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
        // The others say their length at their beginning; they are made again.
        default: false
        }
    }

    /// Writes a tile's file.
    /// - Throws: `inputOutput` when it can't be written.
    public func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        let path = tree.path(of: address)
        if whole != nil { try folder.makeFolders(to: path) }
        // Used within the call only.
        try bytes.withUnsafeBytes { (bytes) throws(ImageError) in
            whole?.keep(bytes, at: address)
            try folder.write(bytes, to: path)
        }
    }

    /// Writes the documents and gives the tree its name.
    /// - Throws: `inputOutput`.
    public func finish() throws(ImageError) {
        for (path, bytes) in try tree.documents(whole) {
            try folder.makeFolders(to: path)
            try folder.write(bytes, to: path)
        }
        folder.remove(Self.note)
        guard let documentPath else { return try folder.commit(overwrites: overwrites) {} }
        let document = try AtomicFile(path: documentPath, overwrites: overwrites)
        try document.write(Array(tree.deepZoomDocument.utf8))
        try folder.commit(overwrites: overwrites) { () throws(ImageError) in try document.commit() }
    }
}
