internal import ArgumentParser
internal import ImagePyramid
internal import Tessera

/// The input and output of each pyramid, determined before any work starts.
struct TileList {
    /// One image and its pyramid.
    struct Entry: Hashable, Sendable {
        let input: InputLocation
        /// The output path as given, or derived from the input's name.
        let output: String
        let layout: PyramidLayout
        let isZipped: Bool
        /// The folder to create first if it is missing.
        var folder: String?
    }

    private(set) var entries: [Entry] = []
    private(set) var failures: [InputFailure] = []

    /// Interprets the names as described in the help.
    /// - Throws: `ValidationError` for inconsistent names and options.
    init(_ names: [String], settings: TileSettings, isRecursive: Bool) throws {
        guard let last = names.last else { throw ValidationError("an input is missing: tessera tile INPUT OUTPUT") }
        guard last != "-" else {
            throw ValidationError("tiles can't go to standard output, which isn't seekable; name a file")
        }
        let inputs = names.dropLast()
        if inputs.count == 1, !last.hasSuffix("/"), inputs[0] == "-" || !FileSystem.isFolder(inputs[0]) {
            try add(InputLocation(inputs[0]), last, folder: nil, settings)
            return
        }
        guard !FileSystem.isRegularFile(last) else {
            throw ValidationError("with several inputs, the last name must be a folder, and \(last) is a file")
        }
        guard !inputs.contains("-") else {
            throw ValidationError("standard input has no name to call its output by; use `- OUTPUT` alone")
        }
        for name in inputs {
            if FileSystem.isFolder(name) {
                let found = FolderPictures(
                    in: name, target: last, isRecursive: isRecursive, registry: settings.registry)
                for picture in found.pictures { try addFile(picture.path, to: picture.target ?? last, settings) }
                failures += found.failures
            } else {
                try addFile(name, to: last, settings)
            }
        }
        try ConversionList.checkOutputs(entries.map { ($0.input, .file($0.output)) })
    }

    /// Creates a list of a single input, which may be a folder, and its output.
    /// - Throws: `ValidationError` if the output and the options are inconsistent.
    init(_ input: InputLocation, to output: String, settings: TileSettings) throws {
        try add(input, output, folder: nil, settings)
    }

    private mutating func addFile(_ path: String, to folder: String, _ settings: TileSettings) throws {
        let layout = settings.layout ?? .deepZoom
        let ending =
            switch layout {
            case .packed: ".pyramid"
            case .tiff: ".tif"
            default: settings.isZipped ? ".zip" : ""
            }
        try add(
            .file(path), FilePath(FilePath(path).stem + ending, in: folder).text, folder: folder, settings)
    }

    private mutating func add(
        _ input: InputLocation, _ output: String, folder: String?, _ settings: TileSettings
    ) throws {
        var settings = settings
        let ending = FilePath(output).filenameExtension.lowercased()
        let layout = settings.layout ?? PyramidLayout(filenameExtension: ending) ?? .deepZoom
        let isArchive = ending == "zip" || ending == "szi"
        if ending == "szi", layout != .deepZoom {
            throw ValidationError("\(output): an SZI file holds deepzoom tiles, not \(layout.rawValue); use .zip")
        }
        if isArchive, layout.tree != nil { settings.isZipped = true }
        if let obstacle = layout.obstacle(settings) { throw ValidationError(obstacle) }
        var path = output
        if settings.isZipped, !isArchive { path += ".zip" }
        if layout == .deepZoom, !settings.isZipped, ending == "dzi" { path.removeLast(4) }
        entries.append(
            Entry(input: input, output: path, layout: layout, isZipped: settings.isZipped, folder: folder))
    }
}

extension TileList.Entry {
    /// Returns the geometry of the pyramid for an image of `size`.
    func geometry(of size: PixelSize, _ settings: TileSettings) throws(ImageError) -> PyramidGeometry {
        try PyramidGeometry(
            size: size, tileSize: settings.tileSize, overlap: settings.overlap, depth: layout.depth)
    }

    /// Returns the encoding of tiles: the requested format, else JPEG, or WebP for images with alpha.
    /// - Throws: `invalidParameter` for alpha in a layout that only takes JPEG, unless JPEG was requested.
    func encoding(_ settings: TileSettings, hasAlpha: Bool) throws(ImageError) -> TileEncoding {
        let format = settings.format ?? PyramidLayout.tileFormat(hasAlpha: hasAlpha, registry: settings.registry)
        guard layout != .tiff || format == .jpeg else {
            throw ImageError(
                .invalidParameter,
                "the image has transparency, and a TIFF's tiles are JPEG: --format jpg draws it on --background")
        }
        return TileEncoding(
            format: format, quality: settings.quality, background: settings.background, padding: layout.padding)
    }

    /// Makes the sink for the tiles.
    /// - Throws: An error if the output can't be written.
    func sink(
        _ geometry: PyramidGeometry, _ encoding: TileEncoding, _ settings: TileSettings
    ) throws(ImageError) -> any TileSink {
        do throws(ImageError) {
            if let tree = layout.tree, isZipped {
                return try ZipSink(
                    path: output, layout: tree, geometry: geometry, encoding: encoding,
                    identifierBase: settings.identifierBase, overwrites: settings.overwrites,
                    codecs: settings.registry)
            } else if let tree = layout.tree {
                return try TreeSink(
                    path: output, layout: tree, geometry: geometry, encoding: encoding,
                    identifierBase: settings.identifierBase, overwrites: settings.overwrites,
                    resumes: settings.resumes, source: source, codecs: settings.registry)
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

    /// Whether an interrupted run can be resumed.
    var canResume: Bool { layout == .packed || (layout.tree != nil && !isZipped) }

    /// Identifies the input for resuming: its name and, for a file, its length and modification time.
    private var source: String {
        guard case .file(let path) = input else { return "\(input)" }
        let name = FilePath(path).name
        return FileSystem.state(path).map { "\(name), \($0)" } ?? name
    }
}
