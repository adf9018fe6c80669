internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

/// The state of decoding the one scan of a sequential JPEG on several threads, without libjpeg.
final class JPEGSlices {
    /// Made when the first row is requested: many images are opened for their size alone.
    private(set) lazy var rows = makeRows()
    private let makeRows: () -> JPEGSlicedRows
    /// The requested part of the image at its reduced size.
    let region: PixelRect
    /// The file, if the scan is read from there and not from the appended bytes.
    let source: Source?
    /// The file's offset of the scan's data.
    let dataOffset: Int

    init(region: PixelRect, source: Source?, dataOffset: Int, makeRows: @escaping () -> JPEGSlicedRows) {
        (self.region, self.source, self.dataOffset, self.makeRows) = (region, source, dataOffset, makeRows)
    }

    /// Images smaller than this are decoded as fast by libjpeg.
    static let leastPixelCount = 1 << 19
    /// The pixels of the rows that are decoded at once.
    static let mostPixelCount = 1 << 22
    /// The threads to decode on while nothing else does.
    static var threadCount: Int { min(ImageExecutor.processorCount, ProcessorShare.maximumThreadCount) }
}

extension JPEGDecoder {
    /// Whether it is a large image of one Huffman-coded scan of 8 bits.
    var isWorthSlicing: Bool {
        Int(stored.width) * Int(stored.height) >= JPEGSlices.leastPixelCount && min(stored.width, stored.height) >= 8
            && !stored.multiple_scans && !stored.arithmetic && stored.precision == 8
    }

    /// Prepares to decode a large image on several threads, or on one except at an eighth; nil where only libjpeg can decode,
    /// and where it pays too little.
    ///
    /// At a quarter, 3/8, a half and 3/4 samples are made of the lowest frequencies, which needs fewer coefficients than
    /// libjpeg's means of pixels, and is as near to the full size. libjpeg is started as well, and takes over where the data is
    /// damaged: it holds the appended bytes, and those behind them are requested then.
    /// - Parameter isAmple: Whether half of the rows' resolution is enough for chroma.
    func makeSlices(_ decoding: tessera_jpeg_decoding, isAmple: Bool = false) -> JPEGSlices? {
        let threadCount = JPEGSlices.threadCount
        guard threadCount > 1 || decoding.scale > 1, isWorthSlicing, let head,
            let (walker, layout) = try? readFrame(head), JPEGSampleRows.canUpsample(layout),
            layout.components.count == stored.components,
            walker.structure.scans.first?.dataOffset == Int(clamping: tessera_jpeg_decoder_position(handle)),
            let script = try? JPEGScanScript(
                walker.structure, head: head.span.bytes, data: head.span.bytes.extracting(first: 0), from: 0,
                scanCount: 1)
        else { return nil }
        let (side, isYCC) = (Int(decoding.scale), storesChroma)
        let byteCount = JPEGSlicedRows.byteCount(layout, side: side, threadCount: threadCount)
        guard byteCount <= options.limits.maximumWorkingByteCount, JPEGSlicedScan.canRead(script) else { return nil }
        return JPEGSlices(region: decoding.region(of: layout), source: readableSource, dataOffset: head.count) {
            // It can read the script.
            JPEGSlicedRows(
                script, side: side, from: Int(decoding.window_y), isYCC: isYCC, isLow: side > 1,
                keepsSubsampling: isAmple, threadCount: threadCount)!
        }
    }

    /// The source, if it has more bytes than were appended, and reading them takes no longer than appending them.
    private var readableSource: Source? {
        guard let source, source.memory != nil || source.fileNumber != nil,
            source.length > tessera_jpeg_decoder_appended(handle)
        else { return nil }
        return source
    }

