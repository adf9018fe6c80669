internal import ArgumentParser
internal import Tessera

/// The inputs and outputs of a batch as options of a command.
struct BatchArguments: ParsableArguments {
    @Option(
        name: [.long, .customShort("d")],
        help: ArgumentHelp("Write to this folder; it is made if need be.", valueName: "folder"),
        completion: .directory)
    var outputDir: String?

    @Option(help: ArgumentHelp("The format to write.", valueName: "format"))
    var to: FormatArgument?

    @Option(help: ArgumentHelp("Write this one of a file's pictures, the first being 0.", valueName: "number"))
    var frame: Int?

    @Flag(help: "Write each frame or page to a separate file: OUTPUT-0, OUTPUT-1 and so on.")
    var frames = false

    @Option(help: "How often an animation is played, 0 for without end. Default: as often as the input.")
    var loop: Int?

    @Flag(help: "Write the readable part of a damaged file too, with a warning.")
    var partial = false

    @Flag(name: .shortAndLong, help: "Take the folders in a folder, too.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Replace files that exist.")
    var force = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("How many files to work on at a time. Default: one per processor."))
    var jobs: Int?

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
        guard jobs.map({ $0 > 0 }) ?? true else { throw ValidationError("--jobs must be at least 1, not \(jobs ?? 0)") }
    }

    /// Which of a file's images are written.
    var selection: PictureSelection { frames ? .each : frame.map { .one($0) } ?? .all }

    /// Applies `settings`, which contain the encoding options `formats`, to the files called `names`.
    /// - Throws: `ExitCode` if some failed, reported on standard error; `ValidationError` or `ImageError` for invalid
    ///   names and for options that none of the outputs has.
    func run(_ names: [String], _ settings: ConversionSettings, formats: FormatOptionArguments) async throws {
        let list = try ConversionList(
            names, folder: outputDir, format: to?.format, isRecursive: recursive,
            choosesSmallest: settings.choosesSmallest)
        try formats.check(outputs: list.formats)
        let batch = ConversionBatch(list: list, settings: settings)
        guard await batch.run(jobs: jobs ?? ImageExecutor.processorCount) else { throw ExitCode.failure }
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
