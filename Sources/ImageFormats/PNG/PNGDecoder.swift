internal import Raster

/// Decodes a PNG file as its bytes arrive.
///
/// Rows of an image that isn't interlaced are decoded as bytes arrive, with a few of them in memory; an interlaced
/// image is held in memory as a whole, so that each pass can be shown.
final class PNGDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    private var reader: PNGChunkReader
    private var ownHeader: ImageHeader?
    /// The session for the only frame of an animation whose default image isn't part of it.
    private var frame: AnimationFrameDecoder?
    private var isInputFinished = false
    /// The error that ended the input after the header; thrown after the rows before it.
    private var failure: ImageError?

    private var expander: PNGRowExpander?
    private var plan = DecodingPlan.full
    private var delivery = PassDelivery.last
    private var scanlines: PNGScanlineReader?
    private var interlaced: PNGInterlacedPicture?
    /// The next row to read from the file, or to deliver from a pass.
    private var nextRow = 0
    private var indexesOutsidePalette = false
    private var scratch: PNGStrip?

    convenience init(options: DecodingOptions) {
        self.init(PNGChunkReader(limits: options.limits), options: options)
    }

    /// Creates a session for data that `reader` has read and will read.
    init(_ reader: PNGChunkReader, options: DecodingOptions) {
        self.options = options
        self.reader = reader
    }

    var header: ImageHeader? { frame.map(\.header) ?? ownHeader }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard failure == nil else { return }
        if let frame { return try frame.append(bytes) }
        do throws(ImageError) {
            // The pointer is used within the call only.
            try bytes.withUnsafeBytes { (buffer) throws(ImageError) in try reader.append(buffer) }
        } catch {
            findHeader()
            guard header != nil else { throw error }
            failure = error
        }
        findHeader()
    }

    func finish() throws(ImageError) {
        isInputFinished = true
        if let frame { return try frame.finish() }
        findHeader()
        guard header != nil else {
            throw ImageError(.truncated, "the PNG file ends before its header does", byteOffset: reader.offset)
        }
    }

    /// Sets the header when the image data begins, since later chunks don't affect it.
    private func findHeader() {
        if frame == nil, reader.frames != nil {
            frame = AnimationFrameDecoder(
                PNGAnimationDecoder(reader, options: options), index: 0, limits: options.limits)
            // Avoids holding the data twice.
            reader = PNGChunkReader(limits: options.limits)
        }
        guard frame == nil else { return }
        if let known = ownHeader {
            // Except for metadata, which is accepted at any time.
            if known.metadata.exif == nil { ownHeader?.metadata.exif = reader.ancillary.exif }
            if known.metadata.xmp == nil { ownHeader?.metadata.xmp = reader.ancillary.xmp }
        }
        guard ownHeader == nil, reader.hasReachedImageData || reader.isAtEnd || isInputFinished,
            let found = reader.imageHeader(options)
        else { return }
        ownHeader = found.header
        expander = found.expander
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        if let frame { return try frame.start(plan, delivery: delivery) }
        guard let header, let stored = reader.header, let expander else {
            throw ImageError(.invalidParameter, "the PNG header isn't known yet")
        }
        try plan.validate(for: stored.size)
        self.plan = plan
        self.delivery = delivery
        let rowByteCount = stored.rowByteCount(width: stored.size.width)
        // A strip, the row before it and the row being cropped.
        let pixelBytes = stored.size.width * expander.format.bytesPerPixel
        try options.limits.checkWorkingMemory(
            2 * rowByteCount + pixelBytes + (1 << 20), for: "a row of the PNG image")
        scanlines = PNGScanlineReader(rowByteCount: rowByteCount, filterDistance: stored.filterDistance)
        if stored.isInterlaced {
            interlaced = try PNGInterlacedPicture(stored, expander: expander, limits: options.limits)
        } else if plan.region.map({ $0.width != stored.size.width }) ?? false {
            scratch = PNGStrip(capacity: pixelBytes)
        }
        return BitmapInfo(
            size: plan.regionSize(of: stored.size), format: expander.format,
            alpha: expander.hasAlpha ? .straight : .none, profile: header.profile)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        if let frame {
            let delivered = try frame.read(into: &rows)
            if delivered == .needMoreData, let failure { throw failure }
            return delivered
        }
        guard let stored = reader.header, let scanlines, let expander else {
            throw ImageError(.invalidParameter, "the PNG decoder was not started")
        }
        if let interlaced {
            return try read(into: &rows, from: interlaced, scanlines: scanlines)
        }
        return try read(into: &rows, stored: stored, scanlines: scanlines, expander: expander)
    }

    /// Whether all image data has arrived.
    private var isComplete: Bool { isInputFinished || reader.isAtEnd || failure != nil }

    /// Returns `needMoreData` when no more rows can be decoded now, or throws what prevents it.
    private func outcome(of stop: PNGScanlineReader.Stop) throws(ImageError) -> RowDelivery {
        if case .failed(let error) = stop { throw reader.damage ?? error }
        if let failure { throw failure }
        guard isInputFinished || reader.isAtEnd else { return .needMoreData }
        guard reader.isAtEnd else {
            throw ImageError(.truncated, "the PNG file ends too early", byteOffset: reader.offset)
        }
        throw ImageError(
            reader.hasReachedImageData ? .truncated : .corrupt, "the PNG image's data ends before its last row")
    }

    /// Checks the rest of the file after the last row.
    private func end(_ scanlines: PNGScanlineReader) throws(ImageError) -> RowDelivery {
        let isComplete = isComplete
        let stop = reader.withImageData { scanlines.readEnd(&$0, isComplete: isComplete) }
        if case .failed(let error) = stop { throw reader.damage ?? error }
        if let failure { throw failure }
        guard reader.isAtEnd else {
            guard isInputFinished else { return .needMoreData }
            throw ImageError(.truncated, "the PNG file ends before its last chunk", byteOffset: reader.offset)
        }
        if let damage = reader.damage { throw damage }
        if stop == .needsInput {
            throw ImageError(.corrupt, "the PNG image's data ends before its check value")
        }
        if indexesOutsidePalette {
            throw ImageError(.corrupt, "pixels of the PNG image have no colour in its palette")
        }
        return .end
    }
}

