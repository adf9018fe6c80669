internal import ImageFormats
internal import ImageLoading
internal import Platform
internal import Tessera

/// Converts the inputs of a plan whose outputs are missing or stale.
struct BatchRun: Sendable {
    /// The number of failures after which a run stops, and whether they make it fail.
    enum ErrorPolicy: Hashable, Sendable {
        /// Goes on to the end; any failure fails the run.
        case keepGoing
        /// Stops at the first failure.
        case failFast
        /// Tolerates this many failures, and stops at the next.
        case tolerate(Int)

        /// Whether to go on after `count` failures.
        func continues(after count: Int) -> Bool {
            switch self {
            case .keepGoing: true
            case .failFast: count == 0
            case .tolerate(let limit): count <= limit
            }
        }

        /// Whether `count` failures are a success.
        func accepts(_ count: Int) -> Bool {
            if case .tolerate(let limit) = self { count <= limit } else { count == 0 }
        }
    }

    let plan: BatchPlan
    let root: String
    let recipes: BatchRecipes
    let marks: any OutputMarks
    let policy: ErrorPolicy
    /// Whether a file that no batch has written is replaced.
    let overwritesForeign: Bool
    /// Whether an input's version is its content instead of its size and time.
    let usesChecksums: Bool
    let report: BatchReport?
    let isQuiet: Bool
    let isVerbose: Bool
    let jobs: Int

    /// The numbers of outcomes.
    struct Totals: Sendable {
        var written = 0
        var current = 0
        var failed = 0
        var inputBytes = 0
        var outputBytes = 0
        /// The first error of writing the report.
        var reportError: ImageError?
        /// Whether the run ended before all inputs were done.
        var isStopped = false

        mutating func add(_ outcome: BatchOutcome) {
            switch outcome.kind {
            case .written(let result):
                written += 1
                inputBytes += result.inputByteCount
                outputBytes += result.outputByteCount
            case .current: current += 1
            case .failed: failed += 1
            }
        }
    }

    /// Does what is missing or stale.
    func run() async -> Totals {
        var totals = Totals()
        let progress = ProgressBar(total: plan.items.count, isQuiet: isQuiet)

        func take(_ outcome: BatchOutcome) -> Bool {
            totals.add(outcome)
            progress.advance(message: message(outcome))
            do throws(ImageError) {
                try report?.write(outcome)
            } catch {
                // Without its report, a run isn't what was asked for.
                totals.reportError = error
                return false
            }
            return policy.continues(after: totals.failed)
        }

        var goesOn = true
        for failure in plan.failures where goesOn {
            goesOn = take(BatchOutcome(input: "\(failure.input)", output: nil, kind: .failed(failure.error)))
        }
        if goesOn {
            await ConcurrentWork.run(plan.items, jobs: jobs) { item in
                perform(item)
            } while: {
                take($0)
            }
        }
        progress.finish()
        totals.isStopped =
            totals.written + totals.current + totals.failed < plan.items.count + plan.failures.count
        return totals
    }

    private func message(_ outcome: BatchOutcome) -> String? {
        switch outcome.kind {
        case .failed(let error): "Error: \(error.message(about: .file(outcome.input)))\n"
        case .written(let result):
            isQuiet ? nil : (line(outcome, result) + (result.note.map { "\($0)\n" } ?? "")).nonempty
        case .current: isVerbose ? "\(outcome.input): current\n" : nil
        }
    }

    /// The line of `--verbose` about an output; empty without.
    private func line(_ outcome: BatchOutcome, _ result: Conversion.Result) -> String {
        guard isVerbose, let output = outcome.output else { return "" }
        return "\(outcome.input) -> \(output): \(ByteCount(result.outputByteCount))\n"
    }

    private func perform(_ item: BatchPlan.Item) -> BatchOutcome {
        let path = FilePath(item.output, in: root).text
        func outcome(_ kind: BatchOutcome.Kind) -> BatchOutcome {
            BatchOutcome(input: item.name, output: path, kind: kind)
        }
        do throws(ImageError) {
            let recipe = try recipes.recipe(item.options)
            let key = try key(of: item, recipe)
            var state = marks.state(of: item.output, key: key)
            while true {
                if state == .current { return outcome(.current) }
                if state == .foreign, !overwritesForeign {
                    throw ImageError(.inputOutput, "\(path) exists and has no mark of a batch; --force replaces it")
                }
                do throws(ImageError) {
                    return outcome(.written(try convert(item, recipe, to: path, key, after: state)))
                } catch {
                    // Perhaps an output has appeared since this one was looked up, or all were listed.
                    guard state == .missing || state == .unlisted else { throw error }
                    state = marks.currentState(of: item.output, key: key)
                    if state == .missing { throw error }
                }
            }
        } catch {
            return outcome(.failed(error))
        }
    }

    private func convert(
        _ item: BatchPlan.Item, _ recipe: PreparedRecipe, to path: String, _ key: String, after state: OutputState
    ) throws(ImageError) -> Conversion.Result {
        let entry = ConversionList.Entry(
            input: .file(item.path), output: .file(path), format: recipe.format, folder: FilePath(path).folder)
        let mark = marks.mark(for: item.output, key: key, after: state)
        return try Conversion(entry: entry, settings: recipe.settings, isAlone: false, mark: mark).run()
    }

    /// Whether an item's output is missing or stale, or can't be determined.
    func isDue(_ item: BatchPlan.Item) -> Bool {
        guard let recipe = try? recipes.recipe(item.options), let key = try? key(of: item, recipe) else { return true }
        return marks.state(of: item.output, key: key) != .current
    }

    /// Returns a digest of the recipe and the input's version.
    ///
    /// The version is taken before the input is opened, an object's when the bucket is listed. If the input changes until it has
    /// been read, the output is stale.
    private func key(of item: BatchPlan.Item, _ recipe: PreparedRecipe) throws(ImageError) -> String {
        let version: String
        if usesChecksums {
            version = "content \(StableHash(try InputLocation.file(item.path).open().bytes()).hexadecimal)"
        } else if let listed = item.version {
            version = "\(item.name)\n\(listed)"
        } else if BucketFiles.isAddress(item.path) {
            guard let status = try BucketFiles.status(item.path) else {
                throw ImageError(.inputOutput, "\(item.path) doesn't exist")
            }
            version = "\(item.name)\n\(status.version)"
        } else {
            guard let status = FileStatus(path: item.path) else {
                throw FileDescriptor.failure(item.path, .reading)
            }
            guard status.isRegular else {
                throw ImageError(.inputOutput, "\(item.path) can't be read: it isn't a regular file")
            }
            // With the name: two files of one size may be of the same time, from an archive say.
            let time = status.modificationTime
            version = "\(item.name)\n\(status.byteCount) \(time.seconds) \(time.nanoseconds)"
        }
        return StableHash("\(recipe.digest)\n\(version)".utf8).hexadecimal
    }
}

extension String {
    /// Nil for empty text.
    fileprivate var nonempty: String? { isEmpty ? nil : self }
}
