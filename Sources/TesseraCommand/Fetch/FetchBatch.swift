internal import ImageLoading
internal import Tessera

/// Pictures fetched side by side, with a word on each that fails and a table of the others at the end.
struct FetchBatch {
    let entries: [FetchEntry]
    let settings: FetchSettings
    let pipeline: ImagePipeline

    /// Does the work; so many are begun that `jobs` can be loading while others are decoded and written.
    /// - Returns: Whether all of it was done.
    func run(jobs: Int) async -> Bool {
        let bars = ProgressBars(total: entries.count)
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
                startNext()
            }
        }
        await pipeline.flush()
        bars.finish()

        let fetched = results.compactMap { $0 }
        if !fetched.isEmpty { print(FetchTable(results: fetched)) }
        let failureCount = entries.count - fetched.count
        if entries.count > 1 {
            var text = "\(fetched.count) of \(entries.count) pictures fetched"
            if !fetched.isEmpty { text += ", \(ByteCount(fetched.reduce(0) { $0 + $1.byteCount }))" }
            StandardError.note(failureCount == 0 ? text : text + "; \(failureCount) failed")
        }
        return failureCount == 0
    }

    private func fetch(_ index: Int, _ bars: ProgressBars) async -> FetchResult? {
        let entry = entries[index]
        let name = entry.name.stem
        let fetch = PictureFetch(entry: entry, settings: settings, pipeline: pipeline) { progress in
            bars.update(index, name: name, done: progress.completedByteCount, total: progress.totalByteCount)
        }
        do {
            let result = try await fetch.run()
            bars.end(index, message: result.note.map { "\($0)\n" })
            return result
        } catch {
            bars.end(index, message: "Error: \(entry.message(about: error))\n")
            return nil
        }
    }
}

/// What was fetched, a row for each picture: where it came from, and what each stage took.
struct FetchTable: CustomStringConvertible {
    let results: [FetchResult]

    private static let stages: [ImagePipeline.Stage] = [.cache, .data, .decode, .process]

    var description: String {
        // A stage that no picture passed gets no column.
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
    /// The time with its unit, to three digits or so.
    var milliseconds: String {
        let value = self / .milliseconds(1)
        return value < 10_000
            ? "\(value.formatted(decimals: value < 10 ? 2 : value < 100 ? 1 : 0)) ms"
            : "\((value / 1000).formatted(decimals: 1)) s"
    }
}

/// A picture that was fetched.
struct FetchResult: Sendable {
    /// The file that it is in.
    let path: String
    /// Width and height in pixels; nil for what isn't known as a picture here.
    let size: PixelSize?
    /// The file's bytes.
    let byteCount: Int
    /// Where the picture came from, in a word.
    let source: String
    /// What that took.
    let metrics: ImageTaskMetrics
    /// What making the file took.
    let writing: Duration
    /// What is good to know of it.
    var note: String?
}
