internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera metadata set`: sets tags and shifts dates.
struct MetadataSetCommand: AsyncParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set tags, and shift dates.",
        usage: """
            tessera metadata set INPUT OUTPUT --tag NAME=VALUE ... [options]
            tessera metadata set INPUT ... --in-place --tag NAME=VALUE ... [options]
            """,
        discussion: """
            Lists (IPTC:Keywords, XMP:Subject, XMP:Creator) get all values given for them; an empty value removes a \
            tag. Positions are in degrees, south and west negative; dates are written as 2024:05:31 12:00:00.

            EXAMPLES
              tessera metadata set photo.jpg --in-place --tag 'Artist=Jane Doe' --tag 'Copyright=Jane Doe, 2024'
              tessera metadata set photo.jpg tagged.jpg --tag XMP:Subject=sea --tag XMP:Subject=sunset
              tessera metadata set photo.jpg --in-place --tag GPSLatitude=48.858222 --tag GPSLongitude=2.2945
              tessera metadata set holiday --recursive --in-place --shift-dates +1h
            """)

    @Argument(
        help: ArgumentHelp("Files, folders or `-`; the last one may be the output.", valueName: "input"),
        completion: .file())
    var names: [String]

    @Option(
        name: .shortAndLong, parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Set this tag.", valueName: "name=value"), completion: TagAssignment.completion,
        transform: TagAssignment.parse)
    var tag: [TagAssignment] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Shift all dates, to correct a camera's clock: -1h30m, 2d.", valueName: "time"),
        transform: DateShift.parse)
    var shiftDates: Int?

    @OptionGroup var files: FileArguments

    @OptionGroup var report: ReportArguments

    @OptionGroup var limits: LimitsArguments

    func validate() throws {
        guard !tag.isEmpty || shiftDates != nil else {
            throw ValidationError("there is nothing to set; add --tag NAME=VALUE or --shift-dates TIME")
        }
        for assignment in tag where assignment.tag.isReadOnly {
            throw ValidationError("\(assignment.tag.name) can't be set")
        }
    }

    func run() async throws {
        var assignments: [(tag: MetadataTag, values: [String])] = []
        for assignment in tag {
            if let index = assignments.firstIndex(where: { $0.tag == assignment.tag }) {
                assignments[index].values.append(assignment.value)
            } else {
                assignments.append((assignment.tag, [assignment.value]))
            }
        }
        let (all, seconds) = (assignments, shiftDates)
        let edit = MetadataEdit(limits: limits.limits) { (metadata) throws(ImageError) in
            if let seconds { try metadata.shiftDates(bySeconds: seconds) }
            for (tag, values) in all {
                try metadata.set(tag, to: values.filter { !$0.isEmpty })
            }
        }
        try await RewriteBatch(
            names, files: files, report: report, limits: limits.limits, codecs: MetadataEdit.codecs, rewrite: edit
        ).run()
    }
}
