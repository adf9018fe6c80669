internal import ImageFormats
internal import JPEGBitstream
internal import Raster
internal import Synchronization

/// A JPEG of several scans, such as a progressive one, whose rows are entered through an index of its scans' states: at full
/// size, a half or a quarter. Smaller levels are made from an eighth, by the DC scans.
///
/// The index grows as parts are requested. No coefficients are kept, and of the pixels the rows decoded last.
final class JPEGScanWindows: WindowSource {
    private let reader: JPEGScanReader
    private let orientation: Orientation
    private let geometry: PyramidGeometry
    private let indexFile: JPEGIndexFile?
    /// The file's scans.
    private let script: SharedTask<JPEGScanScript>
    /// The eighth and its halves, in stored orientation, in sRGB.
    private let smallLevels: SharedTask<[Bitmap]>
    /// The states so far; nil until they are needed.
    private let index = Mutex<JPEGScanIndex?>(nil)
    /// Held while rows are decoded that the index doesn't have, so that two tasks don't pass through the same ones.
    private let advance = Mutex<Void>(())
    private let strips = Mutex<[Strip]>([])

    /// Levels up to this one are decoded from the scans; the DCT scales by eighths.
    private static let lastDecodedLevel = 2
    /// Whole rows are decoded, and the last ones kept for the tiles beside, if they take no more bytes than this.
    private static let largestStripByteCount = 24 << 20
    private static let stripCount = 2

    /// Rows of a level that are decoded, or being decoded.
    private struct Strip {
        let level: Int
        let rows: Range<Int>
        let bitmap: SharedTask<Bitmap>
    }

    /// Reads the header of the JPEG in `source`.
    /// - Throws: `unsupported` if decoding can start only at the beginning of the data.
    init(
        _ source: Source, options: DecodingOptions, orientation: Orientation, geometry: PyramidGeometry,
        _ indexFile: JPEGIndexFile?
    ) throws(ImageError) {
        let reader = try JPEGScanReader(source, options: options)
        self.reader = reader
        self.orientation = orientation
        self.geometry = geometry
        self.indexFile = indexFile
        let script = SharedTask { () throws(ImageError) in try reader.makeScript() }
        self.script = script
        let sizes = geometry.levels.dropFirst(Self.lastDecodedLevel + 1).map { orientation.inverse.applied(to: $0) }
        smallLevels = SharedTask { () throws(ImageError) in
            guard !sizes.isEmpty else { return [] }
            guard let known = script.result else {
                throw ImageError(.invalidParameter, "small levels were requested before the scans were known")
            }
            var levels = [try reader.makeEighth(known.get()).convertedToSRGB()]
            for size in sizes.dropFirst() {
                levels.append(try levels[levels.count - 1].resampled(to: size, filter: .area))
            }
            return levels
        }
    }

    // MARK: Progress

    var events: AsyncStream<ArrivingImage.Event> {
        let (stream, continuation) = AsyncStream<ArrivingImage.Event>.makeStream()
        let task = Task {
            do throws(ImageError) {
                let script = try await script.value()
                if let eighth = try await smallLevels.value().first {
                    continuation.yield(.preview(orientation.applied(to: eighth.size)))
                }
                continuation.yield(script.failure.map { .failed(ImageError($0)) } ?? .complete)
            } catch {
                continuation.yield(.failed(error))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    var error: ImageError? {
        if let failure = index.withLock({ $0?.failure }) { return ImageError(failure) }
        switch script.result {
        case nil: return nil
        case .success(let script): return script.failure.map { ImageError($0) }
        case .failure(let error): return error
        }
    }

    // MARK: Windows

    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image {
        let stored = orientation.inverse.applied(to: rect, in: geometry.levels[level])
        let script = try await script.value()
        guard level <= Self.lastDecodedLevel else {
            let bitmap = try await smallLevels.value()[level - Self.lastDecodedLevel - 1]
            return Image(try bitmap.cropped(to: stored), orientation: orientation)
        }
        let width = orientation.inverse.applied(to: geometry.levels[level]).width
        let strip: Bitmap?
        if width * stored.height * 4 <= Self.largestStripByteCount {
            let rows = stored.y..<(stored.y + stored.height)
            strip = try await self.strip(rows, width: width, level: level, script).value()
        } else {
            strip = nil
        }
        let bitmap = try await ImageExecutor.shared.run { () throws(ImageError) in
            let part = PixelRect(x: stored.x, y: 0, width: stored.width, height: stored.height)
            if let strip { return try strip.cropped(to: part).convertedToSRGB() }
            return try self.decode(stored, level: level, script).convertedToSRGB()
        }
        return Image(bitmap, orientation: orientation)
    }

    /// The strip with these rows, decoded now or a short time ago.
    private func strip(_ rows: Range<Int>, width: Int, level: Int, _ script: JPEGScanScript) -> SharedTask<Bitmap> {
        strips.withLock { strips in
            if let place = strips.firstIndex(where: { $0.level == level && $0.rows == rows }) {
                let strip = strips.remove(at: place)
                // A failure may pass.
                if case .failure = strip.bitmap.result {
                } else {
                    strips.append(strip)
                    return strip.bitmap
                }
            }
            let rect = PixelRect(x: 0, y: rows.lowerBound, width: width, height: rows.count)
            let new = Strip(
                level: level, rows: rows,
                bitmap: SharedTask { [self] () throws(ImageError) in try decode(rect, level: level, script) })
            if strips.count == Self.stripCount { strips.removeFirst() }
            strips.append(new)
            return new.bitmap
        }
    }

    /// Decodes a part of a level, beginning where the index allows.
    private func decode(_ rect: PixelRect, level: Int, _ script: JPEGScanScript) throws(ImageError) -> Bitmap {
        let side = 8 >> level
        let lastRow = (rect.y + rect.height + script.layout.verticalSampling) / (side * script.layout.verticalSampling)
        let known = knownIndex(script)
        if known.covers(lastRow) {
            do throws(ImageError) {
                return try decode(rect, side: side, script, known)
            } catch  where known.isStored && error.code != .cancelled {
                // The index or the data is damaged; an index made from the data decides which.
                index.withLock { $0 = JPEGScanIndex(script, fileEnd: reader.byteCount) }
            }
        }
        return try advance.withLock { _ throws(ImageError) in
            try decode(rect, side: side, script, knownIndex(script))
        }
    }

    private func decode(
        _ rect: PixelRect, side: Int, _ script: JPEGScanScript, _ known: JPEGScanIndex
    ) throws(ImageError) -> Bitmap {
        let (bitmap, passed) = try reader.decode(rect, side: side, script, known)
        let (isTrue, complete) = index.withLock { index -> (Bool, JPEGScanIndex?) in
            guard var grown = index else { return (true, nil) }
            let wasComplete = grown.isComplete
            // The copy is the only one while it grows.
            index = nil
            var isTrue = true
            if let failure = passed.failure { grown.note(failure) }
            for start in passed.starts where !grown.add(start) { isTrue = false }
            index = grown
            return (isTrue, grown.isComplete && !wasComplete ? grown : nil)
        }
        guard isTrue else { throw ImageError(.corrupt, "the index doesn't match the JPEG's data") }
        if let complete { indexFile?.save(complete) }
        return bitmap
    }

    private func knownIndex(_ script: JPEGScanScript) -> JPEGScanIndex {
        if let known = index.withLock({ $0 }) { return known }
        let empty = JPEGScanIndex(script, fileEnd: reader.byteCount)
        let loaded = indexFile?.load(empty) ?? empty
        return index.withLock { index in
            let known = index ?? loaded
            index = known
            return known
        }
    }
}
