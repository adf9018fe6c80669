internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

/// The state of decoding the one scan of a sequential JPEG on several threads, without libjpeg.
struct JPEGSlices {
    let rows: JPEGSlicedRows
    /// The requested part of the image at its reduced size.
    let region: PixelRect
    /// Images smaller than this are decoded as fast by libjpeg.
    static let leastPixelCount = 1 << 19
    /// The processors, up to 16: more threads would need more memory than they save time.
    static var threadCount: Int { min(ImageExecutor.processorCount, 16) }
}

extension JPEGDecoder {
    /// Prepares to decode a large image on several threads, or at full size on one; nil where only libjpeg can decode, and
    /// where it pays too little.
    ///
    /// libjpeg is started as well: it holds the same bytes, and takes over where they are damaged.
    func makeSlices(_ decoding: tessera_jpeg_decoding) -> JPEGSlices? {
        let threadCount = JPEGSlices.threadCount
        guard threadCount > 1 || decoding.scale == 8,
            Int(stored.width) * Int(stored.height) >= JPEGSlices.leastPixelCount,
            !stored.multiple_scans, !stored.arithmetic, stored.precision == 8, let head,
            let (walker, layout) = try? readFrame(head), JPEGSampleRows.canUpsample(layout),
            layout.components.count == stored.components,
            walker.structure.scans.first?.dataOffset == Int(clamping: tessera_jpeg_decoder_position(handle)),
            let script = try? JPEGScanScript(
                walker.structure, head: head.span.bytes, data: head.span.bytes.extracting(first: 0), from: 0,
                scanCount: 1)
        else { return nil }
        let side = Int(decoding.scale)
        let byteCount = JPEGSlicedRows.byteCount(layout, side: side, threadCount: threadCount)
        let space = Int(stored.space)
        guard byteCount <= options.limits.maximumWorkingByteCount,
            let rows = JPEGSlicedRows(
                script, side: side, from: Int(decoding.window_y),
                isYCC: space == TESSERA_JPEG_SPACE_YCBCR || space == TESSERA_JPEG_SPACE_YCCK,
                threadCount: threadCount)
        else { return nil }
        return JPEGSlices(rows: rows, region: decoding.region(of: layout))
    }

    /// Decodes the next rows; nil after the last, and where libjpeg takes over.
    func readSlices(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery? {
        guard let slices, nextRow < height else {
            slices = nil
            stage = .done
            return nil
        }
        let (decoded, region) = (slices.rows, slices.region)
        let y = region.y + nextRow
        var count = min(rows.count, height - nextRow, decoded.readyCount(from: y))
        guard count > 0 else {
            switch advanceSlices(past: y) {
            case .advanced: return nil
            case .needsData: return .needMoreData
            case .isDamaged:
                giveUpSlices()
                return nil
            }
        }
        let columns = region.x..<(region.x + region.width)
        if inks != nil {
            count = min(count, Inks.rowCount)
            let bytesPerRow = region.width * 4
            inks!.rows.withUnsafeMutableBytes { buffer in
                // The buffer has room for `count` rows of this width.
                decoded.write(columns, y, count: count, to: buffer.baseAddress!, bytesPerRow: bytesPerRow)
            }
            convertInks(count, into: &rows)
        } else {
            let stride = rows.bytesPerRow
            rows.withUnsafeBase { base in
                // The rows have room for `rows.count` rows of the region's width, `stride` bytes apart.
                decoded.write(columns, y, count: count, to: base, bytesPerRow: stride)
            }
        }
        nextRow += count
        return .rows(count)
    }

    private func advanceSlices(past y: Int) -> JPEGSlicedRows.Step {
        guard let slices, inputFailure == nil,
            heldByteCount <= UInt64(options.limits.maximumInputByteCount / 2)
        else { return .isDamaged }
        return slices.rows.advance(past: y, pendingBytes, isFinished: isFinished)
    }

    /// Lets libjpeg decode the scan from its beginning, without the rows that were delivered.
    ///
    /// It holds all bytes, and reports the damage as for any file.
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
            switch advanceSlices(past: nextRow) {
            case .advanced: continue
            case .needsData: return 0
            case .isDamaged:
                giveUpSlices()
                return nil
            }
        }
        slices.rows.writeStrip(row, to: targets, strides: strides)
        let count = min(rowsPerMCU, height - nextRow)
        nextRow += count
        return count
    }
}
