internal import Tessera

/// Pictures fetched side by side, with a word on each that fails and a table of the others at the end.
struct FetchBatch {
    private let entries: [FetchEntry]
    private let settings: FetchSettings
    private let pipeline: ImagePipeline

    init(_ list: FetchList, settings: FetchSettings, pipeline: ImagePipeline) {
        entries = list.entries
        self.settings = settings
        self.pipeline = pipeline
    }

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
        if !fetched.isEmpty { print(FetchTable(fetched)) }
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
