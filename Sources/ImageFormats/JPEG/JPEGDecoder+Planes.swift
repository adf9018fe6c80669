internal import CTesseraJPEG
internal import JPEGBitstream
internal import Raster

/// The shape of a JPEG's planes, which are read in strips.
struct JPEGPlaneShape {
    /// The image's size.
    let size: PixelSize
    let planeCount: Int
    /// Rows of the image in each strip but the last.
    let stripHeight: Int
}

extension JPEGDecoder {
    /// Starts decoding to planes.
    func startPlanes() throws(ImageError) -> JPEGPlaneShape {
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
        if let layout = try startPlanesInStep() {
            return JPEGPlaneShape(
                size: info.size, planeCount: layout.components.count, stripHeight: 8 * layout.verticalSampling)
        }
        var decoding = tessera_jpeg_decoding()
        decoding.pixels = UInt8(TESSERA_JPEG_PIXELS_PLANES)
        decoding.scale = 8
        decoding.maximum_scans = UInt32(clamping: options.limits.maximumScanCount)
        let output = try startLibjpeg(decoding)
        info = BitmapInfo(
            size: PixelSize(width: Int(output.width), height: Int(output.height)), format: .gray8,
            profile: header.profile)
        stage = .betweenPasses
        slices = makeSlices(decoding)
        head = nil
        return JPEGPlaneShape(
            size: info.size, planeCount: Int(output.planes), stripHeight: Int(output.strip_height))
    }

    /// Fills the rows of a strip of each plane.
    /// - Returns: The number of image rows in the strip; 0 when bytes are missing.
    func readStrip(_ planes: [UnsafeMutablePointer<UInt8>], _ strides: [Int]) throws(ImageError) -> Int {
        if scans != nil {
            if stage == .collecting, try !beginScans() { return 0 }
            return try readStripInStep(planes, strides)
        }
        if let count = try readSlicedStrip(planes, strides) { return count }
        if stage == .betweenPasses {
            guard try beginPass() else { return 0 }
        }
        // The strips before libjpeg took over are overwritten.
        while nextRow < droppedRows {
            guard try readLibjpegStrip(planes, strides) > 0 else { return 0 }
        }
        return try readLibjpegStrip(planes, strides)
    }

    private func readLibjpegStrip(
        _ planes: [UnsafeMutablePointer<UInt8>], _ strides: [Int]
    ) throws(ImageError) -> Int {
        var rows: UInt32 = 0
        // The shim takes four of each.
        let addresses: [UnsafeMutablePointer<UInt8>?] = planes + [nil, nil, nil]
        try check(tessera_jpeg_decoder_read_strip(handle, addresses, strides + [0, 0, 0], &rows))
        guard report.truncated, nextRow + Int(rows) > begunRows else {
            nextRow += Int(rows)
            return Int(rows)
        }
        throw fail(truncation())
    }
}
