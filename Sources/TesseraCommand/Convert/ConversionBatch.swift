internal import Tessera

/// Runs conversions concurrently; reports each failure, and a summary at the end.
struct ConversionBatch {
    let list: ConversionList
    let settings: ConversionSettings

    /// Converts all files, at most `jobs` at a time.
    /// - Returns: Whether all succeeded.
    func run(jobs: Int) async -> Bool {
        for failure in list.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard !list.entries.isEmpty || !list.failures.isEmpty else {
            StandardError.report("there are no images in these folders; --recursive looks deeper")
            return false
        }
        let progress = ProgressBar(total: list.entries.count)
        var total = ConversionSummary(failureCount: list.failures.count)

        let entries = list.entries
        await withTaskExecutorPreference(ImageExecutor(width: jobs)) {
            await withTaskGroup(of: ConversionSummary.self) { group in
                var waiting = entries.makeIterator()
                func startNext() {
                    guard let entry = waiting.next() else { return }
                    group.addTask { Self.convert(entry, settings, progress, isAlone: entries.count == 1) }
                }
                for _ in 0..<jobs { startNext() }
                for await summary in group {
                    total.add(summary)
                    startNext()
                }
            }
        }
        progress.finish()
        if list.entries.count + list.failures.count > 1 { StandardError.note("\(total)") }
        return total.failureCount == 0
    }

    private static func convert(
        _ entry: ConversionList.Entry, _ settings: ConversionSettings, _ progress: ProgressBar, isAlone: Bool
    ) -> ConversionSummary {
        do throws(ImageError) {
            let result = try Conversion(entry: entry, settings: settings, isAlone: isAlone).run()
            progress.advance(message: result.note.map { "\($0)\n" })
            return ConversionSummary(result)
        } catch {
            progress.advance(message: "Error: \(error.message(about: entry.input))\n")
            return ConversionSummary(failureCount: 1)
        }
    }
}

/// The totals of several conversions.
struct ConversionSummary: Sendable, CustomStringConvertible {
    private(set) var successCount = 0
    private(set) var failureCount = 0
    private var inputByteCount = 0
    private var outputByteCount = 0

    init(failureCount: Int) { self.failureCount = failureCount }

    init(_ result: Conversion.Result) {
        successCount = 1
        inputByteCount = result.inputByteCount
        outputByteCount = result.outputByteCount
    }

    mutating func add(_ other: ConversionSummary) {
        successCount += other.successCount
        failureCount += other.failureCount
        inputByteCount += other.inputByteCount
        outputByteCount += other.outputByteCount
    }

    var description: String {
        var text = "\(successCount) of \(successCount + failureCount) files converted"
        if successCount > 0 { text += ", \(ByteCount(inputByteCount)) to \(ByteCount(outputByteCount))" }
        return failureCount == 0 ? text : text + "; \(failureCount) failed"
    }
}
