internal import Synchronization

/// A line on the terminal for each piece of work under way, and one that counts; nothing where standard error is no
/// terminal.
///
/// Where the terminal has fewer lines than there is work under way, those that began first are shown.
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
    private let isShown = StandardError.isTerminal
    private let state = Mutex(State())

    /// Bars for `total` pieces of work.
    init(total: Int) { self.total = total }

    /// Says that `done` of `total` bytes are there, nil where it isn't known how many there will be.
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

    /// Says that a piece is done; `message`, if any, is printed above the bars.
    func end(_ id: Int, message: String? = nil) {
        state.withLock { state in
            state.lines.removeAll { $0.id == id }
            state.endedCount += 1
            if let message { StandardError.write(clearing(&state) + message) }
            if isShown { draw(&state) }
        }
    }

    /// Takes the lines away.
    func finish() {
        state.withLock { state in StandardError.write(clearing(&state)) }
    }

    /// What removes the lines that are there: they are the last ones, the cursor below them.
    private func clearing(_ state: inout State) -> String {
        defer { state.drawnCount = 0 }
        return state.drawnCount == 0 ? "" : "\u{1B}[\(state.drawnCount)A\r\u{1B}[J"
    }

    private func draw(_ state: inout State) {
        let columnCount = StandardError.columnCount - 1
        var text = clearing(&state)
        // One for the count, and one for the cursor.
        let lines = state.lines.prefix(max(0, StandardError.rowCount - 2))
        for line in lines { text += Self.text(line, columnCount) + "\n" }
        text += "\("\(state.endedCount) of \(total) done".prefix(max(0, columnCount)))\n"
        StandardError.write(text)
        state.drawnCount = lines.count + 1
        state.lastDrawing = .now
    }

    private static func text(_ line: Line, _ columnCount: Int) -> String {
        let nameWidth = max(8, min(30, columnCount / 3))
        let name = fitted(line.name, nameWidth)
        var label = "\(ByteCount(line.done))"
        if let total = line.total { label += " of \(ByteCount(total))" }
        let width = min(40, columnCount - nameWidth - max(24, label.count) - 5)
        guard width > 0 else { return String("\(name) \(label)".prefix(max(0, columnCount))) }
        let share = line.total.map { $0 > 0 ? min(1, Double(line.done) / Double($0)) : 1 } ?? 0
        return "\(name)  \(TerminalLine.bar(Int(Double(width) * share), of: width)) \(label)"
    }

    /// `name` on exactly so many columns.
    private static func fitted(_ name: String, _ columnCount: Int) -> String {
        // What lies behind the alphabets of Europe and the Near East may take two columns; a line must never break.
        func width(_ text: String) -> Int {
            text.reduce(0) { $0 + ($1.unicodeScalars.contains { $0.value >= 0x1100 && $0 != "…" } ? 2 : 1) }
        }
        var shown = name
        while width(shown) > columnCount { shown = shown.dropLast(shown.last == "…" ? 2 : 1) + "…" }
        return shown + String(repeating: " ", count: columnCount - width(shown))
    }
}
