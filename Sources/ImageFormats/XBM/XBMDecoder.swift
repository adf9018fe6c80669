internal import Raster

/// Decodes one X bitmap; a row is delivered as soon as its numbers have arrived.
final class XBMDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    private var parser = XBMParser()
    private var failure: ImageError?
    private var isFinished = false
    private(set) var header: ImageHeader?

    private var region: PixelRect?
    private var nextRow = 0
    /// The number of stored rows whose bits were dropped.
    private var droppedRowCount = 0

    init(options: DecodingOptions) { self.options = options }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard failure == nil, !isFinished else { return }
        do throws(ImageError) {
            for offset in bytes.byteOffsets {
                guard !parser.isAtEnd else { break }
                // The offset is in bounds, and every byte is a valid value.
                try parser.take(bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
                if header == nil { try readHeader() }
            }
            guard parser.bits.count <= options.limits.maximumInputByteCount else {
                throw ImageError(
                    .limitExceeded,
                    "the XBM has more bits than the limit of \(options.limits.maximumInputByteCount) bytes"
                        + " (DecodingLimits.maximumInputByteCount)")
            }
        } catch {
            failure = error
            if header == nil { throw error }
        }
    }

    private func readHeader() throws(ImageError) {
        guard let found = parser.header else {
            guard parser.byteCount <= options.limits.maximumMetadataByteCount else {
                throw ImageError(.limitExceeded, "the XBM has no pixel within its first \(parser.byteCount) bytes")
            }
            return
        }
        let size = PixelSize(width: found.width, height: found.height)
        try options.limits.check(size, format: .xbm)
        header = ImageHeader(
            format: .xbm, storedSize: size, colorModel: .gray, bitsPerChannel: 1,
            metadata: ImageMetadata(hotSpot: found.hotSpot))
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        if failure == nil {
            do throws(ImageError) {
                try parser.finish()
                if header == nil { try readHeader() }
            } catch {
                failure = error
            }
        }
        guard header != nil else {
            throw failure ?? ImageError(.truncated, "the XBM ends before its pixels", byteOffset: parser.byteCount)
        }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the XBM header isn't known yet") }
        try plan.validate(for: header.storedSize)
        let region = plan.region ?? PixelRect(header.storedSize)
        self.region = region
        return BitmapInfo(size: region.size, format: .gray8)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let region, let size = header?.storedSize else {
            throw ImageError(.invalidParameter, "the XBM decoder was not started")
        }
        let rowByteCount = (size.width + 7) / 8
        let count = min(rows.count, region.height - nextRow, parser.rowCount - region.y - nextRow)
        if count > 0 {
            let first = region.y + nextRow
            for index in 0..<count {
                let start = (first + index - droppedRowCount) * rowByteCount
                expand(parser.bits[start..<(start + rowByteCount)], region.x, rows.row(index, as: Gray8.self))
            }
            nextRow += count
            // Moving the remainder costs as much as its length, so it isn't done for every row.
            let done = (region.y + nextRow - droppedRowCount) * rowByteCount
            if done >= parser.bits.count / 2 {
                parser.drop(done)
                droppedRowCount = region.y + nextRow
            }
            return .rows(count)
        }
        if nextRow == region.height { return .end }
        if let failure { throw failure }
        guard isFinished || parser.isAtEnd else { return .needMoreData }
        throw ImageError(.truncated, "the XBM has too few numbers for its size", byteOffset: parser.byteCount)
    }

    /// Expands bits to bytes; 1 is black.
    private func expand(_ bits: ArraySlice<UInt8>, _ first: Int, _ row: consuming MutableSpan<Gray8>) {
        for x in 0..<row.count {
            let column = first + x
            row[x] = Gray8(bits[bits.startIndex + column >> 3] >> UInt8(column & 7) & 1 == 1 ? 0 : 255)
        }
    }
}
