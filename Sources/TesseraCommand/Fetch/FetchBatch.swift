internal import ImageFormats
internal import ImageLoading
internal import Tessera

/// Fetches images concurrently; reports each failure, and prints a table of the others at the end.
struct FetchBatch {
    let entries: [FetchEntry]
    let settings: FetchSettings
    let pipeline: ImagePipeline
    let report: ReportArguments

    /// Fetches all images. More than `jobs` run at a time, so that some load while others are decoded and written.
    /// - Returns: Whether all succeeded.
    func run(jobs: Int) async -> Bool {
        let bars = ProgressBars(total: entries.count, isQuiet: report.quiet)
        var results = [FetchResult?](repeating: nil, count: entries.count)
        await withTaskGroup(of: (Int, FetchResult?).self) { group in
            var waiting = entries.indices.makeIterator()
            func startNext() {
                guard let index = waiting.next() else { return }
                group.addTask { (index, await fetch(index, bars)) }
            }
            for _ in 0..<jobs * 2 { startNext() }
            for await (index, result) in group {
                results[index] = result
                if let result { report.record(result.json(of: entries[index]), "\(result.path): \(result.source)") }
                startNext()
            }
        }
        await pipeline.flush()
        bars.finish()

        let fetched = results.compactMap { $0 }
        if !fetched.isEmpty { report.printResult(FetchTable(results: fetched).description) }
        let failureCount = entries.count - fetched.count
        if entries.count > 1, !report.quiet {
            var text = "\(fetched.count) of \(entries.count) pictures fetched"
            if !fetched.isEmpty { text += ", \(ByteCount(fetched.reduce(0) { $0 + $1.byteCount }))" }
            StandardError.note(failureCount == 0 ? text : text + "; \(failureCount) failed")
        }
        // Another file is kept, but isn't the picture that was wanted.
        return failureCount == 0 && fetched.allSatisfy(\.isImage)
    }

    private func fetch(_ index: Int, _ bars: ProgressBars) async -> FetchResult? {
        let entry = entries[index]
        let name = entry.name.stem
        let fetch = PictureFetch(entry: entry, settings: settings, pipeline: pipeline) { progress in
            bars.update(index, name: name, done: progress.completedByteCount, total: progress.totalByteCount)
        }
        do {
            let result = try await fetch.run()
            let note = "\(result.path) isn't in a known image format; it was written as it came\n"
            bars.end(index, message: result.isImage ? nil : note)
            return result
        } catch {
            bars.end(index, message: "Error: \(entry.message(about: error))\n")
            if report.json {
                print(
                    JSONValue.object([
                        ("url", .string(entry.label)), ("error", .string(entry.message(about: error))),
                    ]).compactText)
            }
            return nil
        }
    }
}

/// A table of fetched images: the source of each, and the time of each stage.
struct FetchTable: CustomStringConvertible {
    let results: [FetchResult]

    private static let stages: [ImagePipeline.Stage] = [.cache, .data, .decode, .process]

    var description: String {
        // Stages that no image went through have no column.
        let stages = Self.stages.filter { stage in
            results.contains { $0.metrics.stages.contains { $0.name == stage } }
        }
        var table = TextTable(
            ["picture", "size", "bytes", "source"] + stages.map(Self.heading) + ["writing", "total"])
        for result in results {
            let metrics = result.metrics
            let times = stages.map { stage in
                let passed = metrics.stages.filter { $0.name == stage }
                return passed.isEmpty ? "-" : passed.reduce(.zero) { $0 + $1.working }.milliseconds
            }
            table.append(
                [
                    result.path, result.size.map { "\($0.width)x\($0.height)" } ?? "-",
                    "\(ByteCount(result.byteCount))",
                    result.source,
                ] + times + [result.writing.milliseconds, (metrics.total + result.writing).milliseconds])
        }
        return "\(table)"
    }

    private static func heading(_ stage: ImagePipeline.Stage) -> String {
        switch stage {
        case .cache: "cache"
        case .data: "loading"
        case .decode: "decoding"
        case .process: "effects"
        case .encode: "encoding"
        }
    }
}

extension Duration {
    /// The duration with its unit and about three significant digits.
    var milliseconds: String {
        let value = self / .milliseconds(1)
        return value < 10_000
            ? "\(value.formatted(decimals: value < 10 ? 2 : value < 100 ? 1 : 0)) ms"
            : "\((value / 1000).formatted(decimals: 1)) s"
    }
}

/// A fetched image.
struct FetchResult: Sendable {
    /// The path of its file.
    let path: String
    /// The size in pixels; nil if the format is unknown.
    let size: PixelSize?
    /// The length of the file in bytes.
    let byteCount: Int
    /// The source of the image, in a word.
    let source: String
    /// The metrics of loading it.
    let metrics: ImageTaskMetrics
    /// The time to write the file.
    let writing: Duration
    /// Whether the file is in a known image format.
    let isImage: Bool

    /// The members of the result's object in JSON.
    func json(of entry: FetchEntry) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [("url", .string(entry.label)), ("output", .string(path))]
        if let size { members += [("width", .integer(size.width)), ("height", .integer(size.height))] }
        return members + [
            ("outputBytes", .integer(byteCount)), ("source", .string(source)),
            ("milliseconds", JSONValue(((metrics.total + writing) / .milliseconds(1)).rounded())),
        ]
    }
}
