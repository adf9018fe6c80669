internal import ArgumentParser
internal import ImageEffects
internal import ImageFormats
internal import ImageIsolation
internal import Raster
internal import Tessera

/// `tessera animate`: makes an animation of many images.
struct AnimateCommand: ParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "animate",
        abstract: "Make an animation of pictures, one frame each.",
        usage: "tessera animate INPUT ... OUTPUT [options]",
        discussion: """
            INPUT is a file or a folder of pictures, in the order of the frames. OUTPUT's extension selects the format: \
            GIF, APNG (.png, .apng), WebP, AVIF or JPEG XL.

            The animation has the size of its first frame, or fits in --size. Other pictures are reduced or enlarged to \
            fit in it, centred. Frames are decoded one at a time.

            EXAMPLES
              tessera animate frame-*.png film.webp --delay 40
              tessera animate holiday slides.gif --delay 2000 --size 640x480
              tessera animate a.png b.png b-and-a.png --loop 3
            """)

    @Argument(
        help: ArgumentHelp("Files and folders, and the output as the last.", valueName: "input"), completion: .file())
    var names: [String]

    @Option(help: ArgumentHelp("How long each frame is shown, in milliseconds.", valueName: "milliseconds"))
    var delay = 100

    @Option(help: "Number of times the animation plays, 0 for endless.")
    var loop = 0

    @Option(
        help: ArgumentHelp(
            "Make the first frame fit within this size: 800x600, 800x, x600, 800 for both sides, or 50%.",
            valueName: SizeArgument.valueName),
        transform: SizeArgument.parse)
    var size: SizeArgument?

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
            throw ValidationError("an animation needs pictures or a folder, and an output as the last name")
        }
        guard delay >= 1, delay <= 65_535 else { throw ValidationError("--delay is 1 to 65535, not \(delay)") }
        guard loop >= 0, loop <= 65_535 else { throw ValidationError("--loop is 0 to 65535, not \(loop)") }
    }

    func run() throws {
        let registry = isolate ? try IsolatedDecoding().registry : CodecRegistry.default
        let output = OutputLocation(names[names.count - 1])
        let format = try ConversionList.format(of: output, registry)
        guard registry.capabilities(of: format).contains(.encodeAnimation) else {
            let able = registry.encodableFormats.filter { registry.capabilities(of: $0).contains(.encodeAnimation) }
            throw ValidationError(
                "\(format.name) holds no animation; use one of: "
                    + able.map(\.filenameExtension).joined(separator: ", "))
        }
        try encoding.formats.check(outputs: [format])
        let inputs = FileList(
            names.dropLast(), isRecursive: recursive, excluding: names[names.count - 1], registry: registry)
        for failure in inputs.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard inputs.failures.isEmpty else { throw ExitCode.failure }
        guard !inputs.paths.isEmpty else {
            throw ValidationError("there are no images in these folders; --recursive looks deeper")
        }

        var frames = try FrameSource(
            inputs.paths, size: size,
            options: DecodingOptions(color: .sRGB, maximumBitsPerChannel: 8, limits: limits.limits), registry: registry)
        var options = encoding.options
        options.loopCount = loop
        let file = try EncodedOutput(output, overwrites: force)
        let progress = ProgressBar(total: inputs.paths.count, isQuiet: report.quiet)
        let duration = Double(delay) / 1000
        try ImageDestination(format: format, options: options, registry: registry)
            .encode(count: inputs.paths.count, to: file) { (index) throws(ImageError) in
                defer { progress.advance() }
                return (try frames.frame(.file(inputs.paths[index])), duration)
            }
        try file.commit()
        progress.finish()
        let size = frames.canvas ?? PixelSize(width: 0, height: 0)
        if report.json {
            print(
                JSONValue.object([
                    ("output", .string("\(output)")), ("frames", .integer(inputs.paths.count)),
                    ("width", .integer(size.width)), ("height", .integer(size.height)),
                    ("outputBytes", .integer(file.byteCount)),
                ]).compactText)
        }
        if !report.quiet {
            StandardError.note(
                "\(output): \(inputs.paths.count) frames of \(size), \(ByteCount(file.byteCount))")
        }
    }
}

/// Decodes pictures as frames of one size.
private struct FrameSource {
    let size: SizeArgument?
    let options: DecodingOptions
    let registry: CodecRegistry
    /// The alpha of all frames: none if no picture has any, and none needs padding.
    private let alpha: AlphaMode
    /// The size of all frames, which the first determines.
    private(set) var canvas: PixelSize?

    /// Reads the headers of all pictures.
    init(
        _ paths: [String], size: SizeArgument?, options: DecodingOptions, registry: CodecRegistry
    ) throws(ImageError) {
        (self.size, self.options, self.registry) = (size, options, registry)
        var sizes: Set<PixelSize> = []
        var hasAlpha = false
        for path in paths {
            do throws(ImageError) {
                let header = try ImageSource.header(of: Source(path: path), options: options, registry: registry)
                sizes.insert(header.size)
                hasAlpha = hasAlpha || header.hasAlpha
            } catch {
                throw error.naming(.file(path))
            }
        }
        alpha = hasAlpha || sizes.count > 1 ? .straight : .none
    }

    /// Returns the picture in `input` as a frame.
    /// - Throws: The decoder's errors, naming the input.
    mutating func frame(_ input: InputLocation) throws(ImageError) -> Bitmap {
        do throws(ImageError) {
            let change = PixelChange.fitting(
                canvas.map { .box(width: $0.width, height: $0.height) } ?? size, .automatic)
            let source = try ConversionSource(
                input.open(), of: input, changing: change, options: options, registry: registry)
            let bitmap = try source.rows.makeBitmap()
            try source.finish()
            guard let canvas, canvas != bitmap.size else {
                canvas = bitmap.size
                return try bitmap.converted(to: .rgba8, alpha: alpha)
            }
            let placed = Effects.CropAndScale(
                width: Double(canvas.width), height: Double(canvas.height), contentMode: .aspectFit, padToFit: true)
            return try Image(bitmap).applying(placed, options: EffectOptions(units: .pixels)).bitmap()
                .converted(to: .rgba8, alpha: alpha)
        } catch {
            throw error.naming(input)
        }
    }
}
