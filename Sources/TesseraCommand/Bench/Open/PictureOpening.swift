internal import ImageFormats
internal import ImagePyramid
internal import Raster
internal import Tessera

/// Opens images concurrently, in one of several ways, and measures the time.
struct PictureOpening: Sendable {
    let decoding: DecodingOptions
    let tiles: RawTileStore.Options
    /// The folder for indexes; nil to keep none.
    let indexes: String?

    /// A way of opening an image.
    enum Way: String, CaseIterable, Sendable {
        case atOnce = "at once"
        case onDemand = "on demand"
        case built
        case generic
        case oneShot = "one-shot"
        case incremental
        case byIndex = "by index"
    }

    /// The result for one image.
    struct Outcome: Sendable {
        let picture: ArrivingBytes
        var size: PixelSize?
        /// The times at which decoding began and ended.
        var start: ContinuousClock.Instant
        var end: ContinuousClock.Instant
        /// The time at which the last byte arrived.
        var lastByte: ContinuousClock.Instant
        var error: (any Error)?
    }

    /// The results for all images.
    struct Run: Sendable {
        let way: Way
        let outcomes: [Outcome]
        /// The time from the request of the first byte to the last tile.
        let elapsed: Duration

        var failures: [(ArrivingBytes, any Error)] {
            outcomes.compactMap { outcome in outcome.error.map { (outcome.picture, $0) } }
        }

        var row: [String] {
            let done = outcomes.filter { $0.error == nil }
            let pixels = done.reduce(0.0) { $0 + Double($1.size?.pixelCount ?? 0) } / 1_000_000
            let start = done.map(\.start).min()
            let end = done.map(\.end).max()
            let late = done.map { max(.zero, $0.end - $0.lastByte) }.max()
            return [
                way.rawValue, "\(done.count) of \(outcomes.count)", pixels.formatted(decimals: 1),
                start.flatMap { start in end.map { $0 - start } }?.milliseconds ?? "", late?.milliseconds ?? "",
                elapsed.milliseconds,
            ]
        }
    }

    func run(_ pictures: [ArrivingBytes], _ way: Way) async -> Run {
        let start = ContinuousClock.now
        let outcomes = await withTaskGroup { group in
            for (index, picture) in pictures.enumerated() { group.addTask { (index, await open(picture, way)) } }
            var outcomes: [(Int, Outcome)] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes.sorted { $0.0 < $1.0 }.map(\.1)
        }
        return Run(way: way, outcomes: outcomes, elapsed: .now - start)
    }

    private func open(_ picture: ArrivingBytes, _ way: Way) async -> Outcome {
        let times = ArrivingBytes.Times()
        let pieces = picture.pieces(times)
        let now = ContinuousClock.now
        var outcome = Outcome(picture: picture, start: now, end: now, lastByte: now)
        do {
            if way == .byIndex {
                // An index needs the complete file.
                for try await _ in pieces {}
                outcome.start = .now
                outcome.size = try await openByIndex(picture)
                outcome.end = .now
            } else if way == .incremental {
                let arriving = ArrivingImage(
                    pieces, options: ArrivingImage.Options(decoding: decoding, tiles: tiles))
                try await arriving.complete()
                outcome.end = .now
                outcome.size = try await arriving.header().size
                outcome.start = times.first ?? now
            } else {
                var bytes: [UInt8] = []
                for try await piece in pieces { bytes += piece }
                outcome.start = .now
                outcome.size = try await decode(bytes, way)
                outcome.end = .now
            }
        } catch {
            outcome.error = error
        }
        outcome.lastByte = times.last ?? now
        return outcome
    }

    /// Decodes as much of `bytes`, the whole file, as the way of opening shows.
    private func decode(_ bytes: [UInt8], _ way: Way) async throws -> PixelSize {
        try await withTaskExecutorPreference(ImageExecutor.shared) {
            switch way {
            case .atOnce:
                let header = try ImageSource.header(of: bytes, options: decoding)
                let target = header.size.fitted(within: PixelSize(width: 1024, height: 1024))
                let decoded = try ImageSource.decode(bytes, plan: DecodingPlan(targetSize: target), options: decoding)
                if let error = decoded.error { throw error }
                return header.size
            case .onDemand:
                let picture = try await TiledImage(
                    bytes, options: TiledImage.Options(limits: decoding.limits, store: tiles))
                try await showMiddle(of: picture)
                return picture.size
            case .built:
                let folder = try TemporaryFolder()
                let source = try PyramidSource(Source(bytes), options: decoding)
                let geometry = try PyramidGeometry(size: source.size)
                let file = try PackedPyramidWriter(
                    path: folder.file("pyramid"), geometry: geometry, encoding: TileEncoding())
                try PyramidBuilder().build(source, into: file)
                withExtendedLifetime(folder) {}
                return source.size
            case .generic:
                let decoded = try ImageSource.decode(bytes, options: decoding)
                if let error = decoded.error { throw error }
                return try fill(from: decoded.bitmap.makeRowSource(), .up)
            case .oneShot, .incremental, .byIndex:
                var options = decoding
                options.appliesOrientation = false
                let rows = try ImageRowSource(Source(bytes), options: options)
                return try fill(from: rows, rows.header.metadata.orientation)
            }
        }
    }

    /// Decodes one screen of tiles of a file by its index.
    private func openByIndex(_ picture: ArrivingBytes) async throws -> PixelSize {
        guard let path = picture.path else {
            throw ImageError(.unsupported, "an image from a server has no index; --index needs files")
        }
        let options = TiledImage.Options(
            limits: decoding.limits, store: tiles, index: indexes.map { .folder($0) })
        let opened = try await TiledImage(contentsOf: path, options: options)
        try await showMiddle(of: opened)
        return opened.size
    }

    private func showMiddle(of picture: TiledImage) async throws {
        for address in Self.middle(of: picture.geometry) { _ = try await picture.tile(address).bitmap() }
    }

    /// Returns one screen of full-size tiles from the centre of the image.
    private static func middle(of geometry: PyramidGeometry) -> [TileAddress] {
        let (columns, rows) = (geometry.columnCount(0), geometry.rowCount(0))
        let (left, top) = (max(0, columns / 2 - 4), max(0, rows / 2 - 2))
        return (top..<min(rows, top + 5)).flatMap { row in
            (left..<min(columns, left + 8)).map { TileAddress(level: 0, column: $0, row: row) }
        }
    }

    private func fill(from rows: any RowSource, _ orientation: Orientation) throws(ImageError) -> PixelSize {
        let rows = try rows.converted(to: .rgba8, alpha: rows.info.alpha.hasAlpha ? .premultiplied : .none)
        let store = try RawTileStore(
            size: orientation.applied(to: rows.info.size), orientation: orientation,
            hasAlpha: rows.info.alpha.hasAlpha, options: tiles)
        try rows.copyRows(to: RawTileWriter(store, rows: rows.info))
        return store.geometry.size
    }
}
