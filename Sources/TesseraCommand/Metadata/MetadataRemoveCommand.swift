internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera metadata remove`: removes tags.
struct MetadataRemoveCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove tags, groups of tags, or all metadata.",
        usage: """
            tessera metadata remove INPUT OUTPUT [--tag NAME] ... [options]
            tessera metadata remove INPUT ... --in-place [--tag NAME] ... [options]
            """,
        discussion: """
            Without --tag, EXIF, XMP and IPTC are removed as a whole; the orientation and the colour profile stay. \
            Removed values don't remain in the file. `tessera optimize --strip` removes comments and makers' blocks \
            as well.

            EXAMPLES
              tessera metadata remove photo.jpg --in-place --tag GPS
              tessera metadata remove *.jpg --output-dir web
              tessera metadata remove photo.jpg public.jpg --tag SerialNumber --tag XMP
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Remove this tag or group (EXIF, GPS, XMP, IPTC).", valueName: "name"),
        completion: .list(TagArgument.names), transform: TagArgument.parse)
    var tag: [TagArgument] = []

    @OptionGroup var files: FileArguments

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    func run() async throws {
        let tags = tag.isEmpty ? MetadataTag.Group.allCases.map { TagArgument.group($0) } : tag
        let edit = MetadataEdit(limits: limits.limits) { (metadata) throws(ImageError) in
            for tag in tags {
                switch tag {
                case .tag(let tag): try metadata.remove(tag)
                case .group(let group): metadata.remove(group)
                case .position: try metadata.removePosition()
                }
            }
        }
        try await RewriteBatch(
            names, files: files, report: report, limits: limits.limits, codecs: MetadataEdit.codecs, rewrite: edit
        ).run()
    }
}
