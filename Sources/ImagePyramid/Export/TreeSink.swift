public import ImageFormats
internal import Platform
internal import Raster

/// Writes a pyramid as a folder of files, which any web server can serve to a viewer.
///
/// Everything is written to a temporary folder beside the destination, and renamed when complete. Deep Zoom's document,
/// which viewers open, comes last.
public final class TreeSink: TileSink {
    /// Whether an interrupted run is resumed.
    public let isResumed: Bool

    /// The levels and tiles.
    public var geometry: PyramidGeometry { tree.geometry }
    /// The encoding of the tiles.
    public var encoding: TileEncoding { tree.encoding }

    private let tree: PyramidTree
    private let folder: OutputFolder
    private let documentPath: String?
    private let overwrites: Bool
    private let whole: WholePictures?

    /// The file that identifies the work while a tree is unfinished.
    private static let note = ".tessera-unfinished"

    /// Creates the tree that will be named `path`: a folder of that name, or for Deep Zoom `path` with `.dzi` and with
    /// `_files`.
    /// - Parameters:
    ///   - identifierBase: The part before the name in an IIIF identifier: the URL of the folder that contains the
    ///     tree.
    ///   - overwrites: Whether an existing tree may be replaced. A folder with other contents never is.
    ///   - resumes: Whether the folder, named `path` with `.part`, stays if it isn't finished. If there is one with the
    ///     same geometry, encoding and source, its whole tiles are kept; any other is emptied.
    ///   - source: Identifies the work that is resumed, for example the input's name and date.
    ///   - codecs: The codecs for IIIF's whole images and Google's blank tile.
    /// - Throws: `inputOutput`; `invalidParameter` for an overlap or padding that the layout doesn't support.
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
            throw ImageError(.invalidParameter, "\(path) isn't a name for a tree of tiles")
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
            throw ImageError(.inputOutput, "\(folder) can't be replaced: it isn't a tree of this layout")
        }
    }

    /// Returns whether an interrupted run left the tile, with the last bytes of a whole JPEG, PNG or JPNG or the length
    /// in a WebP's header; false for other formats.
    public func contains(_ address: TileAddress) -> Bool {
        guard isResumed, whole?.wants(address) != true,
            let (head, tail, byteCount) = folder.ends(of: tree.path(of: address), count: 12)
        else { return false }
        return switch encoding.format {
        case .jpeg: tail.suffix(2) == [0xFF, 0xD9]
        case .png: tail.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
        case .jpng: tail.suffix(4).elementsEqual("GNPJ".utf8)
        // RIFF's length doesn't count its own field and the signature.
        case .webP: byteCount - 8 == head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        // The end of other formats isn't recognised; such tiles are made again.
        default: false
        }
    }

    /// Writes a tile's file.
    /// - Throws: `inputOutput` if it can't be written.
    public func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        let path = tree.path(of: address)
        if whole != nil { try folder.makeFolders(to: path) }
        // The pointer is used only within the call.
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