// MARK: - Images without interlacing

extension PNGDecoder {
    private func read(
        into rows: inout MutablePixelRows, stored: PNGHeader, scanlines: PNGScanlineReader, expander: PNGRowExpander
    ) throws(ImageError) -> RowDelivery {
        let region = plan.region ?? PixelRect(stored.size)
        precondition(rows.width == region.width && rows.format == expander.format)
        let isComplete = isComplete
        if nextRow < region.y {
            let (count, stop) = reader.withImageData {
                scanlines.read(&$0, isComplete: isComplete, upTo: region.y - nextRow) { _ in }
            }
            nextRow += count
            if stop != .enough { return try outcome(of: stop) }
        }
        let wanted = min(rows.count, region.y + region.height - nextRow)
        // Rows below the region aren't read or checked.
        if wanted == 0 { return nextRow < stored.size.height ? .end : try end(scanlines) }
        let (stride, scratch) = (rows.bytesPerRow, scratch)
        let offset = region.x * expander.format.bytesPerPixel
        let byteCount = region.width * expander.format.bytesPerPixel
        var outside = false
        let (count, stop) = rows.withUnsafeBase { base in
            var target = base
            return reader.withImageData { queue in
                scanlines.read(&queue, isComplete: isComplete, upTo: wanted) { strip in
                    for y in 0..<strip.count {
                        let row = strip.base + y * strip.stride
                        if let scratch {
                            expander.expand(row, to: scratch.base, width: stored.size.width)
                            target.copyMemory(from: scratch.base + offset, byteCount: byteCount)
                        } else {
                            expander.expand(row, to: target, width: stored.size.width)
                        }
                        if !expander.isWithinPalette(row, width: stored.size.width) { outside = true }
                        target += stride
                    }
                }
            }
        }
        if outside { indexesOutsidePalette = true }
        nextRow += count
        if count > 0 { return .rows(count) }
        return try outcome(of: stop)
    }
}

// MARK: - Interlaced images

extension PNGDecoder {
    private func read(
        into rows: inout MutablePixelRows, from picture: PNGInterlacedPicture, scanlines: PNGScanlineReader
    ) throws(ImageError) -> RowDelivery {
        let region = plan.region ?? PixelRect(picture.size)
        precondition(rows.width == region.width && rows.format == picture.format)
        if nextRow == 0 {
            let isComplete = isComplete
            // No pass is being delivered: read to the end of the next one, or of the last.
            let stop = reader.withImageData {
                picture.read(&$0, isComplete: isComplete, scanlines: scanlines, toEnd: delivery == .last)
            }
            if picture.indexesOutsidePalette { indexesOutsidePalette = true }
            if stop != .enough {
                let waits = try? outcome(of: stop)
                if waits == .needMoreData { return .needMoreData }
                // No more data will arrive: the incomplete pass is delivered once, before the error.
                guard picture.hasUnshownRows else { return try outcome(of: stop) }
                picture.cutShort = stop
            }
        }
        if nextRow < region.height {
            let count = min(rows.count, region.height - nextRow)
            picture.copyRows(region, from: nextRow, count: count, to: &rows)
            nextRow += count
            return .rows(count)
        }
        picture.hasUnshownRows = false
        if let stop = picture.cutShort { return try outcome(of: stop) }
        guard picture.hasAllPasses else {
            nextRow = 0
            return .passComplete(count: picture.passCount)
        }
        return try end(scanlines)
    }
}
