internal import ImageFormats
internal import Synchronization
internal import ImagePyramid
internal import Tessera

/// Builds pyramids one after another, each on all processors; reports each failure, and a summary at the end.
struct TileBatch: Sendable {
    let list: TileList
    let settings: TileSettings
    let report: ReportArguments

    /// Builds all pyramids.
    /// - Returns: Whether all succeeded.
    func run() async -> Bool {
        for failure in list.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard !list.entries.isEmpty || !list.failures.isEmpty else {
            StandardError.report("there are no images in these folders; --recursive looks deeper")
            return false
        }
        var (successCount, failureCount, tileCount) = (0, list.failures.count, 0)
        for (index, entry) in list.entries.enumerated() {
            let name = list.entries.count > 1 ? "\(index + 1)/\(list.entries.count) " : ""
            let progress = TileProgress(name: name, isQuiet: report.quiet)
            do throws(ImageError) {
                let count = try build(entry, progress)
                report.record(
                    [
                        ("input", .string("\(entry.input)")), ("output", .string(entry.output)),
                        ("tiles", .integer(count)),
                    ], "\(entry.input) -> \(entry.output): \(count) tiles")
                tileCount += count
                successCount += 1
            } catch {
                progress.finish()
                report.printFailure(error, of: entry.input)
                failureCount += 1
                if error.code == .cancelled { break }
            }
        }
        let count = successCount + failureCount
        if count > 1, !report.quiet {
            let failed = failureCount > 0 ? "; \(failureCount) failed" : ""
            StandardError.note("\(successCount) of \(count) pictures became \(tileCount) tiles\(failed)")
        }
        return failureCount == 0
    }

    /// Builds one pyramid.
    /// - Returns: The number of its tiles.
    private func build(_ entry: TileList.Entry, _ progress: TileProgress) throws(ImageError) -> Int {
        if BucketFiles.isAddress(entry.output) {
            let pyramid = try BucketPyramid(entry, overwrites: settings.overwrites)
            let count = try build(pyramid.entry, progress)
            try pyramid.write(overwrites: settings.overwrites)
            return count
        }
        if settings.resumes, !entry.canResume {
            StandardError.note("\(entry.output): an interrupted archive or TIFF can't be gone on with; it starts over")
        }
        let options = DecodingOptions(limits: settings.limits)
        let source = try PyramidSource(entry.input.open(), options: options, registry: settings.registry)
        let geometry = try entry.geometry(of: source.size, settings)
        let encoding = try entry.encoding(settings, hasAlpha: source.header?.hasAlpha ?? false)
        if let folder = entry.folder { try FileSystem.makeFolder(folder) }
        let sink = try entry.sink(geometry, encoding, settings)
        var builder = PyramidBuilder()
        builder.keepsPartial = settings.keepsPartial
        builder.keepsGainMap = settings.keepsGainMap
        builder.codecs = settings.registry
        try builder.build(source, into: sink) { progress.update(done: $0.tileCount, of: $0.totalTileCount) }
        progress.finish()
        return geometry.tileCount
    }
}

/// A progress line for one pyramid: tiles done, rate and time left. Nothing is shown unless standard error is a
/// terminal.
final class TileProgress: Sendable {
    private struct State {
        var line = TerminalLine()
        var first: Int?
    }

    private let isShown: Bool
    private let start = ContinuousClock.now
    private let name: String
    private let state = Mutex(State())

    /// Creates a line that begins with `name`.
    init(name: String = "", isQuiet: Bool = false) {
        self.name = name
        isShown = StandardError.isTerminal && !isQuiet
    }

    /// Reports that `done` of `total` tiles are complete.
    func update(done: Int, of total: Int) {
        guard isShown, total > 0 else { return }
        state.withLock { state in
            let first = state.first ?? done
            state.first = first
            guard done >= total || state.line.isDue else { return }
            let seconds = max(0.001, (ContinuousClock.now - start) / .seconds(1))
            state.line.draw(
                name + Self.text(done, total, first, seconds, columnCount: StandardError.columnCount - name.count))
        }
    }

    /// Clears the line.
    func finish() {
        state.withLock { $0.line.clear() }
    }

    /// Formats the line for the terminal's width.
    /// - Parameter first: The number of tiles that existed at the start.
    static func text(_ done: Int, _ total: Int, _ first: Int, _ seconds: Double, columnCount: Int) -> String {
        let rate = Double(done - first) / seconds
        var label = " \(done) of \(total) tiles, \(rate.formatted(decimals: 0)) a second"
        if rate > 0, done < total { label += ", \(duration(Double(total - done) / rate)) left" }
        let width = min(40, columnCount - label.count - 3)
        guard width > 0 else { return String(label.prefix(max(0, columnCount - 1))) }
        return TerminalLine.bar(width * done / total, of: width) + label
    }

    /// Formats a duration in seconds: `12 s`, `3 min 20 s`, `2 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        let seconds = Int(min(seconds, 3.6e8).rounded(.up))
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }
}
