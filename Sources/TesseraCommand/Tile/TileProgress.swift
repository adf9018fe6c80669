internal import Synchronization

/// One line on the terminal that says how much of a pyramid is made, how fast, and how long it will take; nothing where
/// standard error is no terminal.
final class TileProgress: Sendable {
    private struct State {
        var isDrawn = false
        var lastDrawing: ContinuousClock.Instant?
        var first: Int?
    }

    private let isShown = StandardError.isTerminal
    private let start = ContinuousClock.now
    private let name: String
    private let state = Mutex(State())

    /// A line that begins with `name`.
    init(name: String = "") { self.name = name }

    /// Says that `done` of `total` tiles are made.
    func update(done: Int, of total: Int) {
        guard isShown, total > 0 else { return }
        state.withLock { state in
            let first = state.first ?? done
            state.first = first
            if done < total, let last = state.lastDrawing, .now - last < .milliseconds(50) { return }
            let seconds = max(0.001, (ContinuousClock.now - start) / .seconds(1))
            StandardError.write(
                "\r\u{1B}[K" + name
                    + Self.text(done, total, first, seconds, columnCount: StandardError.columnCount - name.count))
            state.isDrawn = true
            state.lastDrawing = .now
        }
    }

    /// Takes the line away.
    func finish() {
        state.withLock { state in
            if state.isDrawn { StandardError.write("\r\u{1B}[K") }
            state.isDrawn = false
        }
    }

    /// The line, for the terminal's width.
    /// - Parameter first: How many tiles were there at the beginning.
    static func text(_ done: Int, _ total: Int, _ first: Int, _ seconds: Double, columnCount: Int) -> String {
        let rate = Double(done - first) / seconds
        var label = " \(done) of \(total) tiles, \(rate.formatted(decimals: 0)) a second"
        if rate > 0, done < total { label += ", \(duration(Double(total - done) / rate)) left" }
        let width = min(40, columnCount - label.count - 3)
        guard width > 0 else { return String(label.prefix(max(0, columnCount - 1))) }
        let filled = width * done / total
        return "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled) + "]" + label
    }

    /// A time as people say it: `12 s`, `3 min 20 s`, `2 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 3.6e8).rounded(.up))
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}
