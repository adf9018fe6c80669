internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

/// The state of decoding a JPEG's scans in step, row by row, without libjpeg.
struct JPEGScanRows {
    /// The bytes up to the first scan's data.
    let head: [UInt8]
    /// The JPEG's markers so far, those in `head` first.
    private(set) var walker: JPEGMarkerWalker
    /// Decodes the rows of a pass; nil between passes.
    var samples: JPEGSampleRows?
    /// A row's channels of 16 bits, where 8 are delivered of a file of 12; else empty.
    var deepRow: [UInt16] = []
    /// The requested part of the image at its reduced size.
    let region: PixelRect
    /// Pixels on a block's side, 8 at full size.
    let side: Int

    init(head: [UInt8], walker: JPEGMarkerWalker, region: PixelRect, side: Int = 8) {
        self.head = head
        self.walker = walker
        self.region = region
        self.side = side
    }

    /// Takes the next bytes. Errors are kept in the structure, with the scans before them.
    mutating func walk(_ bytes: RawSpan) { try? walker.append(bytes) }

    /// Notes the end of the bytes.
    mutating func finish() { try? walker.finish() }

    /// Whether there will be no further scan.
    var isComplete: Bool { walker.isAtEnd || walker.structure.failure != nil }
}

extension JPEGDecoder {
    /// Prepares to decode a file of 12 bits.
    func startDeep(_ header: ImageHeader, _ decoding: tessera_jpeg_decoding) throws(ImageError) -> BitmapInfo {
        guard let head else {
            throw ImageError(
                .limitExceeded,
                "the JPEG's header is longer than \(options.limits.maximumMetadataByteCount) bytes, the limit")
        }
        let (walker, layout) = try readFrame(head)
        guard JPEGSampleRows.canUpsample(layout) else {
            throw fail(ImageError(.unsupported, "the JPEG's sampling factors don't divide the largest"))
        }
        let side = Int(decoding.scale)
        try checkMemory(layout, side: side)
        var rows = JPEGScanRows(head: head, walker: walker, region: decoding.region(of: layout), side: side)
        let format: PixelFormat = header.colorModel == .gray ? .gray16 : .rgba16
        guard options.maximumBitsPerChannel < 16 else { return collect(rows, format) }
        rows.deepRow = [UInt16](repeating: 0, count: rows.region.width * format.bytesPerPixel / 2)
        return collect(rows, format.withBitsPerChannel(8))
    }

    /// Prepares to decode a file of several scans and 8 bits; nil where libjpeg must, or must refuse it.
    func startInStep(
        _ header: ImageHeader, _ decoding: tessera_jpeg_decoding
    ) throws(ImageError) -> BitmapInfo? {
        guard let (head, walker, layout) = framesInStep() else { return nil }
        let side = Int(decoding.scale)
        try checkMemory(layout, side: side)
        return collect(
            JPEGScanRows(head: head, walker: walker, region: decoding.region(of: layout), side: side),
            header.colorModel == .gray ? .gray8 : .rgba8)
    }

    /// Prepares to decode the planes of a file of several scans and 8 bits; nil where libjpeg must, or must refuse it.
    func startPlanesInStep() throws(ImageError) -> JPEGCoefficientLayout? {
        guard let (head, walker, layout) = framesInStep() else { return nil }
        try checkMemory(layout, side: 8)
        let region = PixelRect(PixelSize(width: layout.width, height: layout.height))
        _ = collect(JPEGScanRows(head: head, walker: walker, region: region), .gray8)
        return layout
    }

    /// The first bytes of a file of several Huffman-coded scans and 8 bits, its markers and its layout; nil of others.
    func framesInStep() -> (head: [UInt8], walker: JPEGMarkerWalker, layout: JPEGCoefficientLayout)? {
        guard stored.multiple_scans, !stored.arithmetic, stored.precision == 8, let head,
            let (walker, layout) = try? readFrame(head), JPEGSampleRows.canUpsample(layout),
            layout.components.count == stored.components
        else { return nil }
        return (head, walker, layout)
    }

    private func checkMemory(_ layout: JPEGCoefficientLayout, side: Int) throws(ImageError) {
        try options.limits.checkWorkingMemory(
            JPEGSampleRows.byteCount(layout, side: side), for: "decoding rows of the JPEG's scans")
    }

