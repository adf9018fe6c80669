internal import CTesseraJPEG
internal import Raster

extension JPEGDecoder {
    /// Starts decoding to planes, and returns the shape of their strips.
    func startPlanes() throws(ImageError) -> tessera_jpeg_output {
        guard let header, stage == .waiting else {
            throw ImageError(.invalidParameter, "a JPEG session is started once, after its header")
        }
        let space = Int(stored.space)
        guard space == TESSERA_JPEG_SPACE_GRAY || space == TESSERA_JPEG_SPACE_YCBCR else {
            throw ImageError(.unsupported, "only grey and YCbCr JPEGs have planes to be read, not \(header.colorModel)")
        }
        guard stored.precision == 8 else {
            throw ImageError(.unsupported, "a JPEG of \(stored.precision) bits has no planes of bytes")
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

    /// Returns whether two threads can read the scans once all of the file's `byteCount` bytes are available; if so,
    /// reserves memory for the bytes.
    ///
    /// Declines a file that is long compared with its coefficients: most of it is other data.
    func prepareToShareScans(byteCount: Int) -> Bool {
        let coefficients = Int(clamping: stored.coefficient_bytes)
        guard stored.progressive, !stored.arithmetic, head != nil, byteCount <= coefficients / 2,
            byteCount <= options.limits.maximumInputByteCount,
            byteCount <= options.limits.maximumWorkingByteCount - coefficients
        else { return false }
        tessera_jpeg_decoder_reserve(handle, max(0, byteCount - Int(clamping: tessera_jpeg_decoder_appended(handle))))
        return true
    }

    /// Reads the scans on two threads; called when no scan has been read and all bytes have arrived.
    func shareScans() {
        guard let head, stage == .betweenPasses, isFinished else { return }
        // The shim copies the bytes. If it declines, one thread reads the scans.
        _ = tessera_jpeg_decoder_share_scans(handle, head, head.count)
    }

    /// Fills a strip's rows, up to four planes with the shape that `startPlanes` returned.
    /// - Returns: The number of image rows in the strip; 0 when bytes are missing.
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
