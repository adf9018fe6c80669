internal import ImageFormats
internal import JPEGBitstream
internal import Raster

/// A JPEG with indexed entropy-coded data: a window is assembled as a separate JPEG and decoded at full size, a half or
/// a quarter. Smaller levels are made from the eighth that indexing produces.
final class JPEGWindows: WindowSource {
    private let header: ImageHeader
    private let source: Source
    private let layout: JPEGTileLayout
    private let orientation: Orientation
    private let geometry: PyramidGeometry
    /// The index, the eighth and its halves, made when first requested.
    private let scan: SharedTask<JPEGScanResult>
    /// The stored index, if there is a valid one.
    private let kept: SharedTask<JPEGTileIndex?>
    /// Assembles tiles as separate files; nil if these wouldn't show the image correctly.
    private let tileAssembler: JPEGTileAssembler?
    private let windowAssembler: JPEGTileAssembler

    /// Levels up to this one are decoded from windows; libjpeg scales by eighths.
    private static let lastDecodedLevel = 2

    /// Reads the header of the JPEG in `source`.
    /// - Throws: `unsupported` if decoding can start only at the beginning of the data.
    init(
        _ header: ImageHeader, _ source: Source, orientation: Orientation, geometry: PyramidGeometry,
        _ indexFile: JPEGIndexFile?
    ) throws(ImageError) {
        self.header = header
        self.source = source
        self.orientation = orientation
        self.geometry = geometry
        let layout = try Self.layout(of: source, columnWidth: geometry.tileSize)
        self.layout = layout
        windowAssembler = JPEGTileAssembler(layout)
        tileAssembler =
            orientation == .up
            ? try JPEGTileProfile.segments(of: header).map { JPEGTileAssembler(layout, inserting: $0) } : nil
        let shape = geometry.levels.map { orientation.inverse.applied(to: $0) }
        scan = SharedTask { () throws(ImageError) in
            let result = try JPEGScanResult(
                layout, source, header: header, levels: Array(shape.dropFirst(Self.lastDecodedLevel + 1)))
            if let indexFile, indexFile.load(layout)?.hasEntries(of: result.index) != true {
                indexFile.save(result.index)
            }
            return result
        }
        kept = SharedTask { () throws(ImageError) in indexFile?.load(layout) }
    }

    /// Reads as much of the file as its header occupies.
    static func layout(of source: Source, columnWidth: Int) throws(ImageError) -> JPEGTileLayout {
        // A remote object's first 16 KiB are there since it was opened.
        var count = source.version == nil ? 1 << 16 : 1 << 14
        while true {
            let end = min(count, source.length)
            let result = try source.withBytes(in: [0..<end]) { (file, _) -> Result<JPEGTileLayout, JPEGTileObstacle> in
                do throws(JPEGTileObstacle) {
                    return .success(try JPEGTileLayout(header: file.extracting(first: end), columnWidth: columnWidth))
                } catch {
                    return .failure(error)
                }
            }
            switch result {
            case .success(let layout): return layout
            case .failure(.incompleteHeader) where end < source.length: count *= 4
            case .failure(let obstacle): throw ImageError(.unsupported, obstacle.description)
            }
        }
    }

    // MARK: Progress

