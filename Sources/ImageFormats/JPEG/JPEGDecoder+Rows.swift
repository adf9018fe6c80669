internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

extension JPEGDecoder {
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard rows.format == info.format, rows.width == info.size.width, rows.count > 0 else {
            throw ImageError(.invalidParameter, "rows that don't fit the JPEG being read")
        }
        while true {
            if let failure { throw failure }
            switch stage {
            case .waiting:
                throw ImageError(.invalidParameter, "rows were read from a JPEG session before start()")
            case .collecting:
                guard try scans == nil ? decodeEighth() : beginScans() else { return try waiting() }
            case .inEighth:
                if let count = readEighth(into: &rows) { return .rows(count) }
                stage = .done
            case .inStep:
                if let delivery = try readScans(into: &rows) { return delivery }
            case .inSlices:
                if let delivery = try readSlices(into: &rows) {
                    if case .needMoreData = delivery { return try waiting() }
                    return delivery
                }
            case .betweenPasses:
                guard try beginPass() else { return try waiting() }
            case .inPass:
                guard try dropRows() else { return try waiting() }
                let count = try readRows(into: &rows)
                if count > 0 { return .rows(count) }
                guard nextRow == height else { return try waiting() }
                if let delivery = try endPass() { return delivery }
            case .done:
                return .end
            }
        }
    }

    /// Requests bytes, or throws if no more can arrive.
    private func waiting() throws(ImageError) -> RowDelivery {
        if let inputFailure { throw inputFailure }
        return .needMoreData
    }

    var height: Int { info.size.height }

    /// Reads scans until there is something to show, and begins a pass over it; returns false when bytes are missing.
    func beginPass() throws(ImageError) -> Bool {
        var (scans, isComplete) = (UInt32(0), false)
        repeat {
            guard try check(tessera_jpeg_decoder_advance(handle, &scans, &isComplete)) else { return false }
        } while !isComplete && (delivery == .last || Int(scans) == scansDone)
        try check(tessera_jpeg_decoder_begin_pass(handle))
        (scansDone, isLastPass) = (Int(scans), isComplete)
        nextRow = 0
        stage = .inPass
        return true
    }

    /// Reads the next rows, at least one; returns 0 when bytes are missing or the pass is over.
    func readRows(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let wanted = min(rows.count, height - nextRow)
        guard wanted > 0 else { return 0 }
        var read = UInt32(0)
        let status = inks == nil ? fill(&rows, wanted, &read) : print(&rows, wanted, &read)
        let count = min(Int(read), begunRows - nextRow)
        if count <= 0 {
            try check(status)
            if read > 0 || isTruncatedAt(nextRow) { throw fail(truncation()) }
            return 0
        }
        nextRow += count
        return count
    }

    /// Lets libjpeg fill up to `wanted` rows, including those that it makes up for missing bytes.
    private func fill(_ rows: inout MutablePixelRows, _ wanted: Int, _ read: inout UInt32) -> Int32 {
        let stride = rows.bytesPerRow
        return rows.withUnsafeBase { base in
            // The rows have room for `wanted` rows of the width that `start` returned, `stride` bytes apart.
            tessera_jpeg_decoder_read_rows(
                handle, base.assumingMemoryBound(to: UInt8.self), stride, UInt32(wanted), &read)
        }
    }

    /// Reads CMYK rows, at most 16 at a time, and converts them to RGB.
    private func print(_ rows: inout MutablePixelRows, _ wanted: Int, _ read: inout UInt32) -> Int32 {
        let byteCount = rows.width * 4
        let count = min(wanted, Inks.rowCount)
        let status = inks!.rows.withUnsafeMutableBufferPointer { buffer in
            // The buffer has room for `count` rows of this width.
            tessera_jpeg_decoder_read_rows(handle, buffer.baseAddress, byteCount, UInt32(count), &read)
        }
        convertInks(Int(read), into: &rows)
        return status
    }

    /// Converts the first rows of CMYK.
    func convertInks(_ count: Int, into rows: inout MutablePixelRows) {
        guard let inks else { return }
        let byteCount = rows.width * 4
        for y in 0..<count {
            var row = rows.row(y, as: RGBA8.self)
            inks.converter.convert(
                inks.rows.span.bytes.extracting((y * byteCount)..<((y + 1) * byteCount)), into: &row)
        }
    }

    /// Ends a pass whose rows were all delivered; returns nil after the last pass.
    private func endPass() throws(ImageError) -> RowDelivery? {
        if stored.multiple_scans {
            try check(tessera_jpeg_decoder_end_pass(handle))
        }
        guard isLastPass else {
            stage = .betweenPasses
            return .passComplete(count: scansDone)
        }
        stage = .done
        try checkSoundness()
        return nil
    }

    /// Throws, after the last row, if part of the image was missing or damaged.
    func checkSoundness() throws(ImageError) {
        if let error = scans?.rows?.failure { throw fail(ImageError(error)) }
        let report = report
        if report.truncated { throw fail(truncation()) }
        if report.damages > 0 {
            // libjpeg concealed the damage, and the rows were delivered; the error reports it.
            let message = String(cString: tessera_jpeg_decoder_damage_message(handle))
            throw fail(
                ImageError(
                    .corrupt, "the JPEG is damaged: \(message)", byteOffset: Int(clamping: report.damage_offset)))
        }
    }

    /// The number of rows in the window with at least some data in the file; the last ones may be incomplete.
    var begunRows: Int {
        let report = report
        guard report.truncated else { return height }
        return min(height, max(0, Int(report.rows_begun) - windowY))
    }

    private func isTruncatedAt(_ row: Int) -> Bool { report.truncated && row >= begunRows }

    func truncation() -> ImageError {
        let total = Int(clamping: tessera_jpeg_decoder_appended(handle))
        return ImageError(
            .truncated, "the JPEG ends too early: \(begunRows) of \(height) rows were begun", byteOffset: total)
    }
}

