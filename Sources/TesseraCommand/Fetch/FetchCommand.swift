internal import ArgumentParser
internal import ImageEffects
internal import Tessera

/// `tessera fetch`: loads URLs and writes files.
struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetch pictures from servers concurrently, resized and with effects if requested.",
        usage: """
            tessera fetch URL ... [--out FOLDER] [options]
            tessera fetch URL ... --size SIZE [effects] [--to FORMAT] [--out FOLDER] [options]
            """,
        discussion: """
            URL is an http, https, file or data URL, a path, or `-` to read URLs from standard input, one per line.

            Files are named after the last component of their URLs, with the extension of the actual format; \
            duplicates get -2, -3 and so on. Bytes are written as received. With --size, effects, --recipe or --to the \
            picture is decoded, changed and encoded again: in the format of --to, or as JPEG if it is opaque and PNG \
            if not; animations stay animations. Effects are those of `tessera effect`, in the same order.

            Interrupted downloads are resumed, and requests to busy servers are retried. A file appears complete or \
            not at all, and existing files are replaced only with --force. A failed URL doesn't stop the others; the \
            exit status is then 1. The table lists where each picture came from (network, disk, revalidated: on disk \
            and confirmed by the server, memory, joined: shared with another request, local) and the time of each \
            stage.

            EXAMPLES
              tessera fetch https://example.org/a.jpg https://example.org/b.png --out pictures
              tessera fetch - --out pictures --jobs 12 < urls.txt
              tessera fetch https://example.org/a.jpg --size 400 --radius 20 --to webp
              tessera fetch https://example.org/photo.jpg --previews
              tessera fetch s3://photos/survey.jpg --out pictures
              tessera fetch https://example.org/a.jpg --cache ~/.cache/pictures --cache-policy revalidate
              tessera fetch https://example.org/private.png --header 'Authorization: Bearer abc'
            """)

    @Argument(help: ArgumentHelp("URLs, paths or `-`.", valueName: "url"), completion: .file())
    var addresses: [String]

    @Option(
        name: [.customLong("out"), .customLong("output-dir"), .customShort("d"), .customShort("o")],
        help: ArgumentHelp(
            "Write to this folder, which is created if needed. Default: the current one.", valueName: "folder"),
        completion: .directory)
    var folder = ""

    @Option(
        help: ArgumentHelp(
            "Decode pictures to fit within this size, before any effect: 800x600, 800x, x600, or 800 for both sides.",
            valueName: SizeArgument.valueName),
        transform: Self.parseSize)
    var size: PixelSize?

    @Option(help: FilterArgument.help)
    var filter: FilterArgument?

    @Option(help: ArgumentHelp("The format to write.", valueName: "format"))
    var to: FormatArgument?

    @Flag(help: "Also write previews as they arrive: NAME.preview-1.png and so on.")
    var previews = false

    @Flag(name: .shortAndLong, help: "Replace existing files.")
    var force = false

    @OptionGroup(title: "Loading Options") var loading: FetchArguments

    @OptionGroup(title: "Effects, in the order in which they are applied") var effects: EffectArguments<NoViewSize>

    @Option(help: ArgumentHelp("Apply the effects in this recipe.", valueName: "file"), completion: .file())
    var recipe: String?

    @OptionGroup(title: "Encoding Options") var encoding: EncodingArguments

    @OptionGroup var limits: LimitsArguments

    private static func parseSize(_ argument: String) throws -> PixelSize {
        guard case .box(let width, let height) = try SizeArgument.parse(argument) else {
            throw ValidationError("a share of the size isn't known before a picture is loaded; write pixels")
        }
        // No side is longer by the standard limits.
        let longest = DecodingLimits.standard.maximumSideLength
        return PixelSize(width: width ?? longest, height: height ?? longest)
    }

    func validate() throws {
        guard addresses.count(where: { $0 == "-" }) <= 1 else {
            throw ValidationError("standard input can be read only once; write - once")
        }
        guard filter == nil || size != nil || !effects.isEmpty || recipe != nil else {
            throw ValidationError("--filter selects how images are made smaller; add --size or an effect that scales")
        }
        guard recipe == nil || effects.isEmpty else {
            throw ValidationError("--recipe can't be combined with effect options; add those effects to the recipe")
        }
        guard try !keepsBytes || encoding.options == EncodingArguments.parse([]).options else {
            throw ValidationError(
                "without --to, --size and effects the bytes are written as they came, and encoding options have no effect; add --to FORMAT"
            )
        }
        // Without --to, an image's format is known when it has been loaded.
        if let to { try encoding.formats.check(outputs: [to.format]) }
    }

    /// Whether no option affects the image, so that the bytes are written unchanged.
    private var keepsBytes: Bool { size == nil && to == nil && effects.isEmpty && recipe == nil }

    func run() async throws {
        let settings = try makeSettings()
        let list = try FetchList(addresses)
        guard !list.entries.isEmpty else {
            StandardError.report("there are no URLs on standard input; write one a line")
            throw ExitCode.failure
        }
        let pipeline = ImagePipeline { configuration in
            loading.configure(&configuration)
            configuration.dataFetching.maximumByteCount = limits.limits.maximumInputByteCount
            configuration.isProgressiveDecodingEnabled = previews
            if keepsBytes { configuration.makeImageDecoder = { OriginalDecoder($0) } }
        }
        guard await FetchBatch(entries: list.entries, settings: settings, pipeline: pipeline).run(jobs: loading.jobs)
        else {
            throw ExitCode.failure
        }
    }

    private func makeSettings() throws -> FetchSettings {
        let chain = try recipe.map { try EffectRecipe.read($0) } ?? effects.chain(EffectRecipe.readPicture)
        let filter = filter?.filter ?? .automatic
        var options = EffectOptions(units: .pixels, filter: filter)
        let pixelCount = limits.limits.maximumPixelCount
        if pixelCount != DecodingLimits.standard.maximumPixelCount { options.maximumPixelCount = pixelCount }
        return FetchSettings(
            folder: folder, overwrites: force, writesPreviews: previews, keepsBytes: keepsBytes, format: to?.format,
            encoding: encoding.options,
            thumbnail: size.map {
                ImageRequest.ThumbnailOptions(
                    width: Double($0.width), height: Double($0.height), unit: .pixels, filter: filter)
            },
            processors: chain.effects.isEmpty ? [] : [.effects(chain, options: options)], limits: limits.limits,
            cachePolicy: loading.policy, headers: loading.headers)
    }
}
