internal import Raster

/// Decodes one BMP file.
///
/// An image stored top-down is delivered as its rows arrive. One stored bottom-up, as most are, has its first row at
/// the end of the file, so its bytes are buffered; they take no more memory than its pixels. An embedded JPEG or PNG is
/// buffered and then passed to a separate decoder.
final class BMPDecoder: IncrementalDecoder {
    private let options: DecodingOptions
    /// The file's bytes up to the pixels.
    private var head: [UInt8] = []
    private var layout: BMPLayout?
    private var stored: BMPStoredRows?
    private var embedded: (any IncrementalDecoder)?
    private var embeddedFile: [UInt8] = []
    private var hasEmbeddedFile = false
    private var isFinished = false
    private var failure: ImageError?
    private var ownHeader: ImageHeader?

    // Set by `start`.
    private var region: PixelRect?
    private var nextRow = 0
    private var isOpaque: Bool?

    init(options: DecodingOptions) { self.options = options }

    var header: ImageHeader? {
        guard let embedded else { return ownHeader }
        guard var header = embedded.header else { return nil }
        header.format = .bmp
        if let resolution = layout?.header.resolution { header.metadata.resolution = resolution }
        return header
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        guard failure == nil, !isFinished else { return }
        // Pieces as long as most heads, so that few of the pixels' bytes are copied twice.
        var rest = bytes
        while stored == nil, embedded == nil, !rest.isEmpty {
            let count = min(rest.byteCount, 2048)
            // Used within the call only.
            rest.extracting(first: count).withUnsafeBytes { head.append(contentsOf: $0) }
            rest = rest.extracting(droppingFirst: count)
            try checkInput(head.count)
            try readHead()
        }
        if !rest.isEmpty { try take(rest) }
    }

    private func checkInput(_ count: Int) throws(ImageError) {
        do throws(ImageError) {
            try options.limits.checkHeld(count, format: .bmp)
        } catch {
            failure = error
            throw error
        }
    }

    /// Passes pixel bytes on to the stored rows or to the embedded file.
    private func take(_ bytes: RawSpan) throws(ImageError) {
        if embedded != nil {
            guard !hasEmbeddedFile else { return }
            let limit = layout!.header.imageByteCount
            let count = limit > 0 ? min(bytes.byteCount, limit - embeddedFile.count) : bytes.byteCount
            // The pointer is used within the call only.
            bytes.extracting(first: max(0, count)).withUnsafeBytes { embeddedFile.append(contentsOf: $0) }
            try checkInput(embeddedFile.count)
            if limit > 0, embeddedFile.count == limit { try readEmbedded() }
        } else if let stored {
            stored.append(bytes)
            try checkInput(stored.byteCount)
        }
    }

    private func readEmbedded() throws(ImageError) {
        guard let embedded, !hasEmbeddedFile else { return }
        hasEmbeddedFile = true
        let file = embeddedFile
        embeddedFile = []
        do throws(ImageError) {
            try embedded.append(file.span.bytes)
            try embedded.finish()
        } catch {
            // Once the header is known there may be rows; the embedded decoder reports the error after them.
            guard embedded.header == nil else { return }
            failure = error.inPart("embedded image", at: layout!.pixelOffset)
            throw failure!
        }
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        if stored == nil, embedded == nil {
            isFinished = true
            try readHead()
            guard stored != nil || embedded != nil else {
                throw ImageError(.truncated, "the BMP ends within its header", byteOffset: head.count)
            }
        }
        isFinished = true
        stored?.finish()
        if failure == nil { try readEmbedded() }
    }

    /// Reads the headers, the palette and an embedded profile once they have arrived.
    private func readHead() throws(ImageError) {
        do throws(ImageError) {
            if layout == nil {
                layout = try BMPLayout(head, isComplete: isFinished, limits: options.limits)
            }
            guard let layout, head.count >= layout.headByteCount || isFinished else { return }
            try begin(layout)
        } catch {
            failure = error
            throw error
        }
        let rest = head
        head = []
        guard let offset = layout?.pixelOffset, offset < rest.count else { return }
        try take(rest.span.bytes.extracting(offset...))
    }

    private func begin(_ layout: BMPLayout) throws(ImageError) {
        switch layout.header.compression {
        case .jpeg:
            embedded = try JPEGCodec().makeDecoder(for: FormatProbe(streamPrefix: RawSpan()), options: options.single)
        case .png:
            embedded = try PNGCodec().makeDecoder(for: FormatProbe(streamPrefix: RawSpan()), options: options.single)
        default:
            let header = layout.header
            try options.limits.check(header.size, format: .bmp)
            let stored = BMPStoredRows(header)
            self.stored = stored
            let expander = layout.makeExpander(head, maximumBitsPerChannel: options.maximumBitsPerChannel)
            self.expander = expander
            ownHeader = layout.imageHeader(head, expander)
        }
    }

    private var expander: BMPRowExpander?

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        if let embedded { return try embedded.start(plan, delivery: delivery) }
        guard let ownHeader, let expander else {
            throw ImageError(.invalidParameter, "the BMP header isn't known yet")
        }
        try plan.validate(for: ownHeader.storedSize)
        let region = plan.region ?? PixelRect(ownHeader.storedSize)
        self.region = region
        return BitmapInfo(
            size: region.size, format: expander.format, alpha: expander.hasAlpha ? .straight : .none,
            profile: ownHeader.profile)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        if let embedded { return try embedded.read(into: &rows) }
        guard let region, let stored, let expander, let layout else {
            throw ImageError(.invalidParameter, "the BMP decoder was not started")
        }
        let (size, isTopDown) = (layout.header.size, layout.header.isTopDown)
        // Whether alpha is used is known only once all of it has arrived.
        if !isTopDown || expander.hasAlpha, !stored.isComplete, !isFinished {
            if let failure { throw failure }
            return .needMoreData
        }
        let available = stored.rowCount
        let isOpaque = isOpaque ?? !expander.hasVisiblePixel(in: stored, width: size.width)
        self.isOpaque = isOpaque
        var done = 0
        while done < rows.count, nextRow < region.height {
            let y = region.y + nextRow
            let index = isTopDown ? y : size.height - 1 - y
            if index < available {
                stored.withRow(index) { row in
                    expander.expand(row, from: region.x, to: &rows, done, isOpaque: isOpaque)
                }
            } else if !isTopDown, available > 0 {
                // The top rows, missing at the end of a truncated file that has the rows below.
                let row = PixelRect(x: 0, y: done, width: rows.width, height: 1)
                FrameCompositor.clear(row, of: &rows, alpha: expander.hasAlpha ? .straight : .none)
            } else {
                break
            }
            done += 1
            nextRow += 1
        }
        if done > 0 {
            if isTopDown, !expander.hasAlpha { stored.drop(region.y + nextRow) }
            return .rows(done)
        }
        if nextRow < region.height, !isFinished, !stored.isFinished {
            if let failure { throw failure }
            return .needMoreData
        }
        if let failure = failure ?? stored.damage { throw failure }
        let needed = isTopDown ? region.y + region.height : size.height - region.y
        if available < needed { throw BMPStoredRows.truncated }
        return .end
    }
}
