internal import ArgumentParser
internal import ImageIsolation
internal import Tessera

/// `tessera convert`: converts files.
struct ConvertCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert pictures to another format, size or colour space.",
        usage: """
            tessera convert INPUT OUTPUT [options]
            tessera convert INPUT ... FOLDER [--to FORMAT] [options]
            tessera convert INPUT ... --to FORMAT [--output-dir FOLDER] [options]
            tessera convert INPUT ... --sizes SIZE,... --to FORMAT,... [--srcset] [options]
            """,
        discussion: """
            INPUT is a file, a folder of pictures, or `-` for standard input.

            Two names without --to are an input and an output, whose extension selects the format. If the last name is \
            an existing folder, or with --output-dir, outputs are written to that folder under the inputs' names. With \
            --to alone they are written next to the inputs. `-` as the second of two names is standard output.

            Output is upright and in sRGB, without metadata unless --keep is given. Animations, multi-page TIFFs and \
            icons keep all their images where the output format supports several. Each output appears complete or not \
            at all, and existing files are replaced only with --force. A failed file doesn't stop the others; the exit \
            status is then 1.

            --name names outputs by a template, and --in-place replaces the inputs. Lossy formats lose quality each \
            time they are encoded, and metadata not named in --keep is lost.

            --sizes, and several formats in --to, write several files per input, which is decoded once. Their names \
            are {stem}-{width}.{ext} unless --name differs. Images are never enlarged: sizes larger than the image \
            give one output in its own size. --srcset prints the HTML that lets browsers choose among the files.

            Converting a folder again skips up-to-date outputs and ignores earlier outputs as inputs. --update also \
            replaces outputs older than their inputs, and --dry-run only prints what would be written. The exit status \
            is 0 if there is nothing left to do. --watch goes on with the files that appear or change.

            EXAMPLES
              tessera convert cutout.png cutout.jpng --quality 0.9
              tessera convert photo.jpg photo.avif --dynamic-range high
              tessera convert photo.avif photo.jpg --gain-map regenerate
              tessera convert photo.jpg thumbnail.jpg --size 400x400
              tessera convert *.png --to jpng --smallest
              tessera convert party.gif party.webp --lossless
              tessera convert party.gif frame.png --frame 3
              tessera convert scan.tif page.png --frames
              tessera convert logo.svg logo.png --size 2000x2000
              tessera convert paper.pdf page.png --size 2000 --frame 2
              tessera convert photo.jpg photo.jxl --lossless --keep all
              tessera convert scan.tif scan.jp2 --lossless --jp2-tile 512x512
              tessera convert holiday --recursive --size 1600x1600 --output-dir small
              tessera convert s3://photos/2024/ --to avif --output-dir s3://web/2024
              tessera convert *.jpg --to webp --size 800x800 --name '{stem}-{width}.{ext}'
              tessera convert photo.jpg --sizes 400x,800x,1600x --to avif,webp,jpg --srcset
              tessera convert *.png --in-place --compression-level 9 --keep all
              tessera convert holiday --recursive --to webp --update --dry-run
              tessera convert inbox --output-dir web --to webp --size 1600 --watch
              tessera convert s3://photos/a.jpg s3://web/a.webp --size 800
              curl -s https://example.org/a.png | tessera convert - - --to jpng > a.jpng
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Option(
        help: ArgumentHelp(
            "Make pictures fit within this size: 800x600, 800x, x600, 800 for both sides, or 50%. Only drawings (SVG, PDF) "
                + "are enlarged.", valueName: SizeArgument.valueName),
        transform: SizeArgument.parse)
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp(
            "Write each picture in several sizes, each as in --size.", valueName: "size,..."),
        transform: {
            try $0.split(separator: ",", omittingEmptySubsequences: false).map { try SizeArgument.parse(String($0)) }
        })
    var sizes: [SizeArgument] = []

    @Flag(
        help: "With --sizes: print the HTML of a <picture> or <img> for each input, the last format for every browser.")
    var srcset = false

    @Option(help: FilterArgument.help)
    var filter: FilterArgument?

    @Option(
        help: "srgb: convert colours to sRGB. keep: leave them as stored, with their profile. Default: as --keep says.")
    var color: ColorArgument?

    @Option(
        help: ArgumentHelp(
            "Metadata to keep: all (profile, EXIF, XMP, resolution), profile or none. Default: none.",
            discussion: "Pixels are rotated upright, and the EXIF orientation is reset.", valueName: "what"),
        completion: Choice.completion(of: MetadataPolicy.self), transform: Choice.parse)
    var keep = MetadataPolicy.none

    @Option(
        help: ArgumentHelp(
            "Keep or drop a gain map, which makes an image bright on displays of high dynamic range; regenerate makes one.",
            discussion: "JPEG, HEIC, AVIF and JPEG XL can hold one. A map can be made from an image in PQ or HLG."))
    var gainMap = GainMapArgument.keep

    @Option(
        help: ArgumentHelp(
            "standard: compress PQ and HLG to sRGB. high: write PQ, from PQ, HLG or a gain map. stored: leave PQ and HLG "
                + "as they are. Default: standard, or stored with --color keep.",
            discussion: "PNG, AVIF, HEIC and JPEG XL hold PQ and HLG. A JPEG gets a gain map instead."))
    var dynamicRange: DynamicRangeArgument?

    @Option(
        help: ArgumentHelp(
            "With --dynamic-range high: how many times as bright as white the brightest pixel may be. Default: no limit.",
            valueName: "factor"))
    var headroom: Double?

    @Option(
        help: "Write at most 8 or 16 bits per channel. Default: what the input and the format have.",
        completion: .list(["8", "16"]))
    var depth: Int?

    @OptionGroup var batch: BatchArguments

    @OptionGroup(title: "Encoding Options") var encoding: EncodingArguments

    @OptionGroup var limits: LimitsArguments

    @Flag(
        help: ArgumentHelp(
            "Decode pictures in sandboxed processes.",
            discussion: """
                For untrusted files: such a process has no network, no files except its input, and fixed limits. If a \
                file crashes its decoder, only that file fails. Adds some milliseconds per picture.
                """))
    var isolate = false

    @Flag(help: "With --to jpng: write a PNG instead if that is smaller.")
    var smallest = false

    /// The dynamic range of the output.
    enum DynamicRangeArgument: String, ExpressibleByArgument, CaseIterable {
        case standard, high, stored
    }

    /// The colour space of the output.
    enum ColorArgument: String, ExpressibleByArgument, CaseIterable {
        case srgb, keep
    }

    func validate() throws {
        guard depth == nil || depth == 8 || depth == 16 else {
            throw ValidationError("--depth is 8 or 16, not \(depth ?? 0)")
        }
        guard headroom == nil || dynamicRange == .high else {
            throw ValidationError("--headroom limits high dynamic range; add --dynamic-range high")
        }
        guard (headroom ?? 1) >= 1 else {
            throw ValidationError("--headroom is at least 1, white itself, not \(headroom ?? 0)")
        }
        guard sizes.isEmpty || dynamicRange != .high && gainMap != .regenerate else {
            throw ValidationError("--sizes can't be combined with --dynamic-range high or --gain-map regenerate")
        }
        guard filter == nil || size != nil || !sizes.isEmpty else {
            throw ValidationError("--filter selects how --size makes images smaller; add --size SIZE")
        }
        guard !smallest || batch.to?.formats == [.jpng] else {
            throw ValidationError("--smallest chooses between PNG and JPNG and so the extension: use it with --to jpng")
        }
        guard sizes.isEmpty || size == nil else {
            throw ValidationError("--size is one size and --sizes are several; use one of the two options")
        }
        guard sizes.isEmpty || !batch.files.inPlace && !batch.frames && !smallest else {
            throw ValidationError("--sizes writes new files: it excludes --in-place, --frames and --smallest")
        }
        guard sizes.count < 2 || batch.name.map(\.needsSize) ?? true else {
            throw ValidationError("several sizes need several names; write {width} or {height} in --name")
        }
        guard !srcset || !sizes.isEmpty else {
            throw ValidationError("--srcset describes files of several sizes; add --sizes, as in --sizes 400x,800x")
        }
        guard !srcset || !batch.report.json else {
            throw ValidationError("--srcset and --json both print to standard output; use one of them")
        }
    }

    func run() async throws {
        let list = try await batch.run(names, settings(), sizes: sizes, formats: encoding.formats)
        guard srcset, !batch.files.dryRun else { return }
        for picture in ResponsivePicture.all(in: list) { print(picture.html) }
    }

    /// The options as settings of conversions.
    func settings() throws -> ConversionSettings {
        var settings = ConversionSettings(
            change: .fitting(size, filter?.filter ?? .automatic),
            color: color.map { $0 == .srgb ? .sRGB : .asStored } ?? keep.color, keeping: keep,
            gainMap: gainMap, dynamicRange: range, selection: batch.selection, loopCount: batch.loop, depth: depth,
            limits: limits.limits,
            encoding: encoding.options, choosesSmallest: smallest, keepsPartial: batch.partial)
        // A high range is made by conversion.
        if dynamicRange == .high { settings.color = .sRGB }
        if isolate { settings.registry = try IsolatedDecoding().registry }
        return settings
    }

    private var range: DynamicRange {
        switch dynamicRange {
        case .standard: .standard
        case .high: .high(headroom: headroom ?? .infinity)
        case .stored: .asStored
        case nil: .standard
        }
    }
}