extension tessera_jpeg_decoding {
    /// Chooses the scale and the window for `plan`, which is valid for an image of `storedSize`.
    ///
    /// The scale is the smallest of 1/8, 1/4, 1/2 and 1, or 3/8 and 3/4 if those are quick, at which the region is at least
    /// the plan's least size, and its edges lie between pixels or at the image's edge; a cut within a pixel would shift the image.
    /// libjpeg's other scales have no SIMD code: 5/8 to 7/8 take longer than full size, 3/8 longer than 1/2.
    mutating func setScale(for plan: DecodingPlan, storedSize: PixelSize, hasAll: Bool) {
        let part = plan.regionSize(of: storedSize)
        let least = plan.leastSize(of: storedSize)
        // An eighth, and libjpeg's reduced sizes, are means of pixels: already soft.
        var softPlan = plan
        softPlan.reducingGap = max(2, plan.reducingGap)
        let leastOfMeans = softPlan.leastSize(of: storedSize)
        let region = plan.region ?? PixelRect(storedSize)
        func isOnGrid(_ start: Int, _ count: Int, _ length: Int, _ step: Int) -> Bool {
            start % step == 0 && ((start + count) % step == 0 || start + count == length)
        }
        // Rounded down: at a scale that rounds up, a small image's last pixel would be mostly padding.
        scale =
            (hasAll ? [1, 2, 3, 4, 6] : [1, 2, 4]).first { scale in
                // At 3/8 and 3/4 eight and four pixels become three, at the image's edge too: callers expect only halvings to
                // end within a pixel.
                let step = [3: 8, 6: 4][scale] ?? 8 / Int(scale)
                let least = hasAll && scale > 1 ? least : leastOfMeans
                let isWhole = region.width % step == 0 && region.height % step == 0
                return part.width * Int(scale) / 8 >= least.width && part.height * Int(scale) / 8 >= least.height
                    && isOnGrid(region.x, region.width, storedSize.width, step)
                    && isOnGrid(region.y, region.height, storedSize.height, step)
                    && (isWhole || scale != 3 && scale != 6)
            } ?? 8
        guard region.size != storedSize else { return }
        let (left, top) = (region.x * Int(scale) / 8, region.y * Int(scale) / 8)
        let right = Self.scaled(region.x + region.width, scale)
        let bottom = Self.scaled(region.y + region.height, scale)
        // A JPEG's width and height have 16 bits.
        window_x = UInt32(left)
        window_y = UInt32(top)
        window_width = UInt32(right - left)
        window_height = UInt32(bottom - top)
    }

    /// Whether the size is an eighth, and so much larger than the plan's target that chroma at half of it still has
    /// 1.4 times the target's pixels across and down.
    func isAmple(for plan: DecodingPlan, storedSize: PixelSize) -> Bool {
        guard scale == 1, let target = plan.targetSize(of: storedSize) else { return false }
        let part = plan.regionSize(of: storedSize)
        return 5 * part.width / 7 / 16 >= target.width && 5 * part.height / 7 / 16 >= target.height
    }

    /// The chosen part of an image with this layout, at the chosen size.
    func region(of layout: JPEGCoefficientLayout) -> PixelRect {
        guard window_width > 0 else {
            return PixelRect(
                PixelSize(width: Self.scaled(layout.width, scale), height: Self.scaled(layout.height, scale)))
        }
        return PixelRect(x: Int(window_x), y: Int(window_y), width: Int(window_width), height: Int(window_height))
    }

    /// `length` pixels at `scale` eighths, rounded up as libjpeg does.
    private static func scaled(_ length: Int, _ scale: UInt8) -> Int { (length * Int(scale) + 7) / 8 }
}
