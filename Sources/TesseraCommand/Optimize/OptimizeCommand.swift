internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera optimize`: makes files smaller without changing a pixel.
struct OptimizeCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "optimize",
        abstract: "Make JPEG, PNG, GIF and WebP files smaller without changing a pixel.",
        usage: """
            tessera optimize INPUT OUTPUT [options]
            tessera optimize INPUT ... FOLDER [options]
            tessera optimize INPUT ... --in-place [options]
            """,
        discussion: """
            A JPEG's coefficients are stored again with optimised tables in progressive scans. A PNG's pixels are \
            stored with the fewest bits that hold them, with the best of several filters, and compressed as far as \
            deflate goes; of an animated PNG, each frame is filtered and compressed again. A GIF loses unused colours and \
            pixels that a frame has from those before it. Lossless WebP is compressed with the greatest effort; lossy WebP \
            stays. Every pixel, frame and time stays as it was, and a file never gets larger: one that can't be made \
            smaller is copied, or left alone.

            Metadata is kept; --strip removes it. The orientation stays in any case. Damaged files are refused.

            EXAMPLES
              tessera optimize photo.jpg smaller.jpg
              tessera optimize website --recursive --in-place
              tessera optimize *.png --in-place --strip all
              tessera optimize party.gif film.webp web/
              tessera optimize website --recursive --in-place --dry-run
              tessera optimize *.jpg --output-dir web --strip metadata --json
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Option(
        help: ArgumentHelp(
            "Remove: nothing, metadata (EXIF, XMP, IPTC, comments; the colour profile stays) or all (the profile too).",
            valueName: "what"))
    var strip = Strip.nothing

    @OptionGroup var files: FileArguments

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    /// The choices of `--strip`.
    enum Strip: String, ExpressibleByArgument, CaseIterable {
        case nothing, metadata, all

        /// The metadata that is kept.
        var keeping: MetadataPolicy {
            switch self {
            case .nothing: .all
            case .metadata: .profile
            case .all: .none
            }
        }
    }

    func run() async throws {
        try await RewriteBatch(
            names, files: files, report: report, limits: limits.limits, codecs: Optimization.codecs,
            rewrite: Optimization(keeping: strip.keeping, limits: limits.limits)
        ).run()
    }
}

/// The work of `optimize` on one file.
struct Optimization: FileRewrite {
    let keeping: MetadataPolicy
    let limits: DecodingLimits

    var verb: String { "optimized" }

    func applied(to file: [UInt8], outputName name: String?) throws(ImageError) -> RewrittenFile {
        let format = try ImageSource.header(of: file, options: DecodingOptions(color: .asStored, limits: limits)).format
        guard Self.codecs.contains(where: { $0.format == format }) else {
            throw ImageError(
                .unsupported,
                "optimize makes JPEG, PNG, GIF and WebP files smaller, and this is a \(format.name); `tessera convert` "
                    + "writes it again")
        }
        try format.checkName(name)
        let bytes: [UInt8]?
        switch format {
        case .jpeg: bytes = try JPEGOptimization.smaller(file, keeping: keeping, limits: limits)
        case .png: bytes = try PNGOptimization.smaller(file, keeping: keeping, limits: limits)
        case .gif: bytes = try GIFOptimization.smaller(file, keeping: keeping, limits: limits)
        #if WebP
        case .webP: bytes = try WebPOptimization.smaller(file, keeping: keeping, limits: limits)
        #endif
        default: bytes = nil
        }
        return RewrittenFile(bytes: bytes, json: [("format", .string(format.name))])
    }

    /// The formats whose files are found in folders.
    static var codecs: [any ImageCodec] {
        var codecs: [any ImageCodec] = [JPEGCodec(), PNGCodec(), GIFCodec()]
        #if WebP
        codecs.append(WebPCodec())
        #endif
        return codecs
    }
}
