internal import ArgumentParser
internal import ImageFormats
internal import Tessera

/// Changes files concurrently; reports each failure, and a summary at the end.
struct RewriteBatch {
    private let list: ConversionList
    private let files: FileArguments
    private let report: ReportArguments
    private let rewrite: any FileRewrite
    private let limits: DecodingLimits

    /// Interprets the names on the command line, as `convert` does.
    /// - Parameter codecs: The formats that are found in folders.
    init(
        _ names: [String], files: FileArguments, report: ReportArguments, limits: DecodingLimits,
        codecs: [any ImageCodec], rewrite: any FileRewrite
    ) throws {
        list = try ConversionList(
            names,
            options: OutputOptions(
                folder: files.outputDir, replacesInputs: files.inPlace, isRecursive: files.recursive,
                keepsFormat: true, existing: files.existing),
            registry: CodecRegistry(codecs))
        (self.files, self.report, self.limits, self.rewrite) = (files, report, limits, rewrite)
    }

    /// Changes all files.
    /// - Throws: `ExitCode` if some failed, reported on standard error.
    func run() async throws {
        for failure in list.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard !list.reportsNoInputs() else { throw ExitCode.failure }
        let entries = list.entries
        let progress = ProgressBar(total: entries.count, isQuiet: report.quiet)
        var total = ConversionSummary(failureCount: list.failures.count)
        await ConcurrentWork.run(entries, jobs: files.jobCount) { entry in
            change(entry, progress)
        } receive: { summary in
            total.add(summary)
        }
        progress.finish()
        if !report.quiet, list.entries.count + list.failures.count > 1 || !list.skipped.isEmpty {
            let counts = OutputCounts(
                converted: total.successCount, failed: total.failureCount, skipped: list.skipped.count)
            let verb = files.dryRun ? "would be \(rewrite.verb)" : rewrite.verb
            StandardError.note(
                counts.text(
                    verb, sizes: total.successCount > 0 ? total.sizes : nil, canForce: files.existing == .refuse))
        }
        guard total.failureCount == 0 else { throw ExitCode.failure }
    }

    private func change(_ entry: ConversionList.Entry, _ progress: ProgressBar) -> ConversionSummary {
        do throws(ImageError) {
            let source = try entry.input.open()
            try limits.checkInput(source)
            let file = try source.bytes()
            let name: String? = if case .file(let path) = entry.output { path } else { nil }
            let changed = try rewrite.applied(to: file, outputName: name)
            if !files.dryRun { try write(changed, of: file, entry) }
            let byteCount = changed.bytes?.count ?? file.count
            progress.advance(message: message(changed, entry, from: file.count, to: byteCount))
            return ConversionSummary(Conversion.Result(inputByteCount: file.count, outputByteCount: byteCount))
        } catch {
            progress.advance(message: "Error: \(error.message(about: entry.input))\n")
            if report.json { print(error.json(about: entry.input).compactText) }
            return ConversionSummary(failureCount: 1)
        }
    }

    /// Writes the changed file, or a copy of an unchanged one that isn't its own output.
    private func write(
        _ changed: RewrittenFile, of file: [UInt8], _ entry: ConversionList.Entry
    ) throws(ImageError) {
        let isOwnOutput = entry.output.identity.map { $0 == entry.input.identity } ?? false
        guard changed.bytes != nil || !isOwnOutput else { return }
        if let folder = entry.folder { try FileSystem.makeFolder(folder) }
        let output = try EncodedOutput(entry.output, overwrites: files.overwrites, keepsTimes: files.inPlace)
        try output.write(changed.bytes ?? file)
        try output.commit()
    }

    /// Prints a result as JSON, or returns the lines for people; nil for none.
    private func message(
        _ changed: RewrittenFile, _ entry: ConversionList.Entry, from old: Int, to new: Int
    ) -> String? {
        if report.json {
            let members: [(String, JSONValue)] = [
                ("input", .string("\(entry.input)")), ("output", .string("\(entry.output)")),
                ("inputBytes", .integer(old)), ("outputBytes", .integer(new)),
                ("changed", .boolean(changed.bytes != nil)),
            ]
            print(JSONValue.object(members + changed.json).compactText)
        }
        guard !report.quiet else { return nil }
        var lines: [String] = []
        if report.verbose || files.dryRun && !report.json {
            let share = old > 0 ? 100 * Double(new - old) / Double(old) : 0
            let result = changed.bytes == nil ? "unchanged" : "\(share > 0 ? "+" : "")\(share.formatted(decimals: 1)) %"
            lines.append("\(entry.input): \(ByteCount(old)) to \(ByteCount(new)), \(result)")
        }
        if let note = changed.note { lines.append("\(entry.input): \(note)") }
        return lines.isEmpty ? nil : lines.joined(separator: "\n") + "\n"
    }
}

extension DecodingLimits {
    /// Checks the length of a file before it is read.
    fileprivate func checkInput(_ source: Source) throws(ImageError) {
        guard source.byteCount ?? 0 <= maximumInputByteCount else {
            throw ImageError(
                .limitExceeded,
                "the file has \(source.byteCount ?? 0) bytes; the limit is \(maximumInputByteCount)"
                    + " (DecodingLimits.maximumInputByteCount)")
        }
    }
}
