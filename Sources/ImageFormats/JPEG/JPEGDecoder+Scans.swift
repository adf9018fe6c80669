internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

/// The state of decoding a JPEG's scans in step, row by row, without libjpeg.
struct JPEGScanRows {
    /// The bytes up to the first scan's data.
    let head: [UInt8]
    /// The JPEG's markers so far, those in `head` first.
    private(set) var walker: JPEGMarkerWalker
    let plan: JPEGSteppedRows.Plan
    /// The passes so far, where their coefficients and samples are kept.
    var kept: JPEGSteppedRows?
    /// Decodes the rows of a pass; nil between passes.
    var rows: JPEGSteppedRows?
    /// The channels of some rows of 16 bits, where 8 are delivered of a file of 12; else empty.
    var deepRows: [UInt16] = []
    static let deepRowCount = 16
    /// The requested part of the image at its reduced size.
    let region: PixelRect
    /// Pixels on a block's side, 8 at full size.
    let side: Int

    init(head: [UInt8], walker: JPEGMarkerWalker, region: PixelRect, side: Int = 8, plan: JPEGSteppedRows.Plan) {
        self.head = head
        self.walker = walker
        self.region = region
        self.side = side
        self.plan = plan
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
        let plan = try makePlan(layout, side: side)
        var rows = JPEGScanRows(
            head: head, walker: walker, region: decoding.region(of: layout), side: side, plan: plan)
        let format: PixelFormat = header.colorModel == .gray ? .gray16 : .rgba16
        guard options.maximumBitsPerChannel < 16 else { return collect(rows, format) }
        rows.deepRows = [UInt16](
            repeating: 0, count: JPEGScanRows.deepRowCount * rows.region.width * format.bytesPerPixel / 2)
        return collect(rows, format.withBitsPerChannel(8))
    }

    /// Prepares to decode a file of several scans and 8 bits; nil where libjpeg must, or must refuse it.
    func startInStep(
        _ header: ImageHeader, _ decoding: tessera_jpeg_decoding
    ) throws(ImageError) -> BitmapInfo? {
        guard let (head, walker, layout) = framesInStep() else { return nil }
        let side = Int(decoding.scale)
        let plan = try makePlan(layout, side: side)
        return collect(
            JPEGScanRows(
                head: head, walker: walker, region: decoding.region(of: layout), side: side, plan: plan),
            header.colorModel == .gray ? .gray8 : .rgba8)
    }

