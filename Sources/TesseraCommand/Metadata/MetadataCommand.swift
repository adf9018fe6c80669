internal import ArgumentParser
internal import ImageFormats

/// `tessera metadata`: reads and changes EXIF, XMP and IPTC.
struct MetadataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata",
        abstract: "Print, set, remove and copy EXIF, XMP and IPTC tags.",
        discussion: """
            Tags have ExifTool's names: Artist, DateTimeOriginal, GPSLatitude, XMP:Title, IPTC:Keywords. A name \
            without a group means the tag in EXIF, or else in XMP, or else in IPTC. `tessera metadata tags` lists them.

            JPEG, PNG and WebP files are changed without decoding: the image data stays as it is, byte for byte. The \
            tags of all formats can be printed.

            EXAMPLES
              tessera metadata get photo.jpg
              tessera metadata get *.jpg --tag Artist --tag DateTimeOriginal --json
              tessera metadata set photo.jpg --in-place --tag 'Artist=Jane Doe' --tag XMP:Rating=5
              tessera metadata set holiday --recursive --in-place --shift-dates -1h30m
              tessera metadata remove *.jpg --in-place --tag GPS
              tessera metadata copy original.jpg edited.jpg --in-place
            """,
        subcommands: [
            MetadataGetCommand.self, MetadataSetCommand.self, MetadataRemoveCommand.self, MetadataCopyCommand.self,
            MetadataTagsCommand.self,
        ])
}

/// `tessera metadata tags`: lists the tags that have names.
struct MetadataTagsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags", abstract: "List the supported tag names.")

    func run() { print(MetadataTag.all.map(\.fullName).joined(separator: "\n")) }
}
