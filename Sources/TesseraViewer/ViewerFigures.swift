#if GTK
internal import Essentials
internal import ImageViewsGTK
internal import Platform
internal import ImageFormats
internal import Tessera

/// Measurements for the benchmark: the duration of each call from the main loop into Swift, and the peak memory use.
/// Written as JSON, in seconds and bytes, to the path in the environment variable TESSERA_VIEW_FIGURES.
@MainActor
struct ViewerFigures {
    private let path: String

    /// Starts to measure; nil if the variable isn't set.
    init?() {
        guard let value = getenv("TESSERA_VIEW_FIGURES") else { return nil }
        path = String(cString: value)
        GTKProgram.watchCalls()
    }

    func write() throws(ImageError) {
        let times = GTKProgram.watchedCalls.sorted()
        func seconds(_ part: Double) -> Double {
            times.isEmpty ? 0 : times[Int((Double(times.count - 1) * part).rounded(.up))] / .seconds(1)
        }
        let text = """
            {"calls": \(times.count), "median": \(seconds(0.5)), "p99": \(seconds(0.99)), "longest": \(seconds(1)), \
            "peak": \(PeakMemory.byteCount)}

            """
        let file = try AtomicFile(path: path, overwrites: true)
        try file.write(Array(text.utf8))
        try file.commit()
    }
}
#endif
