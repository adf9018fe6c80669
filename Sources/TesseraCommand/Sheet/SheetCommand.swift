internal import ArgumentParser
internal import ImageFormats
internal import ImageIsolation
internal import Raster
internal import Tessera

/// `tessera sheet`: arranges many images in one.
struct SheetCommand: ParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "sheet",
        abstract: "Arrange pictures in a grid on one sheet, with their names: a contact sheet.",
        usage: "tessera sheet INPUT ... OUTPUT [options]",
        discussion: """
            INPUT is a file or a folder of pictures. OUTPUT's extension selects the format.

            Pictures are reduced to fit their cells, never enlarged. One row of cells is in memory at a time, so a \
            sheet can hold thousands of pictures. A picture that can't be read leaves its cell empty; the exit status \
            is then 1. If none can be read, no sheet is written. Animations show their first frame.

            EXAMPLES
              tessera sheet *.jpg sheet.jpg
              tessera sheet holiday --recursive sheet.png --columns 8 --cell 320x240
              tessera sheet *.png icons.webp --cell 64 --caption none --background '#202020'
            """)

    /// The text below each picture.
    enum Caption: String, ExpressibleByArgument, CaseIterable {
        case name, stem, none
    }

    @Argument(
        help: ArgumentHelp("Files and folders, and the output as the last.", valueName: "input"), completion: .file())
    var names: [String]

    @Option(help: ArgumentHelp("How many pictures a row has.", valueName: "count"))
    var columns = 6

    @Option(
        help: ArgumentHelp(
            "The size in which each picture must fit: 240x180, or 240 for both sides. (default: 240x180)",
            valueName: SizeArgument.valueName),
        transform: SizeArgument.parse)
    var cell = SizeArgument.box(width: 240, height: 180)

    @Option(help: ArgumentHelp("The space between pictures, and around them.", valueName: "pixels"))
    var gap = 16

    @Option(help: "The text below each picture: the file's name, the name without extension, or nothing.")
    var caption = Caption.name

    @Flag(name: .shortAndLong, help: "Include subfolders.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Replace an existing output.")
    var force = false

    @OptionGroup var report: ReportArguments

    @OptionGroup(title: "Encoding Options") var encoding: EncodingArguments

    @OptionGroup var limits: LimitsArguments

    @Flag(help: "Decode pictures in sandboxed processes.")
    var isolate = false

    func validate() throws {
        guard names.count >= 2 else {
            throw ValidationError("a sheet needs pictures or a folder, and an output as the last name")
        }
        guard columns >= 1, columns <= 1000 else {
            throw ValidationError("--columns is 1 to 1000, not \(columns)")
        }
        guard gap >= 0, gap <= 10_000 else { throw ValidationError("--gap is 0 to 10000, not \(gap)") }
        guard let size = cellSize, size.width <= 10_000, size.height <= 10_000 else {
            throw ValidationError("--cell is a width and a height of at most 10000 pixels, as in 240x180")
        }
    }

    private var cellSize: PixelSize? {
        guard case .box(let width?, let height?) = cell else { return nil }
        return PixelSize(width: width, height: height)
    }

    func run() throws {
        let registry = isolate ? try IsolatedDecoding().registry : CodecRegistry.default
        let output = OutputLocation(names[names.count - 1])
        let format = try outputFormat(output, registry)
        let inputs = FileList(
            names.dropLast(), isRecursive: recursive, excluding: names[names.count - 1], registry: registry)
        let pictures = inputs.paths
        for failure in inputs.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard !pictures.isEmpty else {
            throw ValidationError("there are no images in these folders; --recursive looks deeper")
        }
        try encoding.formats.check(outputs: [format])

        let layout = SheetLayout(
            count: pictures.count, columns: columns, cell: cellSize ?? PixelSize(width: 240, height: 180), gap: gap,
            hasCaptions: caption != .none)
        let progress = ProgressBar(total: pictures.count, isQuiet: report.quiet)
        let sheet = try SheetRowSource(
            pictures.map { SheetPicture(path: $0, caption: text(of: $0)) }, layout: layout,
            background: encoding.background,
            options: DecodingOptions(limits: limits.limits), registry: registry
        ) { message in progress.advance(message: message) }
        let file = try EncodedOutput(output, overwrites: force)
        try ImageDestination(format: format, options: encoding.options, registry: registry).encode(sheet, to: file)
        progress.finish()
        guard sheet.failureCount < pictures.count else {
            StandardError.report("none of the \(pictures.count) pictures can be read; \(output) isn't written")
            throw ExitCode.failure
        }
        try file.commit()
        report.record(
            [
                ("output", .string("\(output)")), ("width", .integer(layout.size.width)),
                ("height", .integer(layout.size.height)), ("pictures", .integer(pictures.count)),
                ("failed", .integer(sheet.failureCount)), ("outputBytes", .integer(file.byteCount)),
            ], pictures.joined(separator: "\n"))
        if !report.quiet {
            StandardError.note(
                "\(output): \(layout.size.width)x\(layout.size.height), \(pictures.count - sheet.failureCount) of "
                    + "\(pictures.count) pictures, \(ByteCount(file.byteCount))")
        }
        guard sheet.failureCount == 0, inputs.failures.isEmpty else { throw ExitCode.failure }
    }

    private func text(of path: String) -> String {
        caption == .name ? FilePath(path).name : caption == .stem ? FilePath(path).stem : ""
    }

    private func outputFormat(_ output: OutputLocation, _ registry: CodecRegistry) throws -> ImageFormat {
        guard case .file(let path) = output, !FileSystem.isFolder(path) else {
            throw ValidationError("the last name must be the sheet's file, and \(output) isn't one")
        }
        let name = FilePath(path).filenameExtension
        guard let format = registry.format(forFilenameExtension: name), registry.canEncode(format) else {
            throw ValidationError(
                "\(path) has no extension of a format that can be written, as in sheet.jpg: "
                    + FormatArgument.names(registry))
        }
        return format
    }
}
