#if Server
package import Metrics
internal import Synchronization

/// Collects metrics and exposes them in Prometheus's text format 0.0.4.
package final class PrometheusMetrics: MetricsFactory {
    private struct Key: Hashable, Comparable {
        let name: String
        let labels: String

        static func < (a: Key, b: Key) -> Bool { (a.name, a.labels) < (b.name, b.labels) }
    }

    private struct Series {
        var counters: [Key: PrometheusCounter] = [:]
        var gauges: [Key: PrometheusGauge] = [:]
        var histograms: [Key: PrometheusHistogram] = [:]
    }

    private let series = Mutex(Series())

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(\.counters, label, dimensions, PrometheusCounter.init)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate
            ? handler(\.histograms, label, dimensions, PrometheusHistogram.init)
            : handler(\.gauges, label, dimensions, PrometheusGauge.init)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(\.histograms, label, dimensions, PrometheusHistogram.init)
    }

    /// Returns the handler with this name and these labels, which is created on first use.
    private func handler<Handler: Sendable>(
        _ kind: WritableKeyPath<Series, [Key: Handler]>, _ label: String, _ dimensions: [(String, String)],
        _ make: () -> Handler
    ) -> Handler {
        let key = Self.key(label, dimensions)
        return series.withLock { series in
            let handler = series[keyPath: kind][key] ?? make()
            series[keyPath: kind][key] = handler
            return handler
        }
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics in the text format.
    /// - Parameter gauges: Current values by name, added to the recorded ones.
    package func text(_ gauges: [(name: String, value: Int)]) -> String {
        let series = series.withLock { $0 }
        var lines: [String] = []
        var lastName = ""
        func begin(_ name: String, _ type: String) {
            if name != lastName { lines.append("# TYPE \(name) \(type)") }
            lastName = name
        }
        func add<Handler>(_ handlers: [Key: Handler], _ type: String, _ text: (Key, Handler) -> [String]) {
            for (key, handler) in handlers.sorted(by: { $0.key < $1.key }) {
                begin(key.name, type)
                lines += text(key, handler)
            }
        }
        add(series.counters, "counter") { ["\($0.name)\(Self.braced($0.labels)) \($1.value)"] }
        add(series.gauges, "gauge") { ["\($0.name)\(Self.braced($0.labels)) \($1.value)"] }
        for gauge in gauges {
            begin(gauge.name, "gauge")
            lines.append("\(gauge.name) \(gauge.value)")
        }
        add(series.histograms, "histogram") { $1.lines(name: $0.name, labels: $0.labels) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func key(_ label: String, _ dimensions: [(String, String)]) -> Key {
        let labels = dimensions.map { "\(name($0.0))=\"\(escaped($0.1))\"" }.joined(separator: ",")
        return Key(name: name(label), labels: labels)
    }

    /// Replaces characters other than letters, digits, underscores and colons.
    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    static func braced(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
}

/// A monotonic counter.
final class PrometheusCounter: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }
}

/// The last recorded value.
final class PrometheusGauge: RecorderHandler {
    private let last = Mutex(0.0)

    var value: Double { last.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { last.withLock { $0 = value } }
}

/// A histogram of recorded values. Times are in seconds.
final class PrometheusHistogram: TimerHandler, RecorderHandler {
    private struct State {
        var counts = [Int64](repeating: 0, count: PrometheusHistogram.bounds.count + 1)
        var sum = 0.0
    }

    private static let bounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let index = Self.bounds.firstIndex { value <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.counts[index] += 1
            state.sum += value
        }
    }

    func lines(name: String, labels: String) -> [String] {
        let state = state.withLock { $0 }
        let before = labels.isEmpty ? "" : labels + ","
        var total: Int64 = 0
        var lines: [String] = []
        for (index, count) in state.counts.enumerated() {
            total += count
            let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
            lines.append("\(name)_bucket{\(before)le=\"\(bound)\"} \(total)")
        }
        lines.append("\(name)_sum\(PrometheusMetrics.braced(labels)) \(state.sum)")
        lines.append("\(name)_count\(PrometheusMetrics.braced(labels)) \(total)")
        return lines
    }
}
#endif
