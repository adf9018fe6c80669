internal import Tessera

/// What was fetched, a row for each picture: where it came from, and what each stage took.
struct FetchTable: CustomStringConvertible {
    private let results: [FetchResult]

    init(_ results: [FetchResult]) { self.results = results }

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
    fileprivate var milliseconds: String {
        let value = self / .milliseconds(1)
        return value < 10_000
            ? "\(value.formatted(decimals: value < 10 ? 2 : value < 100 ? 1 : 0)) ms"
            : "\((value / 1000).formatted(decimals: 1)) s"
    }
}
