internal import ArgumentParser
internal import ImageFormats
internal import ImagePyramid
internal import Tessera

/// `tessera tile extract`: extracts tiles or levels, or converts the layout.
struct TileExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Extract a tile, a level or a tree from a pyramid.",
        discussion: """
            With --tile, OUTPUT is the tile's file, copied. With --level, OUTPUT is an image assembled from the \
            level's tiles; its extension selects the format, and `-` is standard output, as PNG. With --layout, OUTPUT \
            is another pyramid with the same tiles, which aren't encoded again.

            EXAMPLES
              tessera tile extract scan.pyramid tile.jpg --tile 0/12,7
              tessera tile extract scan.pyramid small.png --level 4
              tessera tile extract s3://maps/map.pyramid small.png --level 4
              tessera tile extract scan.pyramid site/scan --layout iiif3
              tessera tile extract scan.pyramid scan.zip --layout zoomify --zip
            """)

    @Argument(help: ArgumentHelp("The pyramid.", valueName: "pyramid"), completion: .file())
    var path: String

    @Argument(help: ArgumentHelp("The file, or the tree's name.", valueName: "output"), completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp("A tile; level 0 is the picture in full.", valueName: "level/column,row"),
        transform: TileAddress.parse)
    var tile: TileAddress?

    @Option(help: ArgumentHelp("A level; 0 is the picture in full.", valueName: "level"))
    var level: Int?

    @Option(
        help: ArgumentHelp("packed, deepzoom, zoomify, iiif3 or iiif2.", valueName: "layout"),
        completion: Choice.completion(of: PyramidLayout.self), transform: Choice.parse)
    var layout: PyramidLayout?

    @Flag(help: "Write a tree's files into one zip archive.")
    var zip = false

    @Option(
        help: ArgumentHelp("IIIF: the URL of the folder from which the tree will be served.", valueName: "address"))
    var id = "https://example.com/iiif"

    @Flag(name: .shortAndLong, help: "Replace existing files.")
    var force = false

    @OptionGroup var report: ReportArguments

    func validate() throws {
        guard [tile != nil, level != nil, layout != nil].filter({ $0 }).count == 1 else {
            throw ValidationError("nothing to extract: give one of --tile, --level and --layout")
        }
        guard level.map({ $0 >= 0 }) ?? true else {
            throw ValidationError("--level must be at least 0, not \(level ?? 0)")
        }
        guard output != "-" || !report.json else {
            throw ValidationError("--json prints to standard output, to which the image goes; give it a file")
        }
        guard !zip || layout?.tree != nil else { throw ValidationError("--zip goes with the --layout of a tree") }
    }

    /// The codecs for tiles.
    private var registry: CodecRegistry { .default }

    func run() throws {
        do {
            let pyramid = try BucketFiles.openPyramid(path, codecs: registry)
            if let tile {
                try extract(tile, pyramid)
            } else if let level {
                try extract(level, pyramid)
            } else if let layout {
                try extract(layout, pyramid)
            }
            report.record(
                [("input", .string(path)), ("output", .string("\(OutputLocation(output))"))],
                "\(path) -> \(OutputLocation(output))")
        } catch let error as ImageError {
            report.printFailure(error, of: .file(path))
            throw ExitCode.failure
        }
    }

    private func extract(_ tile: TileAddress, _ pyramid: any StoredPyramid) throws {
        guard pyramid.geometry.contains(tile) else {
            throw ImageError(.invalidParameter, "the pyramid has no tile \(tile); `tessera tile info` lists its levels")
        }
        guard let bytes = try pyramid.tile(at: tile) else {
            throw ImageError(.invalidParameter, "tile \(tile) is missing; `tessera tile verify` lists missing tiles")
        }
        let file = try EncodedOutput(OutputLocation(output), overwrites: force)
        try file.write(bytes)
        try file.commit()
    }

    private func extract(_ level: Int, _ pyramid: any StoredPyramid) throws {
        let name = output == "-" ? "png" : FilePath(output).filenameExtension
        guard let format = registry.format(forFilenameExtension: name), registry.canEncode(format) else {
            throw ValidationError(
                "\(output) has no extension that names a format; use one of: \(FormatArgument.names(registry))")
        }
        let rows = try LevelRowSource(pyramid, level: level, codecs: registry)
        let file = try EncodedOutput(OutputLocation(output), overwrites: force)
        try ImageDestination(format: format, options: EncodingOptions(quality: 0.9), registry: registry)
            .encode(rows, to: file)
        try file.commit()
    }

    private func extract(_ layout: PyramidLayout, _ pyramid: any StoredPyramid) throws {
        let geometry = pyramid.geometry
        var settings = TileSettings()
        settings.layout = layout
        settings.isZipped = zip
        settings.tileSize = geometry.tileSize
        settings.overlap = geometry.overlap
        settings.overwrites = force
        settings.identifierBase = id.hasSuffix("/") ? String(id.dropLast()) : id
        settings.format = pyramid.format
        settings.registry = registry
        if let packed = pyramid as? PackedPyramid {
            (settings.quality, settings.background) = (packed.encoding.quality, packed.encoding.background)
        }
        let list = try TileList(.file(path), to: output, settings: settings)
        guard let entry = list.entries.first else { throw ValidationError("\(output) names no pyramid") }
        let target = try entry.geometry(of: geometry.size, settings)
        let sink = try entry.sink(target, entry.encoding(settings, hasAlpha: false), settings)
        try pyramid.copyTiles(to: sink, codecs: registry)
    }
}
