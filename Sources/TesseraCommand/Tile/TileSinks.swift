internal import ImagePyramid
internal import Tessera

extension TileList.Entry {
    /// How a picture of `size` is divided for this output.
    func geometry(of size: PixelSize, _ settings: TileSettings) throws(ImageError) -> PyramidGeometry {
        try PyramidGeometry(
            size: size, tileSize: settings.tileSize, overlap: settings.overlap, depth: layout.depth)
    }

    /// How tiles are made for this output.
    func encoding(_ settings: TileSettings) -> TileEncoding {
        var encoding = settings.encoding
        encoding.padding = layout.padding
        return encoding
    }

    /// Where the tiles go.
    /// - Throws: What keeps the output from being written.
    func sink(
        _ geometry: PyramidGeometry, _ settings: TileSettings
    ) throws(ImageError) -> any TileSink {
        let encoding = encoding(settings)
        do throws(ImageError) {
            if let tree = layout.tree, isZipped {
                return try ZipSink(
                    path: output, layout: tree, geometry: geometry, encoding: encoding,
                    identifierBase: settings.identifierBase, overwrites: settings.overwrites)
            } else if let tree = layout.tree {
                return try TreeSink(
                    path: output, layout: tree, geometry: geometry, encoding: encoding,
                    identifierBase: settings.identifierBase, overwrites: settings.overwrites,
                    resumes: settings.resumes, source: source)
            } else if layout == .tiff {
                return try TIFFSink(
                    path: output, geometry: geometry, encoding: encoding, overwrites: settings.overwrites)
            } else {
                return try PackedPyramidWriter(
                    path: output, geometry: geometry, encoding: encoding, metadata: ["source": source],
                    overwrites: settings.overwrites, resumes: settings.resumes)
            }
        } catch  where error.code == .inputOutput && error.message.hasSuffix("it exists already") {
            throw ImageError(.inputOutput, "\(error.message); --force replaces it")
        }
    }

    /// Whether an interrupted run can be gone on with.
    var canResume: Bool { layout == .packed || (layout.tree != nil && !isZipped) }

    /// What tells the input from others: its name, and its length and date where it is a file.
    private var source: String {
        guard case .file(let path) = input else { return "\(input)" }
        let name = FilePath(path).name
        return FileSystem.state(path).map { "\(name), \($0)" } ?? name
    }
}
