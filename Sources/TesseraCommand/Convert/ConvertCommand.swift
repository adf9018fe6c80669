internal import ArgumentParser
internal import ImageIsolation
internal import Tessera

/// `tessera convert`: converts files.
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

            --name calls outputs by a template, and --in-place writes each output over its input. Lossy formats lose \
            a little each time they are written, and metadata that --keep doesn't name is lost.

            A folder can be converted again: outputs that an earlier run left in it aren't inputs, and a picture is \
            skipped if its output exists and isn't older. --update replaces outputs that are older than their inputs, \
            and --dry-run shows what would be written. The exit status is 0 if nothing is left to do.

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
              tessera convert *.jpg --to webp --size 800x800 --name '{stem}-{width}.{ext}'
              tessera convert *.png --in-place --compression-level 9 --keep all
              tessera convert holiday --recursive --to webp --update --dry-run
              curl -s https://example.org/a.png | tessera convert - - --to jpng > a.jpng
            """)

    @Argument(help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"))
    var names: [String]

    @Option(
        help: ArgumentHelp(
            "Make pictures fit within this size: 800x600, 800x, x600, 800 for both sides, or 50%. Only drawings (SVG) "
                + "are enlarged.", valueName: SizeArgument.valueName),
        transform: SizeArgument.parse)
    var size: SizeArgument?

    @Option(help: FilterArgument.help)
    var filter: FilterArgument?

    @Option(
        help: "srgb: convert colours to sRGB. keep: leave them as stored, with their profile. Default: as --keep says.")
    var color: ColorArgument?

    @Option(
        help: ArgumentHelp(
            "Keep beside the pixels: all (profile, EXIF, XMP, resolution), profile or none.",
            discussion: "Pixels are turned upright, and what is kept says so.", valueName: "what"),
        transform: Choice.parse)
    var keep = MetadataPolicy.none

    @Option(
        help: ArgumentHelp(
            "Keep or drop a gain map, which makes a JPEG bright on displays of high dynamic range.",
            discussion: "Formats other than JPEG can't hold one."))
    var gainMap = GainMapArgument.keep

    @Option(help: "Write at most 8 or 16 bits per channel. Default: what the input and the format have.")
    var depth: Int?

    @OptionGroup var batch: BatchArguments

    @OptionGroup(title: "Encoding Options") var encoding: EncodingArguments

    @OptionGroup var limits: LimitsArguments

    @Flag(
        help: ArgumentHelp(
            "Decode pictures in processes that can do no harm.",
            discussion: """
                For files from strangers: such a process has no network and no files but what it is handed, and is held \
                to limits. If a file crashes its decoder, only that file fails. Takes some milliseconds for each picture.
                """))
    var isolate = false

    @Flag(help: "With --to jpng: write a PNG instead where that is smaller.")
    var smallest = false

    /// The colour space of the output.
    enum ColorArgument: String, ExpressibleByArgument, CaseIterable {
        case srgb, keep
    }

    func validate() throws {
        guard depth == nil || depth == 8 || depth == 16 else {
            throw ValidationError("--depth is 8 or 16, not \(depth ?? 0)")
        }
        guard filter == nil || size != nil else {
            throw ValidationError("--filter selects how --size makes images smaller; add --size SIZE")
        }
        guard !smallest || batch.to?.format == .jpng else {
            throw ValidationError("--smallest chooses between PNG and JPNG and so the extension: use it with --to jpng")
        }
    }

    func run() async throws { try await batch.run(names, settings(), formats: encoding.formats) }

    /// The options as settings of conversions.
    func settings() throws -> ConversionSettings {
        var settings = ConversionSettings(
            change: .fitting(size, filter?.filter ?? .automatic),
            color: color.map { $0 == .srgb ? .sRGB : .asStored } ?? keep.color, keeping: keep,
            keepsGainMap: gainMap == .keep, selection: batch.selection, loopCount: batch.loop, depth: depth,
            limits: limits.limits,
            encoding: encoding.options, choosesSmallest: smallest, keepsPartial: batch.partial)
        if isolate { settings.registry = try IsolatedDecoding().registry }
        return settings
    }
}
