#if Server
internal import Metrics
internal import Synchronization

/// How many measurements were how large. Times are in seconds.
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