    /// Prepares to decode the planes of a file of several scans and 8 bits; nil where libjpeg must, or must refuse it.
    func startPlanesInStep() throws(ImageError) -> JPEGCoefficientLayout? {
        guard let (head, walker, layout) = framesInStep() else { return nil }
        let plan = try makePlan(layout, side: 8)
        let region = PixelRect(PixelSize(width: layout.width, height: layout.height))
        _ = collect(JPEGScanRows(head: head, walker: walker, region: region, plan: plan), .gray8)
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

    /// Whether the first three of several components are luma and chroma.
    var storesChroma: Bool {
        Int(stored.space) == TESSERA_JPEG_SPACE_YCBCR || Int(stored.space) == TESSERA_JPEG_SPACE_YCCK
    }

    private func makePlan(_ layout: JPEGCoefficientLayout, side: Int) throws(ImageError) -> JPEGSteppedRows.Plan {
        try JPEGSteppedRows.Plan(layout, side: side, hasPasses: delivery == .every, limits: options.limits)
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

    /// Begins a pass over the scans when all bytes are available, or those of further scans if every pass is requested;
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
        // A pass is of all scans so far: nobody would see one that the next has overtaken. The last scan's is the image's.
        let isPreview = !isComplete && delivery == .every && structure.completedScanCount > scansDone
        guard isPreview || isComplete else { return false }
        let script: JPEGScanScript
        do throws(JPEGBitstreamError) {
            script = try JPEGScanScript(
                structure, head: scans.head.span.bytes, data: pendingBytes, from: scans.head.count,
                scanCount: isPreview ? structure.completedScanCount : nil)
        } catch {
            throw fail(ImageError(error))
        }
        let isDCAlone = JPEGSampleRows.needsOnlyDC(script.layout, side: scans.side)
        let isUnchanged = !script.changes(after: scansDone, isDCAlone: isDCAlone)
        scansDone = isPreview ? structure.completedScanCount : structure.scanCount
        // A preview that would be the one before is left out: the caller asks again.
        if isPreview, isUnchanged { return true }
        try begin(script, isDCAlone: isDCAlone, isPreview: isPreview, &scans)
        isLastPass = !isPreview
        nextRow = 0
        self.scans = scans
        stage = .inStep
        return true
    }

    /// Begins a pass over the scans of `script`, some of which the passes before may have read.
    /// - Parameter isDCAlone: For each component, whether only DC is needed.
    private func begin(
        _ script: JPEGScanScript, isDCAlone: [Bool], isPreview: Bool, _ scans: inout JPEGScanRows
    ) throws(ImageError) {
        if let kept = scans.kept {
            kept.readOn(script, isLast: !isPreview)
            scans.rows = kept
        } else {
            let isWhole = scans.region.height == (script.layout.height * scans.side + 7) / 8
            scans.rows = try JPEGSteppedRows(
                scans.plan.read(script, isDCAlone: isDCAlone), scans.plan, bits: Int(stored.precision),
                side: scans.side, isYCC: storesChroma, from: scans.region.y, isWhole: isWhole,
                stopsAtDamage: !isPreview)
        }
        scans.kept = isPreview && scans.plan.scans.keepsAll ? scans.rows : nil
    }

    /// Decodes the next rows of a pass; nil after the last pass.
    ///
    /// The last pass throws at the first row without data, and after the last row where only detail is missing or damaged.
    func readScans(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery? {
        guard let decoded = scans?.rows, let region = scans?.region else {
            stage = .done
            return nil
        }
        let count = decode(decoded, region, into: &rows)
        nextRow += count
        if count > 0 { return .rows(count) }
        scans?.rows = nil
        guard isLastPass else {
            // The next pass needs the coefficients of all rows.
            if scans?.kept != nil { decoded.finish(pendingBytes, from: scans?.head.count ?? 0) }
            stage = .collecting
            return .passComplete(count: scansDone)
        }
        if let error = decoded.failure { throw fail(ImageError(error)) }
        stage = .done
        return nil
    }

    /// Decodes some of the next rows, and returns their number; 0 if there are no more.
    private func decode(
        _ decoded: JPEGSteppedRows, _ region: PixelRect, into rows: inout MutablePixelRows
    ) -> Int {
        let start = scans?.head.count ?? 0
        var deepRows = scans?.deepRows ?? []
        scans?.deepRows = []
        defer { scans?.deepRows = deepRows }
        // Some at a time, so that decoding can be cancelled in between.
        let most =
            inks != nil
            ? Inks.rowCount
            : deepRows.isEmpty ? max(16, JPEGSlices.mostPixelCount / region.width) : JPEGScanRows.deepRowCount
        let wanted = min(most, rows.count, height - nextRow)
        guard wanted > 0 else { return 0 }
        let (y, columns, stride) = (region.y + nextRow, region.x..<(region.x + region.width), rows.bytesPerRow)
        func write(to base: UnsafeMutableRawPointer, _ stride: Int) -> Int {
            let output = JPEGPixelOutput(columns, y..<(y + wanted), to: base, bytesPerRow: stride)
            return decoded.write(output, pendingBytes, from: start)
        }
        if inks != nil {
            // The buffer has room for as many rows of this width as are requested at most.
            let count = inks!.rows.withUnsafeMutableBytes { write(to: $0.baseAddress!, region.width * 4) }
            convertInks(count, into: &rows)
            return count
        }
        guard !deepRows.isEmpty else {
            // The rows have room for `rows.count` rows of the region's width, `stride` bytes apart.
            return rows.withUnsafeBase { write(to: $0, stride) }
        }
        let channelCount = deepRows.count / JPEGScanRows.deepRowCount
        let count = deepRows.withUnsafeMutableBytes { write(to: $0.baseAddress!, 2 * channelCount) }
        rows.withUnsafeBase { base in
            for row in 0..<count {
                let channels = (base + row * stride).assumingMemoryBound(to: UInt8.self)
                for x in 0..<channelCount {
                    channels[x] = deepRows[row * channelCount + x].narrowed
                }
            }
        }
        return count
    }

    /// Decodes the next strip of planes and returns its rows of the image; 0 after the last.
    func readStripInStep(_ planes: [UnsafeMutablePointer<UInt8>], _ strides: [Int]) throws(ImageError) -> Int {
        guard let scans, let decoded = scans.rows, nextRow < height else { return 0 }
        let row = nextRow / decoded.stripHeight
        guard decoded.decodeStrip(row, past: nextRow, pendingBytes, from: scans.head.count) else {
            throw fail(decoded.failure.map { ImageError($0) } ?? ImageError(.corrupt, "the JPEG is damaged"))
        }
        decoded.writeStrip(row, to: planes, strides: strides)
        let count = min(decoded.stripHeight, height - nextRow)
        nextRow += count
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
