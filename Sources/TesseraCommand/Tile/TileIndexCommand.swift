internal import ArgumentParser
internal import ImageFormats
internal import ImagePyramid
internal import Tessera

/// `tessera tile index`: makes the index files by which browsers show JPEGs of static servers.
struct TileIndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Make the index by which a browser zooms into a JPEG on a static server.",
        discussion: """
            The index of photo.jpg is photo.jpg.tessera, and goes beside it to the server: <tessera-image src="photo.jpg"> \
            reads an overview from the index, and full-resolution parts from photo.jpg itself, by byte ranges. The picture \
            stays as it is: a JPEG, baseline as cameras write them or progressive as web tools do, or a JPNG. A tile of a \
            progressive JPEG takes more bytes than one of a baseline JPEG, because they are spread over all scans; `jpegtran` \
            converts between the two without loss.

            The index contains the picture's small levels: from that of at most 2048 pixels on a side, or an eighth of a larger \
            picture. Levels between these and the full size are made from full-resolution data: at a quarter, 16 times as many \
            pixels as are shown. With --levels 2 the index has a quarter too, with --levels 1 a half; each makes it some four \
            times as large.

            EXAMPLES
              tessera tile index photo.jpg
              tessera tile index public/*.jpg --levels 2 --force
            """)

    @Argument(help: ArgumentHelp("JPEG or JPNG files.", valueName: "picture"), completion: .file())
    var paths: [String]

    @OptionGroup var options: WebIndexArguments

    @Flag(name: .shortAndLong, help: "Replace indexes that exist.")
    var force = false

    @OptionGroup var report: ReportArguments

    func run() throws {
        var failed = false
        for path in paths {
            do throws(ImageError) {
                let bytes = try WebIndex(of: Source(regularFile: path), options: options.options).bytes
                let output = path + WebIndex.suffix
                try FileSystem.write(bytes, to: output, overwrites: force)
                report.record(
                    [
                        ("input", .string(path)), ("output", .string(output)), ("outputBytes", .integer(bytes.count)),
                    ], "\(path) -> \(output): \(ByteCount(bytes.count))")
            } catch {
                report.printFailure(error, of: .file(path))
                failed = true
            }
        }
        if failed { throw ExitCode.failure }
    }
}

/// The options of an index for browsers.
struct WebIndexArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The finest level in the index: 3 is an eighth of the picture's size, 2 a quarter, 1 a half.",
            valueName: "level"))
    var levels: Int?

    @Option(help: ArgumentHelp("Quality of the index's levels, 0 to 1.", valueName: "quality"))
    var quality = 0.75

    func validate() throws {
        if let levels, !(1...5 ~= levels) { throw ValidationError("--levels is 1 to 5, not \(levels)") }
        guard 0...1 ~= quality else { throw ValidationError("a quality of \(quality) is not between 0 and 1") }
    }

    var options: WebIndex.Options { WebIndex.Options(firstLevel: levels, quality: quality) }
}
