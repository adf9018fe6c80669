internal import Synchronization

/// One line on the terminal that says how far the work is; nothing where standard error is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var line = TerminalLine()
    }

    private let total: Int
    private let isShown: Bool
    private let state = Mutex(State())

    /// A bar for `total` pieces of work.
    init(total: Int) {
        self.total = total
        isShown = total > 1 && StandardError.isTerminal
    }

    /// One more is done; `message`, if any, is printed above the bar.
    func advance(message: String? = nil) {
        state.withLock { state in
            state.done += 1
            if let message {
                state.line.clear()
                StandardError.write(message)
            }
            guard isShown, message != nil || state.done >= total || state.line.isDue else { return }
            let label = " \(state.done) of \(total)"
            let width = min(40, StandardError.columnCount - label.count - 3)
            if width > 0 { state.line.draw(TerminalLine.bar(width * state.done / total, of: width) + label) }
        }
    }

    /// Takes the line away.
    func finish() {
        state.withLock { $0.line.clear() }
    }
}

/// A line on the terminal that is drawn again and again.
struct TerminalLine {
    private var isDrawn = false
    private var lastDrawing: ContinuousClock.Instant?

    /// Whether so much time has gone by since it was drawn that it may be drawn again.
    var isDue: Bool { lastDrawing.map { .now - $0 >= .milliseconds(50) } ?? true }

    mutating func draw(_ text: String) {
        StandardError.write("\r\u{1B}[K" + text)
        isDrawn = true
        lastDrawing = .now
    }

    /// Takes the line away.
    mutating func clear() {
        if isDrawn { StandardError.write("\r\u{1B}[K") }
        isDrawn = false
    }

    /// A bar that is filled on some of its columns.
    static func bar(_ filled: Int, of width: Int) -> String {
        "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled) + "]"
    }
}
