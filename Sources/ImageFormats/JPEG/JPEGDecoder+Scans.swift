internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

/// The state of decoding a JPEG's scans in step, row by row, without libjpeg.
struct JPEGScanRows {
    /// The bytes up to the first scan's data.
    let head: [UInt8]
    /// The JPEG's markers, in `head` first.
    var walker: JPEGMarkerWalker
    /// Decodes the rows; nil until all bytes have arrived.
    var samples: JPEGSampleRows?
    /// A row's channels of 16 bits, where 8 are delivered of a file of 12; else empty.
    var deepRow: [UInt16] = []
    /// The requested part of the image.
    let region: PixelRect
    /// How libjpeg decodes the same rows; nil where it can't.
    let decoding: tessera_jpeg_decoding?
}

extension JPEGDecoder {
    /// Prepares to decode a file of 12 bits, which libjpeg doesn't, at full resolution.
    func startInStep(_ plan: DecodingPlan, _ header: ImageHeader) throws(ImageError) -> BitmapInfo {
        guard let head else {
            throw ImageError(
                .limitExceeded,
                "the JPEG's header is longer than \(options.limits.maximumMetadataByteCount) bytes, the limit")
        }
        let (walker, layout) = try readFrame(head)
        guard JPEGSampleRows.canUpsample(layout) else {
            throw fail(ImageError(.unsupported, "the JPEG's sampling factors don't divide the largest"))
        }
        try options.limits.checkWorkingMemory(
            JPEGSampleRows.byteCount(layout), for: "decoding rows of the JPEG's scans")
        var rows = JPEGScanRows(
            head: head, walker: walker, region: plan.region ?? PixelRect(header.storedSize), decoding: nil)
        let format: PixelFormat = header.colorModel == .gray ? .gray16 : .rgba16
        guard options.maximumBitsPerChannel < 16 else { return collect(rows, format) }
        rows.deepRow = [UInt16](repeating: 0, count: rows.region.width * format.bytesPerPixel / 2)
        return collect(rows, format.withBitsPerChannel(8))
    }

    /// Prepares to decode a file of several scans and 8 bits at full resolution; nil where libjpeg must.
    ///
    /// libjpeg takes over where bytes are missing or damaged: it holds all bytes and has read none.
    func startInStep(
        _ plan: DecodingPlan, _ header: ImageHeader, _ decoding: tessera_jpeg_decoding
    ) -> BitmapInfo? {
        guard decoding.scale == 8, delivery == .last, stored.multiple_scans, !stored.arithmetic,
            header.colorModel == .gray || header.colorModel == .rgb, let head,
            let (walker, layout) = try? readFrame(head), JPEGSampleRows.canUpsample(layout),
            layout.components.count == (header.colorModel == .gray ? 1 : 3),
            JPEGSampleRows.byteCount(layout) <= options.limits.maximumWorkingByteCount
        else { return nil }
        let region = plan.region ?? PixelRect(header.storedSize)
        return collect(
            JPEGScanRows(head: head, walker: walker, region: region, decoding: decoding),
            header.colorModel == .gray ? .gray8 : .rgba8)
    }

    /// Reads the frame header in the JPEG's first bytes.
    private func readFrame(
        _ head: [UInt8]
    ) throws(ImageError) -> (walker: JPEGMarkerWalker, layout: JPEGCoefficientLayout) {
        var walker = JPEGMarkerWalker()
        do throws(JPEGBitstreamError) {
            try walker.append(head.span.bytes)
            guard let frame = walker.structure.frame else {
                throw JPEGBitstreamError(.invalidFrame, "the JPEG has no frame header", offset: head.count)
            }
            return (walker, try JPEGCoefficientLayout(frame))
        } catch {
            throw ImageError(error)
        }
    }

    /// Waits for the bytes of `rows`.
    private func collect(_ rows: JPEGScanRows, _ format: PixelFormat) -> BitmapInfo {
        scans = rows
        head = nil
        windowY = rows.region.y
        stage = .collecting
        info = BitmapInfo(size: rows.region.size, format: format, profile: header?.profile ?? .sRGB)
        return info
    }

    /// Has libjpeg decode the rows that haven't been delivered.
    private func handOver(_ scans: JPEGScanRows) throws(ImageError) {
        self.scans = nil
        guard var decoding = scans.decoding else { return }
        if nextRow > 0 {
            decoding.window_x = UInt32(scans.region.x)
            decoding.window_y = UInt32(scans.region.y + nextRow)
            decoding.window_width = UInt32(scans.region.width)
            decoding.window_height = UInt32(scans.region.height - nextRow)
        }
        rowsInStep = nextRow
        do throws(ImageError) {
            _ = try startLibjpeg(decoding)
        } catch {
            throw fail(error)
        }
        stage = .betweenPasses
    }

