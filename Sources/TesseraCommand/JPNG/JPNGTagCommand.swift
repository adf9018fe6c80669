internal import ArgumentParser
internal import ImageFormats
internal import JPNGContainer
internal import Tessera

/// `tessera jpng tag`: adds the segment by which content sniffing recognises a JPNG.
struct JPNGTagCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "tag",
        abstract: "Tag JPNG files, so that programs that look at the first bytes don't take them for JPEG.",
        usage: """
            tessera jpng tag INPUT OUTPUT [options]
            tessera jpng tag INPUT ... FOLDER [options]
            tessera jpng tag INPUT ... --in-place [options]
            """,
        discussion: """
            The tag is a segment of nine bytes in the JPEG's header, which decoders skip. `convert` and `join` write it; \
            files of other writers don't have it. Nothing is decoded: pixels and metadata stay as they are.

            EXAMPLES
              tessera jpng tag old.jpng new.jpng
              tessera jpng tag cutouts --recursive --in-place
              tessera jpng tag cutout.jpng plain.jpng --remove
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Flag(help: "Remove the tag instead.")
    var remove = false

    @OptionGroup var files: FileArguments

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    func run() async throws {
        try await RewriteBatch(
            names, files: files, report: report, limits: limits.limits, codecs: [JPNGCodec()],
            rewrite: JPNGTagging(removes: remove)
        ).run()
    }
}

/// The work of `jpng tag` on one file.
struct JPNGTagging: FileRewrite {
    let removes: Bool

    var verb: String { removes ? "untagged" : "tagged" }

    func applied(to file: [UInt8], outputName name: String?) throws(ImageError) -> RewrittenFile {
        try ImageFormat.jpng.checkName(name)
        do throws(JPNGError) {
            let data = file.span.bytes
            return RewrittenFile(
                bytes: removes ? try JPNGContainer.untagging(data) : try JPNGContainer.tagging(data))
        } catch {
            throw ImageError(error)
        }
    }
}