    var events: AsyncStream<ArrivingImage.Event> {
        let (stream, continuation) = AsyncStream<ArrivingImage.Event>.makeStream()
        let task = Task {
            do throws(ImageError) {
                let result = try await scan.value()
                if let eighth = result.levels.first {
                    continuation.yield(.preview(orientation.applied(to: eighth.size)))
                }
                continuation.yield(result.error.map { .failed($0) } ?? .complete)
            } catch {
                continuation.yield(.failed(error))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    var error: ImageError? {
        switch scan.result {
        case nil: nil
        case .success(let result): result.error
        case .failure(let error): error
        }
    }

    // MARK: Windows

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        let stored = orientation.inverse.applied(to: rect, in: geometry.levels[level])
        guard level <= Self.lastDecodedLevel else {
            let bitmap = try await scan.value().levels[level - Self.lastDecodedLevel - 1]
            return Image(try bitmap.cropped(to: stored), orientation: orientation)
        }
        let bitmap = try await withIndex { (index) throws(ImageError) in
            try await ImageExecutor.shared.run { () throws(ImageError) in try self.decode(stored, level: level, index) }
        }
        return Image(bitmap, orientation: orientation)
    }

    /// Calls `body` with the stored index if there is one, and again with an index made from the data if that fails.
    /// Uses the latter right away if the data has been read.
    private func withIndex<R: Sendable>(
        _ body: (JPEGTileIndex) async throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        if scan.result == nil, let index = try await kept.value() {
            do throws(ImageError) {
                return try await body(index)
            } catch  where error.code != .cancelled {
                // The index or the data is damaged; an index made from the data decides which.
            }
        }
        return try await body(scan.value().index)
    }

    /// Decodes the MCUs that `rect` of a level touches, and crops the result.
    private func decode(_ rect: PixelRect, level: Int, _ index: JPEGTileIndex) throws(ImageError) -> Bitmap {
        let (columnWidth, rowHeight) = (layout.columnWidth, layout.mcuHeight)
        let right = min(layout.width, (rect.x + rect.width) << level)
        let bottom = min(layout.height, (rect.y + rect.height) << level)
        let window = JPEGTileWindow(
            columns: (rect.x << level) / columnWidth..<((right - 1) / columnWidth + 1),
            rows: (rect.y << level) / rowHeight..<((bottom - 1) / rowHeight + 1))
        let left = (window.columns.lowerBound * columnWidth) >> level
        let top = (window.rows.lowerBound * rowHeight) >> level
        let file = try assemble(window, index, by: windowAssembler)
        let size = PixelSize(
            width: layout.x(of: window).count, height: layout.y(of: window).count)
        let target = PixelSize(width: (size.width - 1) >> level + 1, height: (size.height - 1) >> level + 1)
        // A decoder delivers at least twice the target size, so the target is half the level. A side that ends within a
        // pixel of the level is decoded larger.
        func half(_ length: Int) -> Int {
            length % (1 << level) == 0 ? max(1, (length >> level) / 2) : ((length - 1) >> level + 2) / 2
        }
        let halves = PixelSize(width: half(size.width), height: half(size.height))
        let decoded = try ImageSource.decode(
            file, plan: level == 0 ? .full : DecodingPlan(targetSize: halves),
            options: DecodingOptions(color: .asStored), registry: Self.registry)
        if let error = decoded.error { throw error }
        let part = PixelRect(x: rect.x - left, y: rect.y - top, width: rect.width, height: rect.height)
        return try decoded.bitmap.resampled(to: target, filter: .area).cropped(to: part)
            .withMeaning(alpha: .none, profile: header.profile).convertedToSRGB()
    }

    private static let registry = CodecRegistry([JPEGCodec()])

    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile? {
        let rect = geometry.rect(of: address)
        guard address.level == 0, let tileAssembler,
            let window = layout.window(x: rect.x..<(rect.x + rect.width), y: rect.y..<(rect.y + rect.height))
        else { return nil }
        return try await withIndex { (index) throws(ImageError) in
            EncodedTile(format: .jpeg, bytes: try self.assemble(window, index, by: tileAssembler))
        }
    }

    private func assemble(
        _ window: JPEGTileWindow, _ index: JPEGTileIndex, by assembler: JPEGTileAssembler
    ) throws(ImageError) -> [UInt8] {
        // In a wide image the rows of a window are far apart.
        let ranges = window.rows.compactMap {
            index.byteRange(of: JPEGTileWindow(columns: window.columns, rows: $0..<($0 + 1)))
        }
        guard ranges.count == window.rows.count, ranges.allSatisfy({ $0.upperBound <= source.length }) else {
            throw index.failure.map { ImageError($0) } ?? ImageError(.corrupt, "the window isn't in the file")
        }
        return try source.withBytes(in: ranges) { (bytes, offsets) throws(ImageError) in
            var file: [UInt8] = []
            do throws(JPEGBitstreamError) {
                try assembler.append(window, of: index, from: bytes, rowOffsets: offsets, to: &file)
            } catch {
                throw ImageError(error)
            }
            return file
        }
    }
}

extension ImageError {
    /// An error from reading a JPEG's markers or entropy-coded data.
    init(_ error: JPEGBitstreamError) {
        self.init(error.code == .truncated ? .truncated : .corrupt, error.message, byteOffset: error.offset)
    }
}

/// The result of one pass over a JPEG's entropy-coded data: the positions of its parts, and the small levels.
struct JPEGScanResult: Sendable {
    let index: JPEGTileIndex
    /// An eighth of the image, its half, and so on, in stored orientation, in sRGB.
    let levels: [Bitmap]

    /// The error that ended the index early; parts of the image after it are missing.
    var error: ImageError? { index.failure.map { ImageError($0) } }

    /// Reads all entropy-coded data of the JPEG in `source`.
    /// - Parameter levels: The sizes of the levels from the eighth on.
    init(
        _ layout: JPEGTileLayout, _ source: Source, header: ImageHeader, levels sizes: [PixelSize]
    ) throws(ImageError) {
        let eighth: Bitmap
        if sizes.isEmpty {
            index = try JPEGTileIndex(layout, source)
            levels = []
            return
        }
        var parallel = try JPEGParallelScan(layout, source)
        if let result = try parallel?.indexAndEighth(header.profile) {
            (index, eighth) = result
        } else {
            let indexer = try JPEGTileIndexer(layout, source, makesEighth: true)
            index = indexer.index
            guard let picture = indexer.eighth else {
                throw ImageError(.unsupported, "the JPEG's sampling is unusual")
            }
            eighth = try picture.makeBitmap(profile: header.profile)
        }
        var levels = [try eighth.convertedToSRGB()]
        for size in sizes.dropFirst() { levels.append(try levels[levels.count - 1].resampled(to: size, filter: .area)) }
        self.levels = levels
    }
}

extension JPEGTileIndex {
    /// The index of the JPEG in `source`, by reading all its entropy-coded data; damage ends it with a `failure`.
    init(_ layout: JPEGTileLayout, _ source: Source) throws(ImageError) {
        var parallel = try JPEGParallelScan(layout, source)
        if let index = try parallel?.index() {
            self = index
        } else {
            self = try JPEGTileIndexer(layout, source, makesEighth: false).index
        }
    }
}

extension JPEGTileIndexer {
    /// An indexer that has read all entropy-coded data of the JPEG in `source`.
    init(_ layout: JPEGTileLayout, _ source: Source, makesEighth: Bool) throws(ImageError) {
        self.init(layout, makesEighth: makesEighth)
        let reader = source.reader(from: layout.dataOffset)
        while !isFinished, try reader.nextBytes({ piece in append(piece) }) {}
        finish()
    }
}
