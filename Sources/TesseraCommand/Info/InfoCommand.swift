internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// `tessera info`: describes files without decoding pixels.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract:
            "Show pictures' format, size, colours, exposure and other metadata.",
        discussion: """
            A folder stands for the pictures in it. Pixels aren't decoded. Only the necessary part of a file is read, which is all of it to count an \
            animation's frames or a JPEG's scans. `-` is standard input.

            EXAMPLES
              tessera info photo.jpg cutout.jpng
              tessera info --json *.png
              tessera info --tags photo.jpg
              tessera info holiday --recursive
              tessera info s3://photos/survey.jpg
            """)

    @Argument(help: "Files, folders or `-`.", completion: .file())
    var files: [String]

    @Flag(help: "Print JSON: an array with an object for each file.")
    var json = false

    @Flag(help: "Print all EXIF, XMP and IPTC tags; `tessera metadata` edits them.")
    var tags = false

    @Flag(name: .shortAndLong, help: "Include subfolders.")
    var recursive = false

    @OptionGroup var limits: LimitsArguments

    func run() throws {
        var descriptions: [JSONValue] = []
        let inputs = FileList(files, isRecursive: recursive, excluding: "", registry: .default)
        for failure in inputs.failures { StandardError.report(failure.error.message(about: failure.input)) }
        var failed = !inputs.failures.isEmpty
        for file in inputs.paths {
            do throws(ImageError) {
                let description = try PictureDescription(InputLocation(file), hasTags: tags, limits: limits.limits)
                if json { descriptions.append(description.json) } else { print(description.text) }
            } catch {
                StandardError.report(error.message(about: InputLocation(file)))
                descriptions.append(.object([("file", .string(file)), ("error", .string(error.description))]))
                failed = true
            }
        }
        if json { print(JSONValue.array(descriptions).text()) }
        if failed { throw ExitCode.failure }
    }
}
