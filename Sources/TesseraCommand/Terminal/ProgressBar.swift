internal import Synchronization

/// A progress line on the terminal; nothing is shown unless standard error is a terminal.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var line = TerminalLine()
    }

    private let total: Int
    private let isShown: Bool
    private let state = Mutex(State())

    /// Creates a bar for `total` items; it is hidden if there is only one, or if `isQuiet`.
    init(total: Int, isQuiet: Bool = false) {
        self.total = total
        isShown = total > 1 && !isQuiet && StandardError.isTerminal
    }

    /// Counts one more item; prints `message`, if any, above the bar.
    func advance(message: String? = nil) {
        state.withLock { state in
            state.done += 1
            if let message {
                state.line.clear()
                StandardError.writeMessage(message)
            }
            guard isShown, message != nil || state.done >= total || state.line.isDue else { return }
            let label = " \(state.done) of \(total)"
            let width = min(40, StandardError.columnCount - label.count - 3)
            if width > 0 { state.line.draw(TerminalLine.bar(width * state.done / total, of: width) + label) }
        }
    }

    /// Clears the line.
    func finish() {
        state.withLock { $0.line.clear() }
    }
}

/// A line on the terminal that is redrawn.
struct TerminalLine {
    private var isDrawn = false
    private var lastDrawing: ContinuousClock.Instant?

    /// Whether at least 50 ms have passed since the last drawing.
    var isDue: Bool { lastDrawing.map { .now - $0 >= .milliseconds(50) } ?? true }

    mutating func draw(_ text: String) {
        StandardError.write("\r\u{1B}[K" + text)
        isDrawn = true
        lastDrawing = .now
    }

    /// Clears the line.
    mutating func clear() {
        if isDrawn { StandardError.write("\r\u{1B}[K") }
        isDrawn = false
    }

    /// Returns a bar of `width` columns with `filled` of them filled.
    static func bar(_ filled: Int, of width: Int) -> String {
        "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled) + "]"
    }
}
