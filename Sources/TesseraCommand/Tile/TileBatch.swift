internal import ImagePyramid
internal import Tessera

/// Pyramids one after the other, each on all processors, with a word on each that fails and one on all at the end.
struct TileBatch: Sendable {
    private let list: TileList
    private let settings: TileSettings

    init(_ list: TileList, settings: TileSettings) {
        self.list = list
        self.settings = settings
    }

    /// Does the work.
    /// - Returns: Whether all of it was done.
    func run() async -> Bool {
        for failure in list.failures { StandardError.report(failure.error.message(about: failure.input)) }
        guard !list.entries.isEmpty || !list.failures.isEmpty else {
            StandardError.report("there are no pictures in these folders; --recursive looks deeper")
            return false
        }
        var (successCount, failureCount, tileCount) = (0, list.failures.count, 0)
        for (index, entry) in list.entries.enumerated() {
            let name = list.entries.count > 1 ? "\(index + 1)/\(list.entries.count) " : ""
            let progress = TileProgress(name: name)
            do throws(ImageError) {
                tileCount += try build(entry, progress)
                successCount += 1
            } catch {
                progress.finish()
                StandardError.report(error.message(about: entry.input))
                failureCount += 1
                if error.code == .cancelled { break }
            }
        }
        let count = successCount + failureCount
        if count > 1 {
            let failed = failureCount > 0 ? "; \(failureCount) failed" : ""
            StandardError.note("\(successCount) of \(count) pictures became \(tileCount) tiles\(failed)")
        }
        return failureCount == 0
    }

    /// Makes one pyramid.
    /// - Returns: How many tiles it has.
    private func build(_ entry: TileList.Entry, _ progress: TileProgress) throws(ImageError) -> Int {
        if settings.resumes, !entry.canResume {
            StandardError.note("\(entry.output): an interrupted archive or TIFF can't be gone on with; it starts over")
        }
        let options = DecodingOptions(limits: settings.limits)
        let source =
            switch entry.input {
            case .standardInput: try PyramidSource(FileByteSource.standardInput(), options: options)
            case .file(let path): try PyramidSource(path: path, options: options)
            }
        if let folder = entry.folder { try FileSystem.makeFolder(folder) }
        let geometry = try entry.geometry(of: source.size, settings)
        let sink = try entry.sink(geometry, settings)
        var builder = PyramidBuilder(geometry, encoding: entry.encoding(settings))
        builder.keepsPartial = settings.keepsPartial
        try builder.build(source, into: sink) { progress.update(done: $0.tileCount, of: $0.totalTileCount) }
        progress.finish()
        return geometry.tileCount
    }
}