    /// Reads the frame header in the JPEG's first bytes.
    func readFrame(
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
    private func collect(_ rows: consuming JPEGScanRows, _ format: PixelFormat) -> BitmapInfo {
        rows.walk(pendingBytes)
        if isFinished { rows.finish() }
        windowY = rows.region.y
        let size = rows.region.size
        scans = rows
        head = nil
        stage = .collecting
        return makeInfo(size, format)
    }

    /// Begins a pass over the scans when all bytes are available, or those of another scan if every pass is requested;
    /// returns false while they aren't.
    func beginScans() throws(ImageError) -> Bool {
        guard var scans else { return false }
        let structure = scans.walker.structure
        let isComplete = isFinished || scans.isComplete
        guard structure.scanCount <= options.limits.maximumScanCount else {
            throw fail(
                ImageError(
                    .limitExceeded,
                    "the JPEG has \(structure.scanCount) scans; the limit is \(options.limits.maximumScanCount)"))
        }
        // The last scan's pass is the image's.
        let isPreview =
            delivery == .every && structure.completedScanCount > scansDone
            && !(isComplete && scansDone + 1 >= structure.scanCount)
        guard isPreview || isComplete else { return false }
        var isSeen = true
        do throws(JPEGBitstreamError) {
            let script = try JPEGScanScript(
                structure, head: scans.head.span.bytes, data: pendingBytes, from: scans.head.count,
                scanCount: isPreview ? scansDone + 1 : nil)
            // The last pass reads all scans, to find damage.
            let omitted = isPreview ? JPEGSampleRows.needsOnlyDC(script.layout, side: scans.side) : nil
            if let omitted, script.lastScanIsOmitted(omitted) {
                isSeen = false
            } else {
                scans.samples = JPEGSampleRows(
                    JPEGCoefficientRows(script, omittingDetail: omitted), bits: Int(stored.precision), side: scans.side,
                    from: scans.region.y)
            }
        } catch {
            throw fail(ImageError(error))
        }
        scansDone = isPreview ? scansDone + 1 : structure.scanCount
        // A preview that would be the one before is left out: the caller asks for the next.
        guard isSeen else { return true }
        isLastPass = !isPreview
        nextRow = 0
        self.scans = scans
        stage = .inStep
        return true
    }

    /// Decodes the next rows of a pass; nil after the last pass.
    ///
    /// The last pass throws at the first row without data, and after the last row where only detail is missing or damaged.
    func readScans(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery? {
        guard var samples = scans?.samples, let region = scans?.region, let dataStart = scans?.head.count else {
            stage = .done
            return nil
        }
        scans?.samples = nil
        var deepRow = scans?.deepRow ?? []
        scans?.deepRow = []
        var count = 0
        while count < rows.count, nextRow < height {
            let y = region.y + nextRow
            samples.fillLines(y, pendingBytes, from: dataStart)
            guard !isLastPass || y < samples.soundRowCount else { break }
            write(samples, region, &deepRow, into: &rows, count)
            count += 1
            nextRow += 1
        }
        scans?.deepRow = deepRow
        if count > 0 {
            scans?.samples = samples
            return .rows(count)
        }
        guard isLastPass else {
            stage = .collecting
            return .passComplete(count: scansDone)
        }
        if let error = samples.failure { throw fail(ImageError(error)) }
        stage = .done
        return nil
    }

    /// Writes the lines of `samples` to row `y` of `rows`.
    private func write(
        _ samples: JPEGSampleRows, _ region: PixelRect, _ deepRow: inout [UInt16], into rows: inout MutablePixelRows,
        _ y: Int
    ) {
        let space = Int(stored.space)
        let isYCC = space == TESSERA_JPEG_SPACE_YCBCR || space == TESSERA_JPEG_SPACE_YCCK
        let (columns, stride) = (region.x..<(region.x + region.width), rows.bytesPerRow)
        guard inks == nil else {
            inks!.rows.withUnsafeMutableBytes { samples.writePixels(columns, isYCC: isYCC, to: $0.baseAddress!) }
            return convertInks(into: &rows, y)
        }
        rows.withUnsafeBase { base in
            // The rows have room for `rows.count` rows of the region's width, `stride` bytes apart.
            let target = base + y * stride
            guard !deepRow.isEmpty else { return samples.writePixels(columns, isYCC: isYCC, to: target) }
            deepRow.withUnsafeMutableBytes { samples.writePixels(columns, isYCC: isYCC, to: $0.baseAddress!) }
            let channels = target.assumingMemoryBound(to: UInt8.self)
            for x in deepRow.indices { channels[x] = PNGRowExpander.reduced(deepRow[x]) }
        }
    }

    /// Converts the first row of CMYK to row `y` of `rows`.
    private func convertInks(into rows: inout MutablePixelRows, _ y: Int) {
        guard let inks else { return }
        let stored = inks.rows.span.bytes.extracting(0..<(rows.width * 4))
        var row = rows.row(y, as: RGBA8.self)
        inks.converter.convert(stored, into: &row)
    }

    /// Decodes the next strip of planes and returns its rows of the image; 0 after the last.
    func readStripInStep(_ planes: [UnsafeMutablePointer<UInt8>], _ strides: [Int]) throws(ImageError) -> Int {
        guard var samples = scans?.samples, let dataStart = scans?.head.count, nextRow < height else { return 0 }
        scans?.samples = nil
        samples.decodeRow(pendingBytes, from: dataStart)
        samples.writeStrip(to: planes, strides: strides)
        let end = min(height, samples.coefficients.rowCount * 8 * samples.coefficients.layout.verticalSampling)
        let (sound, error) = (samples.soundRowCount, samples.failure)
        scans?.samples = samples
        if let error, nextRow >= sound { throw fail(ImageError(error)) }
        let count = end - nextRow
        nextRow = end
        return count
    }

    /// The bytes that have arrived since the header, which libjpeg holds and hasn't read.
    var pendingBytes: RawSpan {
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
