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
    /// The requested part of the image.
    let region: PixelRect
}

extension JPEGDecoder {
    /// Prepares to decode a file of 12 bits, which libjpeg doesn't, at full resolution.
    func startInStep(_ plan: DecodingPlan, _ header: ImageHeader) throws(ImageError) -> BitmapInfo {
        guard let head else {
            throw ImageError(
                .limitExceeded,
                "the JPEG's header is longer than \(options.limits.maximumMetadataByteCount) bytes, the limit")
        }
        var walker = JPEGMarkerWalker()
        let layout: JPEGCoefficientLayout
        do throws(JPEGBitstreamError) {
            try walker.append(head.span.bytes)
            guard let frame = walker.structure.frame else {
                throw JPEGBitstreamError(.invalidFrame, "the JPEG has no frame header", offset: head.count)
            }
            layout = try JPEGCoefficientLayout(frame)
        } catch {
            throw fail(located(error))
        }
        guard JPEGSampleRows.canUpsample(layout) else {
            throw fail(ImageError(.unsupported, "the JPEG's sampling factors don't divide the largest"))
        }
        try options.limits.checkWorkingMemory(
            JPEGSampleRows.byteCount(layout), for: "decoding rows of the JPEG's scans")
        let region = plan.region ?? PixelRect(header.storedSize)
        scans = JPEGScanRows(head: head, walker: walker, region: region)
        self.head = nil
        windowY = region.y
        stage = .collecting
        info = BitmapInfo(
            size: region.size, format: header.colorModel == .gray ? .gray16 : .rgba16, profile: header.profile)
        return info
    }

    /// Begins to decode the scans when all bytes are available; returns false while they aren't.
    func beginScans() throws(ImageError) -> Bool {
        guard isFinished, var scans else { return false }
        let data = pendingBytes
        do throws(JPEGBitstreamError) {
            try scans.walker.append(data)
            try scans.walker.finish()
        } catch {
            // The structure has the error, and the scans before it.
        }
        let structure = scans.walker.structure
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
        } catch {
            throw fail(located(error))
        }
        self.scans = scans
        stage = .inStep
        return true
    }

    /// Decodes the next rows and returns their count; nil after the last.
    ///
    /// Throws at the first row without data. Where only detail is missing or damaged, throws after the last row.
    func readScans(into rows: inout MutablePixelRows) throws(ImageError) -> Int? {
        guard var samples = scans?.samples, let region = scans?.region else { return nil }
        scans?.samples = nil
        defer { scans?.samples = samples }
        let isYCC = Int(stored.space) == TESSERA_JPEG_SPACE_YCBCR
        let stride = rows.bytesPerRow
        var count = 0
        while count < rows.count, nextRow < height {
            let y = region.y + nextRow
            samples.fillLines(y, pendingBytes)
            guard y < samples.soundRowCount else { break }
            rows.withUnsafeBase { base in
                // The rows have room for `rows.count` rows of the region's width, `stride` bytes apart.
                samples.writePixels(
                    region.x..<(region.x + region.width), isYCC: isYCC, to: base + count * stride)
            }
            count += 1
            nextRow += 1
        }
        if count > 0 { return count }
        if let error = samples.failure { throw fail(located(error)) }
        return nil
    }

    /// An error of the JPEG's structure or data as a session throws it.
    private func located(_ error: JPEGBitstreamError) -> ImageError {
        ImageError(error.code == .truncated ? .truncated : .corrupt, error.message, byteOffset: error.offset)
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
