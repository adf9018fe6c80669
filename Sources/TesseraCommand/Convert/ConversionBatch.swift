internal import ImageFormats
internal import Tessera

/// Runs conversions concurrently; reports each failure, and a summary at the end.
struct ConversionBatch {
    let list: ConversionList
    let settings: ConversionSettings
    let report: ReportArguments

    /// Converts all files, at most `jobs` at a time.
    /// - Returns: Whether all succeeded.
    func run(jobs: Int) async -> Bool {
        for failure in list.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard !list.reportsNoInputs() else { return false }
        let progress = ProgressBar(total: list.entries.count, isQuiet: report.quiet)
        var total = ConversionSummary(failureCount: list.failures.count)

        let inputs = list.entriesByInput
        let isAlone = list.entries.count == 1 && !report.quiet
        await ConcurrentWork.run(inputs, jobs: jobs) { entries in
            convert(entries, progress, isAlone: isAlone)
        } receive: { summary in
            total.add(summary)
        }
        progress.finish()
        if !report.quiet, list.entries.count + list.failures.count > 1 || !list.skipped.isEmpty {
            let counts = OutputCounts(
                converted: total.successCount, failed: total.failureCount, skipped: list.skipped.count)
            let sizes = total.successCount > 0 ? total.sizes : nil
            StandardError.note(
                counts.text("converted", sizes: sizes, canForce: list.options.existing == .refuse))
        }
        return total.failureCount == 0
    }

    /// Writes all outputs of one input.
    private func convert(
        _ entries: [ConversionList.Entry], _ progress: ProgressBar, isAlone: Bool
    ) -> ConversionSummary {
        var summary = ConversionSummary(failureCount: 0)
        VariantConversion(entries: entries, settings: settings, isAlone: isAlone).run { entry, result in
            switch result {
            case .success(let result):
                progress.advance(message: message(result, entry))
                // An input counts once, however many outputs it has.
                summary.add(ConversionSummary(result, countsInput: entry == entries[0]))
            case .failure(let error):
                progress.advance(message: "Error: \(error.message(about: entry.input))\n")
                if report.json { print(error.json(about: entry.input).compactText) }
                summary.add(ConversionSummary(failureCount: 1))
            }
        }
        return summary
    }

    /// Prints a result as JSON, or returns the lines for people; nil for none.
    private func message(_ result: Conversion.Result, _ entry: ConversionList.Entry) -> String? {
        if report.json {
            let members: [(String, JSONValue)] = [
                ("input", .string("\(entry.input)")), ("output", .string("\(entry.output)")),
                ("inputBytes", .integer(result.inputByteCount)), ("outputBytes", .integer(result.outputByteCount)),
                ("note", result.note.map { .string($0) } ?? .null),
            ]
            print(JSONValue.object(members).compactText)
        }
        guard !report.quiet else { return nil }
        let sizes = "\(ByteCount(result.inputByteCount)) to \(ByteCount(result.outputByteCount))"
        let lines =
            (report.verbose ? ["\(entry.input) -> \(entry.output): \(sizes)"] : []) + [result.note].compactMap { $0 }
        return lines.isEmpty ? nil : lines.joined(separator: "\n") + "\n"
    }
}

/// The totals of several conversions.
struct ConversionSummary: Sendable {
    private(set) var successCount = 0
    private(set) var failureCount = 0
    private var inputByteCount = 0
    private var outputByteCount = 0

    init(failureCount: Int) { self.failureCount = failureCount }

    init(_ result: Conversion.Result, countsInput: Bool = true) {
        successCount = 1
        inputByteCount = countsInput ? result.inputByteCount : 0
        outputByteCount = result.outputByteCount
    }

    mutating func add(_ other: ConversionSummary) {
        successCount += other.successCount
        failureCount += other.failureCount
        inputByteCount += other.inputByteCount
        outputByteCount += other.outputByteCount
    }

    /// The bytes read and written.
    var sizes: String { "\(ByteCount(inputByteCount)) to \(ByteCount(outputByteCount))" }
}

/// The numbers of files that were converted, failed, and were skipped.
struct OutputCounts: Sendable {
    let converted: Int
    let failed: Int
    let skipped: Int

    /// Returns the numbers as a line.
    /// - Parameter canForce: Whether to recommend `--force` for skipped files.
    func text(_ verb: String, sizes: String? = nil, canForce: Bool) -> String {
        var text = "\(converted) of \(converted + failed + skipped) files \(verb)"
        if let sizes { text += ", \(sizes)" }
        if skipped > 0 {
            text += "; \(skipped) skipped because the output exists" + (canForce ? " (--force replaces it)" : "")
        }
        return failed == 0 ? text : text + "; \(failed) failed"
    }
}
