internal import Synchronization

/// One line on the terminal that says how far the work is; nothing where standard error is no terminal.
final class ProgressBar: Sendable {
    private struct State {
        var done = 0
        var isDrawn = false
        var lastDrawing: ContinuousClock.Instant?
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
                clear(&state)
                StandardError.write(message)
            }
            guard isShown, message != nil || isDue(state) else { return }
            draw(&state)
        }
    }

    /// Takes the line away.
    func finish() {
        state.withLock { clear(&$0) }
    }

    private func isDue(_ state: State) -> Bool {
        guard state.done < total, let last = state.lastDrawing else { return true }
        return ContinuousClock.now - last > .milliseconds(50)
    }

    private func draw(_ state: inout State) {
        let label = " \(state.done) of \(total)"
        let width = min(40, StandardError.columnCount - label.count - 3)
        guard width > 0 else { return }
        let filled = width * state.done / total
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: width - filled)
        StandardError.write("\r\u{1B}[K[\(bar)]\(label)")
        state.isDrawn = true
        state.lastDrawing = .now
    }

    private func clear(_ state: inout State) {
        guard state.isDrawn else { return }
        StandardError.write("\r\u{1B}[K")
        state.isDrawn = false
    }
}
