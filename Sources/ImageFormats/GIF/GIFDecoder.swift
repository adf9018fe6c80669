internal import Raster

/// A session that reads the first frame of a GIF file, on the canvas that it is shown on.
///
/// Rows of a plain frame are made as bytes arrive and memory holds a few of them; an interlaced one is put together in
/// indices, so that each pass can be shown. What follows the frame is looked through for more of them as long as bytes
/// come, but not waited for.
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
    /// Bytes of codes that were dropped since they have been unpacked.
    private var dropped = 0
    /// The next row of the canvas that is made, or of the pass that is delivered.
    private var nextRow = 0
    /// How many of the frame's rows above the region were unpacked.
    private var skippedRowCount = 0
    /// Whether the pass that is being delivered is the last, though it shouldn't be.
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
        if reader.isAtEnd { throw ImageError(.corrupt, "the GIF file holds no picture", byteOffset: reader.offset) }
        throw ImageError(.truncated, "the GIF file ends before its header does", byteOffset: reader.offset)
    }

    /// Says what is known as soon as the first frame's pixels begin; what comes later adds to it.
    private func updateHeader() throws(ImageError) {
        guard let first = reader.frames.first, first.dataOffset > 0, let size = reader.canvasSize else { return }
        if header == nil {
            header = try reader.header(first, size, options.limits)
        }
        // An animation is told by its second frame or by how often it is played; most say that before the first frame.
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

    /// Codes that were unpacked are of no more use; the rest moves up when that is worth the while.
    private func dropUnpacked() {
        guard let indices, indices.taken - dropped >= 1 << 16 else { return }
        reader.dropData(indices.taken - dropped)
        dropped = indices.taken
    }

    /// What to say when no more rows can be made: wait, or what kept them from coming.
    private func outcome() throws(ImageError) -> RowDelivery {
        if let failure = indices?.failure { throw failure }
        if let damage = reader.damage { throw damage }
        if reader.frames[0].isComplete {
            throw ImageError(.truncated, "the GIF picture's codes end before its last row")
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
            // Nothing is being delivered: read on to the end of a pass that is wanted.
            let isRead = interlaced!.read(&indices!, frame.data, dropped: dropped, toEnd: delivery == .last)
            if !isRead {
                let waits = try? outcome()
                if waits == .needMoreData { return .needMoreData }
                // There won't be more: what there is of the pass goes out once, before the reason.
                guard interlaced!.hasUnshownRows else { return try outcome() }
                isCutShort = true
            }
        }
        let picture = interlaced!
        let isCovered = picture.coveredRowCount == frame.region.height
        let last = isCutShort && !isCovered ? min(end, frame.region.y + picture.coveredRowCount) : end
        if nextRow < last {
            let count = min(rows.count, last - nextRow)
            for index in 0..<count {
                let y = nextRow + index - frame.region.y
                if y >= 0, y < frame.region.height {
                    painter.paint(
                        picture.pixels, from: y * frame.region.width, to: rows.row(index, as: RGBA8.self))
                } else {
                    GIFRowPainter.clear(rows.row(index, as: RGBA8.self))
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