    /// Decodes the next rows; nil after the last, and where libjpeg takes over.
    func readSlices(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery? {
        guard let slices, nextRow < height else {
            slices = nil
            stage = .done
            return nil
        }
        guard mayReadOn(slices) else {
            giveUpSlices()
            return nil
        }
        let (decoded, region) = (slices.rows, slices.region)
        let y = region.y + nextRow
        let columns = region.x..<(region.x + region.width)
        // Some at a time, so that decoding can be cancelled in between.
        let most = inks == nil ? max(16, JPEGSlices.mostPixelCount / region.width) : Inks.rowCount
        let wanted = min(most, rows.count, height - nextRow)
        let count: Int
        let step: JPEGSlicedRows.Step
        if inks == nil {
            let stride = rows.bytesPerRow
            (count, step) = rows.withUnsafeBase { base in
                // The rows have room for `rows.count` rows of the region's width, `stride` bytes apart.
                decoded.write(.init(columns, y..<(y + wanted), to: base, bytesPerRow: stride), feedSlices)
            }
        } else {
            (count, step) = inks!.rows.withUnsafeMutableBytes { buffer in
                // The buffer has room for `wanted` rows of this width.
                let output = JPEGSlicedRows.Output(
                    columns, y..<(y + wanted), to: buffer.baseAddress!, bytesPerRow: region.width * 4)
                return decoded.write(output, feedSlices)
            }
            convertInks(count, into: &rows)
        }
        nextRow += count
        // A source that can't be read is reported when its bytes are requested.
        if step == .isDamaged || step == .needsData && slices.source != nil { giveUpSlices() }
        if count > 0 { return .rows(count) }
        return self.slices == nil ? nil : .needMoreData
    }

    /// Whether the input is sound so far, and few enough of its bytes are held.
    private func mayReadOn(_ slices: JPEGSlices) -> Bool {
        inputFailure == nil
            && (slices.source != nil || heldByteCount <= UInt64(options.limits.maximumInputByteCount / 2))
    }

    /// Lends the scan's next bytes: from the source if it is read directly, else those that were appended.
    private func feedSlices(_ body: (RawSpan, Int, Bool) -> Int?) -> Int? {
        guard let slices else { return nil }
        guard let source = slices.source else {
            return body(pendingBytes, 0, isFinished)
        }
        let taken = slices.rows.takenByteCount
        let first = slices.dataOffset + taken
        let end = min(first + slices.rows.batchByteCount, source.length)
        return try? source.withBytes(in: [first..<end]) { (data, offsets) throws(ImageError) in
            body(data.extracting((first - offsets[0])..<(end - offsets[0])), taken, end == source.length)
        }
    }

    /// Lets libjpeg decode the scan from its beginning, without the rows that were delivered.
    ///
    /// It reports the damage as for any file.
    private func giveUpSlices() {
        slices = nil
        droppedRows = nextRow
        stage = .betweenPasses
    }

    /// Drops the rows that were delivered before libjpeg took over; false when bytes are missing.
    func dropRows() throws(ImageError) -> Bool {
        guard nextRow < droppedRows else { return true }
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: info.size.width, height: Inks.rowCount), format: info.format))
        while nextRow < droppedRows {
            let left = min(Inks.rowCount, droppedRows - nextRow)
            let count = try bitmap.withMutableRows(0..<left) { (rows) throws(ImageError) in try readRows(into: &rows) }
            guard count > 0 else { return false }
        }
        return true
    }

    /// Decodes the next strip of planes and returns its rows of the image; 0 when bytes are missing, nil where libjpeg takes
    /// over.
    func readSlicedStrip(
        _ targets: [UnsafeMutablePointer<UInt8>], _ strides: [Int]
    ) throws(ImageError) -> Int? {
        guard let slices else { return nil }
        let rowsPerMCU = 8 * (slices.rows.planes.map { $0.layout.down }.max() ?? 1)
        let row = nextRow / rowsPerMCU
        while !slices.rows.hasStrip(row) {
            let step = mayReadOn(slices) ? slices.rows.advance(past: nextRow, feedSlices) : .isDamaged
            if step == .advanced { continue }
            if step == .needsData, slices.source == nil { return 0 }
            giveUpSlices()
            return nil
        }
        slices.rows.writeStrip(row, to: targets, strides: strides)
        let count = min(rowsPerMCU, height - nextRow)
        nextRow += count
        return count
    }
}
