internal import ArgumentParser
internal import Dispatch
internal import ImageFormats
internal import Synchronization
internal import Tessera

/// `tessera info`: describes files without decoding pixels.
struct InfoCommand: ParsableCommand, InputNaming {
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
              tessera info holiday --recursive --quiet
              tessera info s3://photos/2024/
            """)

    @Argument(help: ArgumentHelp("Files, folders or `-`.", valueName: "files"), completion: .file())
    var names: [String]

    @Flag(help: "Print JSON: an array with an object for each file.")
    var json = false

    @Flag(name: .shortAndLong, help: "Report failures only: check that files can be read.")
    var quiet = false

    @Flag(
        name: [.customLong("tags"), .customLong("verbose"), .customShort("v")],
        help: "Print all EXIF, XMP and IPTC tags; `tessera metadata` edits them.")
    var tags = false

    @Flag(name: .shortAndLong, help: "Include subfolders.")
    var recursive = false

    @OptionGroup var limits: LimitsArguments

    func validate() throws {
        guard !quiet || !json && !tags else { throw ValidationError("--quiet excludes --json and --verbose") }
    }

    func run() throws {
        var descriptions: [JSONValue] = []
        let inputs = FileList(names, isRecursive: recursive, excluding: "", registry: .default)
        for failure in inputs.failures { StandardError.report(failure.error.message(about: failure.input)) }
        var failed = !inputs.failures.isEmpty
        for start in stride(from: 0, to: inputs.paths.count, by: Self.concurrentCount) {
            let files = Array(inputs.paths[start...].prefix(Self.concurrentCount))
            for (file, result) in zip(files, describe(files)) {
                switch result {
                case .success(let description):
                    if json { descriptions.append(description.json) } else if !quiet { print(description.text) }
                case .failure(let error):
                    StandardError.report(error.message(about: InputLocation(file)))
                    descriptions.append(.object([("file", .string(file)), ("error", .string(error.description))]))
                    failed = true
                }
            }
        }
        if json { print(JSONValue.array(descriptions).text()) }
        if failed { throw ExitCode.failure }
    }

    /// The number of files that are read before any of them is printed.
    private static let concurrentCount = 64

    /// Reads files concurrently; the results are in their order.
    private func describe(_ files: [String]) -> [Result<PictureDescription, ImageError>] {
        let (hasTags, limits) = (tags, limits.limits)
        let results = Mutex<[Int: Result<PictureDescription, ImageError>]>([:])
        DispatchQueue.concurrentPerform(iterations: files.count) { index in
            let result = Result<PictureDescription, ImageError> { () throws(ImageError) in
                try PictureDescription(InputLocation(files[index]), hasTags: hasTags, limits: limits)
            }
            results.withLock { $0[index] = result }
        }
        return results.withLock { $0 }.sorted { $0.key < $1.key }.map(\.value)
    }
}
