internal import Platform
internal import Synchronization

/// A progress line for each running item, and a line with the count of finished ones. Nothing is shown unless standard
/// error is a terminal.
///
/// If the terminal has too few lines, the items that began first are shown.
final class ProgressBars: Sendable {
    private struct Line {
        let id: Int
        let name: String
        var done: Int
        var total: Int?
    }

    private struct State {
        var lines: [Line] = []
        var endedCount = 0
        var drawnCount = 0
        var lastDrawing: ContinuousClock.Instant?
    }

    private let total: Int
    private let isShown: Bool
    private let state = Mutex(State())

    /// Creates bars for `total` items.
    init(total: Int, isQuiet: Bool = false) {
        self.total = total
        isShown = StandardError.isTerminal && !isQuiet
    }

    /// Reports that `done` of `total` bytes have arrived; nil for an unknown total.
    func update(_ id: Int, name: String, done: Int, total: Int?) {
        guard isShown else { return }
        state.withLock { state in
            if let index = state.lines.firstIndex(where: { $0.id == id }) {
                state.lines[index].done = done
                state.lines[index].total = total
            } else {
                state.lines.append(Line(id: id, name: name, done: done, total: total))
            }
            if done != total, let last = state.lastDrawing, .now - last < .milliseconds(50) { return }
            draw(&state)
        }
    }

    /// Ends an item; prints `message`, if any, above the bars.
    func end(_ id: Int, message: String? = nil) {
        state.withLock { state in
            state.lines.removeAll { $0.id == id }
            state.endedCount += 1
            if let message { StandardError.write(clearing(&state) + message.printable) }
            if isShown { draw(&state) }
        }
    }

    /// Clears the lines.
    func finish() {
        state.withLock { state in StandardError.write(clearing(&state)) }
    }

    /// Returns the control sequence that clears the drawn lines, which end just above the cursor.
    private func clearing(_ state: inout State) -> String {
        defer { state.drawnCount = 0 }
        return state.drawnCount == 0 ? "" : "\u{1B}[\(state.drawnCount)A\r\u{1B}[J"
    }

    private func draw(_ state: inout State) {
        let columnCount = StandardError.columnCount - 1
        var text = clearing(&state)
        // Leaves one line for the count and one for the cursor.
        let lines = state.lines.prefix(max(0, StandardError.rowCount - 2))
        for line in lines { text += Self.text(line, columnCount) + "\n" }
        text += "\("\(state.endedCount) of \(total) done".prefix(max(0, columnCount)))\n"
        StandardError.write(text)
        state.drawnCount = lines.count + 1
        state.lastDrawing = .now
    }

    private static func text(_ line: Line, _ columnCount: Int) -> String {
        let nameWidth = max(8, min(30, columnCount / 3))
        let name = fitted(line.name.printable, nameWidth)
        var label = "\(ByteCount(line.done))"
        if let total = line.total { label += " of \(ByteCount(total))" }
        let width = min(40, columnCount - nameWidth - max(24, label.count) - 5)
        guard width > 0 else { return String("\(name) \(label)".prefix(max(0, columnCount))) }
        let share = line.total.map { $0 > 0 ? min(1, Double(line.done) / Double($0)) : 1 } ?? 0
        return "\(name)  \(TerminalLine.bar(Int(Double(width) * share), of: width)) \(label)"
    }

    /// Truncates or pads `name` to exactly `columnCount` columns.
    private static func fitted(_ name: String, _ columnCount: Int) -> String {
        let shown = name.fitted(to: columnCount)
        return shown + String(repeating: " ", count: columnCount - shown.columnCount)
    }
}

extension String {
    /// The number of columns of a terminal, at most: characters from U+1100 on may be two wide.
    fileprivate var columnCount: Int {
        reduce(0) { $0 + ($1.unicodeScalars.contains { $0.value >= 0x1100 && $0 != "…" } ? 2 : 1) }
    }

    /// The text, cut so that a line of so many columns doesn't wrap.
    func fitted(to count: Int) -> String {
        var shown = self
        while shown.columnCount > count { shown = shown.dropLast(shown.last == "…" ? 2 : 1) + "…" }
        return shown
    }
}
