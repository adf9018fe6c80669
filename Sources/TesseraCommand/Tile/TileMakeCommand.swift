internal import ArgumentParser
internal import Tessera

/// `tessera tile INPUT OUTPUT`: divides images into tile pyramids.
struct TileMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Build tile pyramids from pictures. The word `make` is optional.",
        usage: """
            tessera tile INPUT OUTPUT [options]
            tessera tile INPUT ... FOLDER/ [--layout LAYOUT] [options]
            """,
        discussion: """
            INPUT is a file, a folder of pictures, or `-` for standard input. Each picture becomes a pyramid: the full \
            picture and successive halves down to a single tile, divided into square tiles. The picture is decoded \
            once, from top to bottom, and is never in memory as a whole if its format allows. Tiles are upright and in \
            sRGB. Pictures with transparency give WebP tiles, others JPEG. --format jpg, and tiff, whose tiles are \
            JPEG, draw transparent pictures over --background.

            LAYOUT is one of
              packed    one file with an index, OUTPUT.pyramid: the fastest to make and to serve
              deepzoom  OUTPUT.dzi and OUTPUT_files, for OpenSeadragon and others
              zoomify   a folder with ImageProperties.xml
              google    a folder of LEVEL/ROW/COLUMN, as Google Maps has it
              iiif3     a folder that answers to the IIIF Image API 3.0, level 0
              iiif2     the same for version 2.1
              tiff      a tiled BigTIFF with a page for each level

            Without --layout, OUTPUT's extension selects it (.pyramid, .dzi, .tif); the default is deepzoom. With \
            --zip, or if OUTPUT ends in .zip or .szi, the files of a tree are stored in one archive without \
            compression. Trees are named as libvips names them. With several inputs, or a slash at the end of the last \
            name, pyramids are written to that folder under the inputs' names.

            An output appears when it is complete, and existing files are replaced only with --force. With --resume, \
            an interrupted run leaves its work in OUTPUT.part, and the same command continues from it; archives and \
            TIFF start again.

            EXAMPLES
              tessera tile scan.tif scan.pyramid
              tessera tile photo.jpg site/photo --layout deepzoom --overlap 1
              tessera tile photo.jpg site/photo --layout iiif3 --tile-size 512 --id https://example.org/iiif
              tessera tile photo.png photo.szi --format png
              tessera tile slides pyramids/ --layout packed --resume
              tessera tile s3://scans/map.tif s3://maps/map.pyramid
              curl -s https://example.org/large.jpg | tessera tile - large.pyramid
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one is the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Option(
        help: ArgumentHelp("packed, deepzoom, zoomify, google, iiif3, iiif2 or tiff.", valueName: "layout"),
        completion: Choice.completion(of: PyramidLayout.self), transform: Choice.parse)
    var layout: PyramidLayout?

    @Flag(help: "Write a tree's files into one zip archive.")
    var zip = false

    @Option(help: ArgumentHelp("Tile width and height in pixels.", valueName: "pixels"))
    var tileSize = 256

    @Option(
        help: ArgumentHelp("Deep Zoom and packed: overlap of neighbouring tiles in pixels.", valueName: "pixels")
    )
    var overlap = 0

    @Option(
        help: ArgumentHelp("Quality of lossy tiles, 0 to 1.", valueName: "quality"))
    var quality = 0.75

    @Option(
        help: ArgumentHelp(
            "Format of the tiles: jpg, png, webp or jpng. Default: jpg, and webp for pictures with transparency.",
            valueName: "format"))
    var format: TileFormatArgument?

    @Option(
        help: ArgumentHelp(
            "Background for --format jpg, which has no transparency: a CSS colour name or hexadecimal digits. Default: white.",
            valueName: "color"),
        completion: CSSColor.completion, transform: CSSColor.parseOpaque)
    var background = RGBA8(255, 255, 255)

    @Option(
        help: ArgumentHelp(
            "IIIF: the URL of the folder from which the tree will be served.", valueName: "address"))
    var id = "https://example.com/iiif"

    @Option(help: "Keep an image's gain map, with each JPEG tile its piece, or drop it.")
    var gainMap = TileGainMapArgument.keep

    @Flag(help: "Keep partial work when interrupted, and resume from it.")
    var resume = false

    @Flag(help: "Also write the intact part of a damaged file, with a warning.")
    var partial = false

    @Flag(name: .shortAndLong, help: "Include subfolders.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Replace existing pyramids.")
    var force = false

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    /// What `--gain-map` does with the tiles of an image with a gain map.
    enum TileGainMapArgument: String, ExpressibleByArgument, CaseIterable {
        case keep, drop
    }

    /// The formats of tiles.
    enum TileFormatArgument: String, ExpressibleByArgument, CaseIterable {
        case jpg, png, webp, jpng

        var format: ImageFormat? { ImageFormat(filenameExtension: rawValue) }
    }

    func validate() throws {
        if quality >= 10, quality <= 100 {
            throw ValidationError("a quality of \(quality) is not between 0 and 1; did you mean \(quality / 100)?")
        }
        guard 0...1 ~= quality else { throw ValidationError("a quality of \(quality) is not between 0 and 1") }
        guard 1...PyramidGeometry.maximumTileSize ~= tileSize else {
            throw ValidationError("--tile-size is 1 to \(PyramidGeometry.maximumTileSize), not \(tileSize)")
        }
        guard 0...tileSize ~= overlap else {
            throw ValidationError("--overlap is 0 to the tile size, \(tileSize), not \(overlap)")
        }
        guard names.count > 1 else {
            throw ValidationError("an output is missing: tessera tile INPUT OUTPUT")
        }
        if let format = format?.format, !CodecRegistry.default.canEncode(format) {
            throw ValidationError("\(format) can't be written by this program; `tessera formats` lists the others")
        }
    }

    func run() async throws {
        let settings = TileSettings(
            layout: layout, isZipped: zip, tileSize: tileSize, overlap: overlap,
            format: format?.format, quality: quality, background: background,
            identifierBase: id.hasSuffix("/") ? String(id.dropLast()) : id, resumes: resume, keepsPartial: partial,
            keepsGainMap: gainMap == .keep, overwrites: force, limits: limits.limits)
        let list = try TileList(names, settings: settings, isRecursive: recursive)
        let batch = TileBatch(list: list, settings: settings, report: report)
        guard await Interruption.cancelling({ await batch.run() }) else { throw ExitCode.failure }
    }
}
