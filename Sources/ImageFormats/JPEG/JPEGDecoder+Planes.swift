internal import CTesseraJPEG
internal import Raster

extension JPEGDecoder {
    /// Fixes that planes are decoded, and says what their strips look like.
    func startPlanes() throws(ImageError) -> tessera_jpeg_output {
        guard let header, stage == .waiting else {
            throw ImageError(.invalidParameter, "a JPEG session is started once, after its header")
        }
        let space = Int(stored.space)
        guard space == TESSERA_JPEG_SPACE_GRAY || space == TESSERA_JPEG_SPACE_YCBCR else {
            throw ImageError(.unsupported, "only grey and YCbCr JPEGs have planes to be read, not \(header.colorModel)")
        }
        try options.limits.checkWorkingMemory(
            Int(clamping: stored.coefficient_bytes), for: "keeping the coefficients of the JPEG's scans")
        var decoding = tessera_jpeg_decoding()
        decoding.pixels = UInt8(TESSERA_JPEG_PIXELS_PLANES)
        decoding.scale = 8
        decoding.maximum_scans = UInt32(clamping: options.limits.maximumScanCount)
        var output = tessera_jpeg_output()
        try check(tessera_jpeg_decoder_start(handle, &decoding, &output))
        info = BitmapInfo(
            size: PixelSize(width: Int(output.width), height: Int(output.height)), format: .gray8,
            profile: header.profile)
        stage = .betweenPasses
        return output
    }

    /// Whether two threads can read the scans once all of the file's `byteCount` bytes are at hand; if so, makes room for
    /// them.
    ///
    /// A file that is long for its coefficients has other things in it, which nobody wants in memory.
    func prepareToShareScans(byteCount: Int) -> Bool {
        let coefficients = Int(clamping: stored.coefficient_bytes)
        guard stored.progressive, !stored.arithmetic, head != nil, byteCount <= coefficients / 2,
            byteCount <= options.limits.maximumInputByteCount,
            byteCount <= options.limits.maximumWorkingByteCount - coefficients
        else { return false }
        tessera_jpeg_decoder_reserve(handle, max(0, byteCount - Int(clamping: tessera_jpeg_decoder_appended(handle))))
        return true
    }

    /// Has two threads read the scans, of which nothing has been read, now that there are no more bytes to come.
    func shareScans() {
        guard let head, stage == .betweenPasses, isFinished else { return }
        // The shim copies the bytes. Where it declines, one thread reads the scans.
        _ = tessera_jpeg_decoder_share_scans(handle, head, head.count)
    }

    /// Fills a strip's rows in memory of the shape that `startPlanes` told, four planes of it.
    /// - Returns: How many of the picture's rows it stands for; 0 when bytes are missing.
    func readStrip(_ planes: [UnsafeMutablePointer<UInt8>?], _ strides: [Int]) throws(ImageError) -> Int {
        if stage == .betweenPasses {
            guard try beginPass() else { return 0 }
        }
        var rows: UInt32 = 0
        try check(tessera_jpeg_decoder_read_strip(handle, planes, strides, &rows))
        guard report.truncated, nextRow + Int(rows) > begunRows else {
            nextRow += Int(rows)
            return Int(rows)
        }
        throw fail(truncation())
    }
}
