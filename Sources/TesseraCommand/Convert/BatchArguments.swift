internal import ArgumentParser
internal import Tessera

/// The inputs and outputs of a batch as options of a command.
struct BatchArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The format to write, or several separated by commas.", valueName: "format"))
    var to: FormatListArgument?

    @Option(
        help: ArgumentHelp(
            "Name outputs by this template, as in {stem}-{width}.{ext}.",
            discussion: """
                {stem} is the input's name without extension, {width} and {height} are the output's size in pixels, \
                and {ext} is the format's extension.
                """,
            valueName: "template"),
        transform: NameTemplate.init)
    var name: NameTemplate?

    @Option(help: ArgumentHelp("Write only this image of the file, counted from 0.", valueName: "number"))
    var frame: Int?

    @Flag(help: "Write each frame or page to a separate file: OUTPUT-0, OUTPUT-1 and so on.")
    var frames = false

    @Option(help: "Number of times an animation plays, 0 for endless. Default: the input's.")
    var loop: Int?

    @Flag(help: "Also write the intact part of a damaged file, with a warning.")
    var partial = false

    @Flag(
        help: ArgumentHelp(
            "Go on with the pictures that appear or change in the folders, until Ctrl-C.",
            discussion: "Outputs older than their inputs are replaced, as with --update."))
    var watch = false

    @OptionGroup var files: FileArguments

    @OptionGroup var report: ReportArguments

    func validate() throws {
        guard frame.map({ $0 >= 0 }) ?? true else {
            throw ValidationError("--frame must be at least 0, not \(frame ?? 0)")
        }
        guard frame == nil || !frames else {
            throw ValidationError("--frame and --frames can't be combined; use one of them")
        }
        guard loop.map({ $0 >= 0 && $0 <= 65535 }) ?? true else {
            throw ValidationError("--loop is 0 to 65535, not \(loop ?? 0)")
        }
        guard !files.inPlace || to == nil && name == nil && !frames && !partial else {
            throw ValidationError("--in-place writes to the inputs: it excludes --to, --name, --frames and --partial")
        }
        guard !watch || !files.inPlace && !files.force && !files.dryRun else {
            throw ValidationError("--watch replaces outdated outputs: it excludes --in-place, --force and --dry-run")
        }
        guard !frames || name.map({ !$0.needsSize }) ?? true else {
            throw ValidationError(
                "--frames writes images that may differ in size; use --name without {width}, {height}")
        }
    }

    /// Which of a file's images are written.
    var selection: PictureSelection { frames ? .each : frame.map { .one($0) } ?? .all }

    /// Applies `settings`, which contain the encoding options `formats`, to the files called `names`.
    /// - Parameter sizes: The boxes of an input's outputs; empty for one output of the size that the settings give it.
    /// - Returns: The list of the conversions.
    /// - Throws: `ExitCode` if some failed, reported on standard error; `ValidationError` or `ImageError` for invalid
    ///   names and for options that none of the outputs has.
    @discardableResult
    func run(
        _ names: [String], _ settings: ConversionSettings, sizes: [SizeArgument] = [], formats: FormatOptionArguments
    ) async throws -> ConversionList {
        var settings = settings
        settings.overwrites = watch ? !files.skipExisting : files.overwrites
        settings.replacesInputs = files.inPlace
        let list = try list(names, settings, sizes: sizes)
        guard !watch else {
            try await watch(list, names, settings, sizes: sizes, formats: formats)
            return list
        }
        try formats.check(outputs: list.formats)
        if settings.encoding.isLossless { try list.checkLossless() }
        guard !report.json || !list.entries.contains(where: { $0.output == .standardOutput }) else {
            throw ValidationError("--json prints to standard output, to which the image goes; give it a file")
        }
        let batch = ConversionBatch(list: list, settings: settings, report: report)
        guard !files.dryRun else {
            guard batch.printPlan() else { throw ExitCode.failure }
            return list
        }
        guard await batch.run(jobs: files.jobCount) else { throw ExitCode.failure }
        return list
    }
}

extension BatchArguments {
    /// Determines the input and output of each conversion.
    func list(
        _ names: [String], _ settings: ConversionSettings, sizes: [SizeArgument]
    ) throws -> ConversionList {
        try ConversionList(
            names,
            options: OutputOptions(
                folder: files.outputDir, formats: to?.formats ?? [], sizes: sizes,
                template: try name ?? (sizes.isEmpty ? nil : NameTemplate("{stem}-{width}.{ext}")),
                replacesInputs: files.inPlace, isRecursive: files.recursive,
                choosesSmallest: settings.choosesSmallest, selection: settings.selection,
                existing: watch && !files.skipExisting ? .update : files.existing),
            outputSize: settings.outputSize)
    }
}

/// Which of a file's images are written.
enum PictureSelection: Hashable, Sendable {
    /// All in one file if the format can hold them, else the file's primary image.
    case all
    /// The image at this index, counted from 0.
    case one(Int)
    /// Each image in a separate file.
    case each
}
