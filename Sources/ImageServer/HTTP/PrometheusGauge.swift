#if Server
internal import Metrics
internal import Synchronization

/// The last value that was measured.
final class PrometheusGauge: RecorderHandler {
    private let last = Mutex(0.0)

    /// The value.
    var value: Double { last.withLock { $0 } }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { last.withLock { $0 = value } }
}
#endif
