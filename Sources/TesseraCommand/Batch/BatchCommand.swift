internal import ArgumentParser
internal import Essentials
internal import ImageFormats
internal import ImageIsolation
internal import Platform
internal import Tessera

/// `tessera batch`: converts a list of images, in shards that can be killed and repeated.
struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Convert a list of pictures in shards, doing only what is missing or stale.",
        usage: """
            tessera batch FOLDER|MANIFEST|- --out TEMPLATE [--to FORMAT] [--recipe RECIPE] [--shard I/N] [options]
            """,
        discussion: """
            The list is a folder or a prefix in a bucket (s3://bucket/prefix/), with the folders in it, or a manifest: a \
            path on each line, or by its extension .csv (a column input, the others options) or .jsonl (an object on \
            each line, with input and options). Paths are relative to the current folder.

            TEMPLATE is a path with {stem} or {name} (with its extension), {folder} (in the list), {index} (in the \
            list), {width}, {height} and {ext}. Outputs never leave the folder before the first placeholder. If two \
            inputs would have the same output, nothing is written.

            RECIPE is a file of JSON or JSON: an array of effects, as for `tessera effect --recipe`, or an object with \
            options of `tessera convert`, or with effects and options of `tessera effect`: {"size": "400x400", \
            "quality": 0.8}. Or a query, like the server's presets: 'fill=400x300&q=0.8'.

            An output appears whole or not at all, with a mark of the recipe and of the input's size and time. Run \
            again, the command makes what is missing, what has another recipe, and what has a newer input; so a run \
            that was killed is repeated, on any host. A file without a mark isn't replaced.

            An input's shard follows from its name alone. Without --shard it comes from SLURM_ARRAY_TASK_ID and its \
            companions in an array of Slurm, and from JOB_COMPLETION_INDEX in an indexed job of Kubernetes, there with \
            --shards.

            EXAMPLES
              tessera batch photos --out 'small/{folder}/{stem}.{ext}' --to webp --recipe '{"size": "400x400"}'
              tessera batch list.txt --out 'out/{stem}.jpg' --recipe 'fill=400x300&q=0.8' --report report.jsonl
              tessera batch s3://photos/2024/ --out 's3://web/{folder}/{stem}.webp' --recipe '{"size": "400x400"}'
              tessera batch items.csv --out 'out/{index}.{ext}' --recipe card.json --shard 3/8
              find . -name '*.tif' | tessera batch - --out 'png/{folder}/{stem}.png' --max-errors 10
              sbatch --array=0-15 --wrap "tessera batch list.txt --out 'out/{stem}.avif'"
            """)

    @Argument(
        help: ArgumentHelp("A folder, or a manifest; `-` is one on standard input.", valueName: "list"),
        completion: .file())
    var list: String

    @Option(
        help: ArgumentHelp("The outputs' paths, as in small/{folder}/{stem}.{ext}.", valueName: "template"),
        transform: PathTemplate.init)
    var out: PathTemplate

    @Option(help: ArgumentHelp("Options and effects for each picture.", valueName: "recipe"), completion: .file())
    var recipe: String?

    @Option(help: ArgumentHelp("The format to write. Default: the recipe's, or the template's.", valueName: "format"))
    var to: FormatArgument?

    @Option(help: "The manifest's format. Default: as its extension says, else lines.")
    var manifest: BatchInputs.ManifestFormat?

    @Option(
        help: ArgumentHelp("Do this shard, from 0/8 to 7/8, say.", valueName: "i/n"), transform: BatchShard.parse)
    var shard: BatchShard?

    @Option(help: ArgumentHelp("How many shards there are; the environment has this one's number.", valueName: "n"))
    var shards: Int?

    @Option(
        help: ArgumentHelp(
            "Write an object of JSON for each input to this file, - for standard output; {shard} is the shard's number.",
            valueName: "file"), completion: .file())
    var report: String?

    @Flag(help: "Stop at the first input that fails.")
    var failFast = false

    @Flag(help: "Go on after inputs that fail; the exit status is 1 at the end. This is the default.")
    var keepGoing = false

    @Option(
        help: ArgumentHelp("Let this many inputs fail with exit status 0, and stop if there are more.", valueName: "n"))
    var maxErrors: Int?

    @Option(name: .shortAndLong, help: "How many pictures to work on at a time. Default: one per processor.")
    var jobs: Int?

    @Flag(help: "Tell versions of inputs by their content, which is read each time, instead of by size and time.")
    var checksum = false

    @Flag(name: .shortAndLong, help: "Replace files that no batch has written.")
    var force = false

    @Option(
        help: ArgumentHelp(
            "Where marks are: attributes (extended attributes of the outputs; an object's metadata) or journal (files in "
                + ".tessera-batch; in a bucket also there, so that a list tells what is done). "
                + "Default: attributes where the file system has them."))
    var marks: MarkPlace?

    @Flag(help: "Decode pictures in processes that can do no harm.")
    var isolate = false

    @Flag(help: "Print what would be made, and write nothing.")
    var dryRun = false

    @Flag(help: "Print an object of JSON for each input: the same as --report -.")
    var json = false

    @Flag(name: .shortAndLong, help: "Report failures only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Report each file.")
    var verbose = false

    func validate() throws {
        guard [failFast, keepGoing, maxErrors != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("--fail-fast, --keep-going and --max-errors exclude each other")
        }
        guard maxErrors.map({ $0 >= 0 }) ?? true else {
            throw ValidationError("--max-errors is at least 0, not \(maxErrors ?? 0)")
        }
        guard jobs.map({ (1...1024).contains($0) }) ?? true else {
            throw ValidationError("--jobs is 1 to 1024, not \(jobs ?? 0)")
        }
        guard shards.map({ $0 >= 1 }) ?? true else {
            throw ValidationError("--shards is at least 1, not \(shards ?? 0)")
        }
        guard shard == nil || shards == nil else {
            throw ValidationError("--shard 3/8 has the number of shards; --shards is for those of the environment")
        }
        guard !json || report == nil else {
            throw ValidationError("--json is --report -: it excludes another --report")
        }
        guard !quiet || !verbose else { throw ValidationError("--quiet and --verbose exclude each other") }
        guard recipe != "-" || list != "-" else {
            throw ValidationError("standard input is either the manifest or the recipe")
        }
    }

    func run() async throws {
        let shard = try shard ?? environmentShard()
        let registry = isolate ? try IsolatedDecoding().registry : CodecRegistry.default
        var options = try recipe.map(BatchRecipe.init) ?? BatchRecipe()
        if let to { options.set("to", .string(to.format.filenameExtension)) }
        let recipes = try BatchRecipes(options, template: out, registry: registry)
        let inputs = try BatchInputs(list, format: manifest, root: out.root, shard: shard)
        let plan = try BatchPlan(inputs, template: out, recipes: recipes, shard: shard)
        if force { try plan.checkInputs(inputs, root: out.root) }
        let batch = BatchRun(
            plan: plan, root: out.root, recipes: recipes, marks: try marks(plan, shard), policy: policy,
            overwritesForeign: force, usesChecksums: checksum, report: dryRun ? nil : try openReport(shard),
            isQuiet: quiet, isVerbose: verbose, jobs: jobs ?? ImageExecutor.processorCount)
        guard !dryRun else {
            for item in plan.items where batch.isDue(item) {
                print("\(item.name) -> \(FilePath(item.output, in: out.root).text)")
            }
            return
        }
        // A scheduler's SIGTERM: what is begun is completed, and the rest is for the next run.
        let totals = await Interruption.cancelling { await batch.run() }
        batch.marks.finish()
        try finish(totals, plan, shard)
    }

    private func finish(_ totals: BatchRun.Totals, _ plan: BatchPlan, _ shard: BatchShard) throws {
        if let error = totals.reportError { StandardError.report("the report stopped: \(error)") }
        if !quiet {
            var text = "\(totals.written) written, \(totals.current) current, \(totals.failed) failed"
            if totals.written > 0 { text += ", \(ByteCount(totals.inputBytes)) to \(ByteCount(totals.outputBytes))" }
            if shard.count > 1 { text += "; shard \(shard) has \(plan.items.count) of \(plan.inputCount) inputs" }
            StandardError.note(text)
        }
        if totals.isStopped { StandardError.report("stopped before the end; run it again for the rest") }
        guard policy.accepts(totals.failed), !totals.isStopped, totals.reportError == nil else {
            throw ExitCode.failure
        }
    }

    private var policy: BatchRun.ErrorPolicy {
        failFast ? .failFast : maxErrors.map { .tolerate($0) } ?? .keepGoing
    }

    private func environmentShard() throws -> BatchShard {
        let environment = ProcessInfo.processInfo.environment
        if let shard = try BatchShard(environment: environment, count: shards) { return shard }
        guard shards == nil else {
            throw ValidationError(
                "--shards counts the shards of SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX, and neither is set; "
                    + "use --shard I/N")
        }
        return .whole
    }

    private func openReport(_ shard: BatchShard) throws -> BatchReport? {
        try (json ? "-" : report).map { try BatchReport($0.replacing("{shard}", with: "\(shard.index)")) }
    }

    private func marks(_ plan: BatchPlan, _ shard: BatchShard) throws -> any OutputMarks {
        let root = out.root
        if BucketFiles.isAddress(root) {
            let journal = marks == .journal && !dryRun ? BucketJournal(root: root, shard: shard) : nil
            return BucketMarks(root: root, wanted: plan.items.lazy.map(\.output), journal: journal)
        }
        if !dryRun, !root.isEmpty { try FileSystem.makeFolder(root) }
        let hasJournal = FileSystem.isFolder(FilePath(MarkJournal.folderName, in: root).text)
        let folder = root.isEmpty ? "." : root
        let place: MarkPlace
        if let marks {
            place = marks
            if marks == .attributes, FileSystem.isFolder(folder), try !AttributeMarks.isSupported(in: folder) {
                throw ImageError(
                    .inputOutput, "files in \(folder) can't have extended attributes; --marks journal needs none")
            }
        } else if hasJournal {
            // Chosen by an earlier run, perhaps on a host whose mount lacks attributes.
            place = .journal
        } else {
            // A dry run may have no folder yet.
            let canMark = try !FileSystem.isFolder(folder) || AttributeMarks.isSupported(in: folder)
            place = canMark ? .attributes : .journal
        }
        switch place {
        case .attributes: return AttributeMarks(root: root)
        case .journal: return try MarkJournal(root: root, wanted: plan.items.lazy.map(\.output))
        }
    }
}
