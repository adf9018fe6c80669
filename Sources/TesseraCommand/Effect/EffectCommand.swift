internal import ArgumentParser
internal import ImageEffects
internal import Platform
internal import Tessera

/// `tessera effect`: applies effects to files.
struct EffectCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "effect",
        abstract: "Crop, scale, turn, colour, mask, round, shadow and reflect pictures.",
        usage: """
            tessera effect INPUT OUTPUT [effects] [options]
            tessera effect INPUT ... FOLDER [effects] [options]
            tessera effect INPUT ... --to FORMAT [--output-dir FOLDER] [effects] [options]
            tessera effect INPUT ... --recipe FILE.json [options]
            tessera effect --demo FOLDER
            """,
        discussion: """
            INPUT and OUTPUT are as in `tessera convert`: files, folders or `-`, with the format from the output's \
            extension or --to. Effects apply to each frame or page if the output format supports several.

            Effects are applied in the order of the list below, regardless of their order on the command line: \
            geometry, then colours and compositing, then corners, border, shadow and reflection, as in FXImageView. In \
            this order a shadow without blur and offset is skipped, and a reflection's gap is measured from the \
            picture, not from its shadow. --in-order applies effects exactly in the order given.

            Lengths are in pixels, or in points of --scale-factor pixels. Colours are written as in CSS, with optional \
            alpha: #fff, #336699, #00000080. Effects work in sRGB. Only the part and resolution of a picture that the \
            effects need is decoded.

            A recipe is a JSON array with an object per effect, in the order of application. Paths in it are relative \
            to its folder. --print-recipe prints the recipe for the options given.

            EXAMPLES
              tessera effect a.jpg b.png --fit 800x600 --radius 20 --shadow 0,4,12
              tessera effect a.jpg b.png --size 224x186 --reflect 0.5,10,0.25
              tessera effect a.jpg b.png --smart-crop 256x256 --circle --border 4,#fff
              tessera effect holiday -d small --to webp --fill 400x300 --sharpen 0.4
              tessera effect party.gif party.webp --fit 200x200 --grayscale
              tessera effect a.jpg b.jpg --overlay logo.png,20,20,southeast --quality 0.9
              tessera effect a.jpg b.jpg --text 'Lake Como' --font 'Serif Bold 48' --gravity south --text-offset 0,20
              tessera effect a.jpg b.jpg --text 'The old harbour in the morning' --font 32 --text-width 400
              tessera effect scan.png b.png --trim 0.05 --extend 800x600,white
              tessera effect a.jpg b.png --in-order --rotate 7 --crop 40,40,300,200
              tessera effect --fit 800x600 --circle --print-recipe > card.json
              tessera effect *.jpg --to png --recipe card.json
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String] = []

    @OptionGroup(title: "Effects, in the order in which they are applied") var effects: EffectArguments<ContentSize>

    @Flag(help: "Apply the effects in the order given instead.")
    var inOrder = false

    @Option(help: ArgumentHelp("Apply the effects in this recipe.", valueName: "file"), completion: .file())
    var recipe: String?

    @Flag(help: "Print the recipe for the effects given, and do nothing else.")
    var printRecipe = false

    @Option(help: ArgumentHelp("Pixels per unit of length.", valueName: "number"))
    var scaleFactor = 1.0

    @Flag(help: "Scale, rotate and blur in linear light.")
    var linearLight = false

    @Flag(
        name: .customLong("16-bit"),
        help: "Process with 16 bits per channel, and write 16 bits if the format supports them.")
    var isDeep = false

    @Option(
        help: ArgumentHelp(
            "The resampling filter: "
                + ResamplingFilter.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "name"),
        completion: .list(FilterArgument.allCases.map(\.rawValue)),
        transform: { try FilterArgument(rawValue: $0.lowercased())?.filter ?? Choice.parse($0) })
    var filter = ResamplingFilter.automatic

    @Option(
        help: ArgumentHelp("Metadata to keep: all (EXIF, XMP, resolution) or none. Default: none.", valueName: "what"),
        completion: Choice.completion(of: MetadataPolicy.self), transform: Choice.parse)
    var keep = MetadataPolicy.none

    @Option(
        help: ArgumentHelp(
            "Keep or drop a gain map, which makes an image bright on displays of high dynamic range, or regenerate it.",
            discussion: """
                It follows crops, scaling, flips and turns by 90°. Other effects drop it; with regenerate, effects on \
                colours keep it: the same gain applies to the new colours. Images in PQ or HLG are compressed to standard range.
                """))
    var gainMap = GainMapArgument.keep

    @OptionGroup var batch: BatchArguments

    @OptionGroup(title: "Encoding Options") var encoding: EncodingArguments

    @OptionGroup var limits: LimitsArguments

    @Option(
        help: ArgumentHelp(
            "Write effects.png, a sheet that shows every effect, to this folder.", valueName: "folder"),
        completion: .directory)
    var demo: String?

    func validate() throws {
        guard scaleFactor > 0, scaleFactor.isFinite else {
            throw ValidationError("--scale-factor is a number above 0, not \(scaleFactor)")
        }
        guard keep != .profile else {
            throw ValidationError("effects work in sRGB, so there is no profile to keep; --keep is all or none")
        }
        guard recipe == nil || effects.isEmpty else {
            throw ValidationError("--recipe can't be combined with effect options; add those effects to the recipe")
        }
        guard !names.isEmpty || printRecipe || demo != nil else {
            throw ValidationError("Missing expected argument '<input> ...'")
        }
        guard recipe != nil || !effects.isEmpty || demo != nil else {
            throw ValidationError(
                "no effect is given; add some, as in --fit 800x600 (`tessera convert` converts without)")
        }
        guard demo == nil || names.isEmpty && effects.isEmpty && recipe == nil && !printRecipe else {
            throw ValidationError("--demo FOLDER can't be combined with inputs, effects or --recipe")
        }
    }

    func run() async throws {
        if let demo { return try EffectDemo.write(to: demo, overwrites: batch.files.force) }
        let chain: EffectChain
        do {
            chain = try self.chain
        } catch let error as ImageError where error.code == .invalidParameter {
            throw ValidationError(error.message)
        }
        if recipe == nil { try Self.check(chain, options) }
        if printRecipe { return print(try EffectRecipe.text(chain)) }
        try await batch.run(names, settings(chain), formats: encoding.formats)
    }

    /// Checks the values that are invalid for every picture, before any is read.
    private static func check(_ chain: EffectChain, _ options: EffectOptions) throws {
        let context = try EffectContext(options: options)
        for effect in chain.effects {
            // A rectangle may lie within some pictures and outside others.
            if let crop = effect as? Effects.Crop, crop.outside == .intersected { continue }
            do throws(ImageError) {
                _ = try effect.resultSize(of: PixelSize(width: 1024, height: 1024), in: context)
            } catch  where error.code == .invalidParameter {
                throw ValidationError("\(effect.identity.name): \(error.message)")
            } catch {
                // A limit may be exceeded for this size only.
            }
        }
    }

    /// The options as settings of conversions that apply `chain`.
    func settings(_ chain: EffectChain) -> ConversionSettings {
        ConversionSettings(
            change: .effects(EffectWork(chain: chain, options: options)), color: .sRGB, keeping: keep,
            gainMap: gainMap, selection: batch.selection, loopCount: batch.loop,
            depth: options.bitsPerChannel, limits: limits.limits, encoding: encoding.options, choosesSmallest: false,
            keepsPartial: batch.partial)
    }

    private var options: EffectOptions {
        var options = EffectOptions(
            units: .pointsOf(scale: scaleFactor), filter: filter, linearLight: linearLight,
            bitsPerChannel: isDeep ? 16 : 8)
        // A pixel limit applies to the results of effects as well as to the input.
        let pixelCount = limits.limits.maximumPixelCount
        if pixelCount != DecodingLimits.standard.maximumPixelCount { options.maximumPixelCount = pixelCount }
        return options
    }

    private var chain: EffectChain {
        get throws {
            if let recipe { return try EffectRecipe.read(recipe) }
            return inOrder
                ? try effects.chain(
                    orderedBy: ProgramArguments.all, EffectRecipe.readPicture)
                : try effects.chain(EffectRecipe.readPicture)
        }
    }
}
