internal import ArgumentParser
internal import Tessera

/// The folders and the names of a command's outputs, as options.
struct FileArguments: ParsableArguments {
    @Option(
        name: [.long, .customLong("out"), .customShort("d"), .customShort("o")],
        help: ArgumentHelp("Write to this folder, which is created if needed.", valueName: "folder"),
        completion: .directory)
    var outputDir: String?

    @Flag(
        help: ArgumentHelp(
            "Replace each input by its output, in the same format.",
            discussion: "Files keep their permissions and their times of last access and change."))
    var inPlace = false

    @Flag(name: .shortAndLong, help: "Include subfolders.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Replace existing files.")
    var force = false

    @Flag(help: "Skip inputs whose output exists.")
    var skipExisting = false

    @Flag(help: "Skip inputs whose output exists, unless the input is newer: then replace the output.")
    var update = false

    @Flag(help: "Print each input and its output, and write nothing.")
    var dryRun = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Number of files to process concurrently. Default: the number of processors."))
    var jobs: Int?

    func validate() throws {
        guard [force, skipExisting, update].count(where: { $0 }) <= 1 else {
            throw ValidationError("--force, --skip-existing and --update exclude each other")
        }
        guard !inPlace || outputDir == nil && !skipExisting && !update else {
            throw ValidationError(
                "--in-place writes to the inputs: it excludes --output-dir, --skip-existing and --update")
        }
        guard jobs.map({ $0 > 0 }) ?? true else { throw ValidationError("--jobs must be at least 1, not \(jobs ?? 0)") }
    }

    /// The treatment of outputs that exist.
    var existing: ExistingOutputs {
        overwrites && !update ? .replace : skipExisting ? .skip : update ? .update : .refuse
    }

    /// Whether files may be replaced.
    var overwrites: Bool { force || update || inPlace }

    /// The number of files to work on at a time.
    var jobCount: Int { jobs ?? ImageExecutor.processorCount }
}
