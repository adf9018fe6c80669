internal import Raster

/// Decodes the first frame of a GIF file, on its canvas.
///
/// Delivers the rows of a frame that isn't interlaced as bytes arrive, holding a few of them in memory. Assembles an
/// interlaced frame as indices, so that each pass can be shown. Bytes after the frame are scanned for further frames as
/// they arrive, but not waited for.
final class GIFDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    private var reader: GIFReader
    private(set) var header: ImageHeader?
    private var isInputFinished = false

    private var region = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var delivery = PassDelivery.last
    private var painter: GIFRowPainter?
    private var indices: GIFIndexReader?
    private var interlaced: GIFInterlacedPicture?
    /// Bytes of codes that were dropped after unpacking.
    private var dropped = 0
    /// The next row of the canvas to make, or of the current pass to deliver.
    private var nextRow = 0
    /// The number of the frame's rows above the region that have been unpacked.
    private var skippedRowCount = 0
    /// Whether the pass being delivered is the last one because the data ends early.
    private var isCutShort = false

    init(options: DecodingOptions) {
        self.options = options
        reader = GIFReader(keeping: .firstFrame, limits: options.limits)
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        reader.append(bytes)
        try updateHeader()
        if header == nil, let damage = reader.damage { throw damage }
    }

    func finish() throws(ImageError) {
        isInputFinished = true
        try updateHeader()
        guard header == nil else { return }
        if let damage = reader.damage { throw damage }
        if reader.isAtEnd { throw ImageError(.corrupt, "the GIF file holds no image", byteOffset: reader.offset) }
        throw ImageError(.truncated, "the GIF file ends before its header does", byteOffset: reader.offset)
    }

    /// Sets the header once the first frame's pixels begin, and later adds to it.
    private func updateHeader() throws(ImageError) {
        guard let first = reader.frames.first, first.dataOffset > 0, let size = reader.canvasSize else { return }
        if header == nil {
            header = try reader.header(first, size, options.limits)
        }
        // A second frame or a loop count marks an animation; most files have the loop count before the first frame.
        if reader.frameCount > 1 || reader.loopCount != nil {
            header?.sequence = reader.sequence(isInputFinished: isInputFinished)
        }
        header?.metadata.xmp = reader.xmp
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the GIF header isn't known yet") }
        try plan.validate(for: header.storedSize)
        let frame = reader.frames[0]
        region = plan.region ?? PixelRect(header.storedSize)
        nextRow = region.y
        self.delivery = delivery
        painter = GIFRowPainter(frame, globalPalette: reader.globalPalette, x: region.x, width: region.width)
        if !frame.region.isEmpty {
            indices = try GIFIndexReader(frame)
            if frame.isInterlaced { interlaced = try GIFInterlacedPicture(frame, limits: options.limits) }
        }
        return BitmapInfo(
            size: region.size, format: .rgba8, alpha: header.hasAlpha ? .straight : .none, profile: header.profile)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let painter else { throw ImageError(.invalidParameter, "the GIF decoder was not started") }
        precondition(rows.width == region.width && rows.format == .rgba8)
        defer { dropUnpacked() }
        if interlaced != nil { return try readInterlaced(into: &rows, painter) }
        return try readPlain(into: &rows, painter)
    }

    /// Drops codes that have been unpacked, once there are enough to make moving the rest worthwhile.
    private func dropUnpacked() {
        guard let indices, indices.taken - dropped >= 1 << 16 else { return }
        reader.dropData(indices.taken - dropped)
        dropped = indices.taken
    }

    /// The result of a read that can't make rows: a request for more data, or the error that prevents them.
    private func outcome() throws(ImageError) -> RowDelivery {
        if let failure = indices?.failure { throw failure }
        if let damage = reader.damage { throw damage }
        if reader.frames[0].isComplete {
            throw ImageError(.truncated, "the GIF image's codes end before its last row")
        }
        guard isInputFinished else { return .needMoreData }
        throw ImageError(.truncated, "the GIF file ends too early", byteOffset: reader.offset)
    }
}

// MARK: - Plain frames

extension GIFDecoder {
    private func readPlain(
        into rows: inout MutablePixelRows, _ painter: GIFRowPainter
    ) throws(ImageError) -> RowDelivery {
        let frame = reader.frames[0]
        let frameRows = frame.region.y..<(frame.region.y + frame.region.height)
        let end = region.y + region.height
        guard nextRow < end else { return .end }
        var count = 0
        while count < rows.count, nextRow < end {
            if indices != nil, frameRows.contains(nextRow) {
                while skippedRowCount < region.y - frameRows.lowerBound {
                    guard indices!.nextRow(frame.data, dropped: dropped) != nil else { return try outcome() }
                    skippedRowCount += 1
                }
                guard let range = indices!.nextRow(frame.data, dropped: dropped) else { break }
                let made = indices!
                painter.paint(made.row, from: range.lowerBound, to: rows.row(count, as: RGBA8.self))
            } else {
                GIFRowPainter.clear(rows.row(count, as: RGBA8.self))
            }
            count += 1
            nextRow += 1
        }
        return count > 0 ? .rows(count) : try outcome()
    }
}

// MARK: - Interlaced frames

extension GIFDecoder {
    private func readInterlaced(
        into rows: inout MutablePixelRows, _ painter: GIFRowPainter
    ) throws(ImageError) -> RowDelivery {
        let frame = reader.frames[0]
        let end = region.y + region.height
        if nextRow == region.y, !isCutShort {
            // No pass is being delivered: read to the end of the next requested pass.
            let isRead = interlaced!.read(&indices!, frame.data, dropped: dropped, toEnd: delivery == .last)
            if !isRead {
                let waits = try? outcome()
                if waits == .needMoreData { return .needMoreData }
                // No more data will come: deliver the incomplete pass once, then the error.
                guard interlaced!.hasUnshownRows else { return try outcome() }
                isCutShort = true
            }
        }
        let picture = interlaced!
        let isCovered = picture.coveredRowCount == frame.region.height
        let last = isCutShort && !isCovered ? min(end, frame.region.y + picture.coveredRowCount) : end
        if nextRow < last {
            let count = min(rows.count, last - nextRow)
            let first = nextRow - frame.region.y
            var filled = rows.extracting(0..<count)
            filled.performInStrips { (strip, range) in
                for index in 0..<strip.count {
                    let y = first + range.lowerBound + index
                    if y >= 0, y < frame.region.height {
                        painter.paint(
                            picture.pixels, from: y * frame.region.width, to: strip.row(index, as: RGBA8.self))
                    } else {
                        GIFRowPainter.clear(strip.row(index, as: RGBA8.self))
                    }
                }
            }
            nextRow += count
            return .rows(count)
        }
        interlaced!.hasUnshownRows = false
        if isCutShort { return try outcome() }
        if picture.isComplete { return .end }
        nextRow = region.y
        return .passComplete(count: picture.passCount)
    }
}
