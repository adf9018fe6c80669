internal import ArgumentParser
internal import Tessera

/// `tessera convert`: files in, files out.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert pictures to another format, size or colour space.",
        usage: """
            tessera convert INPUT OUTPUT [options]
            tessera convert INPUT ... FOLDER [--to FORMAT] [options]
            tessera convert INPUT ... --to FORMAT [--output-dir FOLDER] [options]
            """,
        discussion: """
            INPUT is a file, `-` for standard input, or a folder, which stands for the pictures in it.

            Two names without --to are an input and an output, whose extension says the format. With an existing \
            folder as the last name, or with --output-dir, the outputs go there under the inputs' names. With --to \
            alone they go beside the inputs, under the format's extension. `-` as the last of two names is standard \
            output.

            Pictures come out upright and in sRGB, and files say nothing of where and by what they were taken; --keep \
            keeps that. A file of several pictures stays one where the format holds them: an animation's frames, a \
            TIFF's pages, an icon's sizes. An output appears whole or not at all, and no file is replaced \
            without --force. Of many files, a bad one doesn't stop the others: the exit status is 1 at the end.

            EXAMPLES
              tessera convert cutout.png cutout.jpng --quality 0.9
              tessera convert photo.jpg thumbnail.jpg --size 400x400
              tessera convert *.png --to jpng --smallest
              tessera convert party.gif party.webp --lossless
              tessera convert party.gif frame.png --frame 3
              tessera convert scan.tif page.png --frames
              tessera convert logo.svg logo.png --size 2000x2000
              tessera convert photo.jpg photo.jxl --lossless --keep all
              tessera convert holiday --recursive --size 1600x1600 --output-dir small
              curl -s https://example.org/a.png | tessera convert - - --to jpng > a.jpng
            """)

    @Argument(help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"))
    var names: [String]

    @Option(
        name: [.long, .customShort("d")],
        help: ArgumentHelp("Write to this folder; it is made if need be.", valueName: "folder"),
        completion: .directory)
    var outputDir: String?

    @Option(help: ArgumentHelp("The format to write.", valueName: "format"))
    var to: FormatArgument?

    @Option(
        help: ArgumentHelp("Make pictures fit within this size. Only drawings (SVG) are enlarged.", valueName: "WxH"),
        transform: PixelSize.parse)
    var size: PixelSize?

    @Option(
        help: "srgb: convert colours to sRGB. keep: leave them as stored, with their profile. Default: as --keep says.")
    var color: ColorArgument?

    @Option(
        help: ArgumentHelp(
            "What to keep beside the pixels: all (profile, EXIF, XMP, resolution), profile or none.",
            discussion: "Pixels are turned upright, and what is kept says so.", valueName: "what"),
        transform: Choice.parse)
    var keep = MetadataPolicy.none

    @Option(help: ArgumentHelp("Write this one of a file's pictures, the first being 0.", valueName: "number"))
    var frame: Int?

    @Flag(help: "Write each of a file's pictures to a file of its own: OUTPUT-0, OUTPUT-1 and so on.")
    var frames = false

    @Option(help: "How often an animation is played, 0 for without end. Default: as often as the input.")
    var loop: Int?

    @Option(help: "Write at most 8 or 16 bits per channel. Default: what the input and the format have.")
    var depth: Int?

    @OptionGroup(title: "Encoding Options") var encoding: EncodingArguments

    @OptionGroup var limits: LimitsArguments

    @Flag(help: "With --to jpng: write a PNG instead where that is smaller.")
    var smallest = false

    @Flag(help: "Write what there is of a damaged picture, too, and say what is wrong with it.")
    var partial = false

    @Flag(name: .shortAndLong, help: "Take the folders in a folder, too.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Replace files that exist.")
    var force = false

    @Option(
        name: .shortAndLong, help: ArgumentHelp("How many files to work on at a time. Default: one per processor."))
    var jobs: Int?

    /// What becomes of colours.
    enum ColorArgument: String, ExpressibleByArgument, CaseIterable {
        case srgb, keep
    }

    func validate() throws {
        guard depth == nil || depth == 8 || depth == 16 else {
            throw ValidationError("--depth is 8 or 16, not \(depth ?? 0)")
        }
        guard frame.map({ $0 >= 0 }) ?? true else { throw ValidationError("--frame counts from 0") }
        guard frame == nil || !frames else { throw ValidationError("--frame and --frames exclude each other") }
        guard loop.map({ $0 >= 0 && $0 <= 65535 }) ?? true else {
            throw ValidationError("--loop is 0 to 65535, not \(loop ?? 0)")
        }
        guard jobs.map({ $0 > 0 }) ?? true else { throw ValidationError("--jobs must be at least 1") }
        guard !smallest || to?.format == .jpng else {
            throw ValidationError("--smallest chooses between PNG and JPNG and so the extension: use it with --to jpng")
        }
    }

    func run() async throws {
        let list = try ConversionList(
            names, folder: outputDir, format: to?.format, isRecursive: recursive, choosesSmallest: smallest)
        let settings = ConversionSettings(
            size: size, color: color.map { $0 == .srgb ? .sRGB : .asStored } ?? keep.color, keeping: keep,
            selection: frames ? .each : frame.map { .one($0) } ?? .all, loopCount: loop, depth: depth,
            limits: limits.limits, encoding: encoding.options,
            choosesSmallest: smallest, keepsPartial: partial, overwrites: force)
        let batch = ConversionBatch(list, settings: settings)
        guard await batch.run(jobs: jobs ?? ImageExecutor.processorCount) else { throw ExitCode.failure }
    }
}
