internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera metadata get`: prints tags.
struct MetadataGetCommand: ParsableCommand, InputNaming {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print the tags of files.",
        discussion: """
            INPUT is a file, a folder, which stands for the images in it, or `-`. Without --tag all tags are printed. \
            The exit status is 1 if a file can't be read.

            EXAMPLES
              tessera metadata get photo.jpg
              tessera metadata get holiday --recursive --tag DateTimeOriginal --tag GPS
              tessera metadata get *.jpg --json
              tessera metadata get photo.jpg --tag GPS --quiet && echo "it has a position"
            """)

    @Argument(help: ArgumentHelp("Files, folders or `-`.", valueName: "input"), completion: .file())
    var names: [String]

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Print this tag or group (EXIF, GPS, XMP, IPTC).", valueName: "name"),
        completion: .list(TagArgument.names), transform: TagArgument.parse)
    var tag: [TagArgument] = []

    @Flag(name: .shortAndLong, help: "Include subfolders.")
    var recursive = false

    @Flag(help: "Print JSON lines: one object per file.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but failures; the exit status is 1 if no file has such a tag.")
    var quiet = false

    @OptionGroup var limits: LimitsArguments

    func validate() throws {
        guard !quiet || !json else { throw ValidationError("--quiet and --json exclude each other") }
    }

    func run() throws {
        var inputs: [InputLocation] = []
        var (failed, isFound) = (false, false)
        for name in names {
            guard name != "-", FileSystem.isFolder(name) else {
                inputs.append(InputLocation(name))
                continue
            }
            let found = FolderPictures(in: name, target: nil, isRecursive: recursive, registry: .default)
            inputs += found.pictures.map { .file($0.path) }
            for failure in found.failures {
                StandardError.report(failure.error.message(about: failure.input))
                failed = true
            }
        }
        for input in inputs {
            do throws(ImageError) {
                let metadata = try FileMetadata(input.open().bytes(), limits: limits.limits)
                let values = metadata.values.filter { value in tag.isEmpty || tag.contains { $0.includes(value) } }
                isFound = isFound || !values.isEmpty
                guard !quiet else { continue }
                print(json ? Self.json(input, values) : Self.text(values, name: inputs.count > 1 ? "\(input)" : nil))
            } catch {
                StandardError.report(error.message(about: input))
                failed = true
            }
        }
        if failed || quiet && !isFound { throw ExitCode.failure }
    }

    private static func text(_ values: [FileMetadata.Value], name: String?) -> String {
        let width = values.map(\.fullName.count).max() ?? 0
        let lines = values.map { value in
            let padding = String(repeating: " ", count: width - value.fullName.count)
            return "\(value.fullName)\(padding)  \(value.values.joined(separator: ", ").withoutControls)"
        }
        return ((name.map { ["\($0.withoutControls):"] } ?? []) + lines).joined(separator: "\n")
    }

    private static func json(_ input: InputLocation, _ values: [FileMetadata.Value]) -> String {
        JSONValue.object([("file", .string("\(input)")), ("tags", .tags(values))]).compactText
    }
}

extension JSONValue {
    /// An object of tags; lists of several values are arrays.
    static func tags(_ values: [FileMetadata.Value]) -> JSONValue {
        .object(
            values.map { value in
                (
                    value.fullName,
                    value.values.count == 1 ? .string(value.values[0]) : .array(value.values.map { .string($0) })
                )
            })
    }
}

extension String {
    /// The text without control characters, on which a terminal would act.
    var withoutControls: String {
        let scalars = unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
