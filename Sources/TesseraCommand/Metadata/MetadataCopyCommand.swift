internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera metadata copy`: copies tags from one file to others.
struct MetadataCopyCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy tags from one file to others.",
        usage: """
            tessera metadata copy SOURCE INPUT OUTPUT [--tag NAME] ... [options]
            tessera metadata copy SOURCE INPUT ... --in-place [--tag NAME] ... [options]
            """,
        discussion: """
            Without --tag, EXIF, XMP and IPTC are copied as a whole, but for the thumbnail and the orientation, which \
            belong to the image. The source may be in any format.

            EXAMPLES
              tessera metadata copy original.heic edited.jpg --in-place
              tessera metadata copy first.jpg *.jpg --in-place --tag Artist --tag Copyright
            """)

    @Argument(help: "The file to copy from.", completion: .file())
    var source: String

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Copy this tag.", valueName: "name"),
        completion: .list(TagArgument.names), transform: TagArgument.parse)
    var tag: [TagArgument] = []

    @OptionGroup var files: FileArguments

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    func run() async throws {
        let location = InputLocation(source)
        let other: FileMetadata
        do throws(ImageError) {
            other = try FileMetadata(location.open().bytes(), limits: limits.limits)
        } catch {
            throw CommandFailure(error.message(about: location))
        }
        let tags: [MetadataTag]? =
            tag.isEmpty
            ? nil : MetadataTag.all.filter { known in tag.contains { $0.includes(known) } }
        let edit = MetadataEdit(limits: limits.limits) { (metadata) throws(ImageError) in
            try metadata.copy(tags, from: other)
        }
        try await RewriteBatch(
            names, files: files, report: report, limits: limits.limits, codecs: MetadataEdit.codecs, rewrite: edit
        ).run()
    }
}

extension TagArgument {
    /// Whether a tag is this one, or one of this group.
    fileprivate func includes(_ tag: MetadataTag) -> Bool {
        switch self {
        case .tag(let one): one == tag
        case .group(let group): group == tag.group
        case .position: tag.group == .exif && tag.name.hasPrefix("GPS")
        }
    }
}