    /// Has libjpeg read the scans as their bytes arrive, where all of them would exceed the limit.
    func releaseScans() throws(ImageError) {
        if let scans, scans.decoding != nil, stage == .collecting,
            heldByteCount > UInt64(options.limits.maximumInputByteCount / 2)
        {
            try handOver(scans)
            isReadingAhead = true
        }
        if isReadingAhead, stage == .betweenPasses { _ = try beginPass() }
    }

    /// Begins to decode the scans when all bytes are available; returns false while they aren't.
    ///
    /// libjpeg decodes 8-bit files unless they are whole at the first call.
    func beginScans() throws(ImageError) -> Bool {
        guard var scans, isFinished || scans.decoding != nil else { return false }
        let data = pendingBytes
        do throws(JPEGBitstreamError) {
            try scans.walker.append(data)
            if isFinished { try scans.walker.finish() }
        } catch {
            // The structure has the error, and the scans before it.
        }
        let structure = scans.walker.structure
        guard scans.decoding == nil || scans.walker.isAtEnd else {
            try handOver(scans)
            return true
        }
        guard structure.scanCount <= options.limits.maximumScanCount else {
            throw fail(
                ImageError(
                    .limitExceeded,
                    "the JPEG has \(structure.scanCount) scans; the limit is \(options.limits.maximumScanCount)"))
        }
        do throws(JPEGBitstreamError) {
            let coefficients = try JPEGCoefficientRows(
                structure, head: scans.head.span.bytes, data: data, from: scans.head.count)
            scans.samples = JPEGSampleRows(coefficients, bits: Int(stored.precision), from: scans.region.y)
            // libjpeg smooths what isn't complete.
            if scans.decoding != nil, !coefficients.isComplete { scans.samples = nil }
        } catch {
            if scans.decoding == nil { throw fail(ImageError(error)) }
        }
        guard scans.samples != nil else {
            try handOver(scans)
            return true
        }
        self.scans = scans
        stage = .inStep
        return true
    }

    /// Decodes the next rows and returns their count; nil after the last, and where libjpeg takes over.
    ///
    /// Of a file that libjpeg doesn't decode, throws at the first row without data, and after the last row where only detail
    /// is missing or damaged.
    func readScans(into rows: inout MutablePixelRows) throws(ImageError) -> Int? {
        guard var samples = scans?.samples, let region = scans?.region else {
            stage = .done
            return nil
        }
        scans?.samples = nil
        var deepRow = scans?.deepRow ?? []
        scans?.deepRow = []
        let isYCC = Int(stored.space) == TESSERA_JPEG_SPACE_YCBCR
        let stride = rows.bytesPerRow
        var count = 0
        while count < rows.count, nextRow < height {
            let y = region.y + nextRow
            samples.fillLines(y, pendingBytes)
            let isSound =
                scans?.decoding == nil ? y < samples.soundRowCount : samples.failure == nil && samples.isExact
            guard isSound else { break }
            rows.withUnsafeBase { base in
                // The rows have room for `rows.count` rows of the region's width, `stride` bytes apart.
                let (columns, target) = (region.x..<(region.x + region.width), base + count * stride)
                guard !deepRow.isEmpty else { return samples.writePixels(columns, isYCC: isYCC, to: target) }
                deepRow.withUnsafeMutableBytes { samples.writePixels(columns, isYCC: isYCC, to: $0.baseAddress!) }
                let channels = target.assumingMemoryBound(to: UInt8.self)
                for x in deepRow.indices { channels[x] = PNGRowExpander.reduced(deepRow[x]) }
            }
            count += 1
            nextRow += 1
        }
        scans?.samples = samples
        scans?.deepRow = deepRow
        if count > 0 { return count }
        if nextRow < height, let scans, scans.decoding != nil {
            try handOver(scans)
            return nil
        }
        if let error = samples.failure { throw fail(ImageError(error)) }
        stage = .done
        return nil
    }

    /// The bytes that have arrived since the header, which libjpeg holds and hasn't read.
    private var pendingBytes: RawSpan {
        @_lifetime(borrow self)
        get {
            var count = 0
            let start = tessera_jpeg_decoder_pending(handle, &count)
            // The shim keeps `count` bytes there until bytes are appended or read, which needs access to self.
            return _overrideLifetime(
                UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count).bytes, borrowing: self)
        }
    }
}
