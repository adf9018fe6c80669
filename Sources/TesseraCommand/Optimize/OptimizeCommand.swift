internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera optimize`: makes files smaller without changing a pixel.
struct OptimizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "optimize",
        abstract: "Make JPEG and PNG files smaller without changing a pixel.",
        usage: """
            tessera optimize INPUT OUTPUT [options]
            tessera optimize INPUT ... FOLDER [options]
            tessera optimize INPUT ... --in-place [options]
            """,
        discussion: """
            A JPEG's coefficients are stored again with optimised tables in progressive scans. A PNG's pixels are \
            stored with the fewest bits that hold them, with the best of several filters, and compressed as far as \
            deflate goes. Every pixel stays as it was, and a file never gets larger: one that can't be made smaller is \
            copied, or left alone.

            Metadata is kept; --strip removes it. The orientation stays in any case. Animations and damaged files are \
            refused.

            EXAMPLES
              tessera optimize photo.jpg smaller.jpg
              tessera optimize website --recursive --in-place
              tessera optimize *.png --in-place --strip all
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
            names, files: files, report: report, limits: limits.limits, codecs: [JPEGCodec(), PNGCodec()],
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
        guard format == .jpeg || format == .png else {
            throw ImageError(
                .unsupported,
                "optimize makes JPEG and PNG files smaller, and this is a \(format.name); `tessera convert` writes it "
                    + "again")
        }
        try format.checkName(name)
        let bytes =
            format == .jpeg
            ? try JPEGOptimization.smaller(file, keeping: keeping, limits: limits)
            : try PNGOptimization.smaller(file, keeping: keeping, limits: limits)
        return RewrittenFile(bytes: bytes, json: [("format", .string(format.name))])
    }
}
