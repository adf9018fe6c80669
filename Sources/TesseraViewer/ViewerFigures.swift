#if GTK
internal import Essentials
internal import ImageViewsGTK
internal import Platform
internal import ImageFormats
internal import Tessera

/// What the benchmark asks for: how long the window's loop was kept by each call into the program, and how much memory the
/// program took. Written where the variable TESSERA_VIEW_FIGURES says, as JSON in seconds and bytes.
@MainActor
struct ViewerFigures {
    private let path: String

    /// Begins to measure; nil where nobody asks.
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
