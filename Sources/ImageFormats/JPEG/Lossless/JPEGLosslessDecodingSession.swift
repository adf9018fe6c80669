internal import JPEGBitstream
internal import Raster

/// Decodes a lossless JPEG (ITU-T T.81, annex H) without libjpeg, which reads none before version 3.
///
/// A file with all components in one scan, as nearly all are, is decoded row by row as its bytes arrive. If the
/// components come in several scans, all bytes are needed first: a row then takes bytes of each scan.
final class JPEGLosslessDecodingSession: IncrementalDecoder {
    let options: DecodingOptions
    var header: ImageHeader?

    var walker = JPEGMarkerWalker()
    /// The bytes of the file from `start` on; those before it were decoded.
    var bytes: [UInt8] = []
    private var start = 0
    var isFinished = false
    /// Whether the structure is known as far as it is needed.
    var isWalked = false
    /// Whether one scan has all components.
    var isInterleaved = true
    var color = JPEGLosslessColor.gray
    /// The memory that the samples' decoder takes.
    var workingByteCount = 0

    // Set by `start`.
    private var info: BitmapInfo?
    private var region = PixelRect(x: 0, y: 0, width: 1, height: 1)
    private var pixels: JPEGLosslessPixels?

    /// Nil until all bytes that it needs to begin have arrived.
    private var decoder: JPEGLosslessDecoder?
    private var nextRow = 0
    /// The error that ended the session.
    private var failure: ImageError?
    /// The error that ended the input; rows that need no more input can still be read.
    private var inputFailure: ImageError?

    init(options: DecodingOptions) { self.options = options }

    private var isComplete: Bool { info != nil && nextRow == region.y + region.height }

    // MARK: Input

    func append(_ piece: RawSpan) throws(ImageError) {
        if let failure = failure ?? inputFailure { throw failure }
        // Bytes after the image belong to another image, or to none.
        guard !isFinished, !isComplete, isInterleaved || !isWalked else { return }
        // The pointer is used within the call only.
        piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        do throws(ImageError) {
            try options.limits.checkHeld(bytes.count, format: .jpeg)
        } catch {
            inputFailure = error
            throw error
        }
        guard !isWalked else { return }
        do throws(JPEGBitstreamError) {
            try walker.append(piece)
        } catch {
            // Scans before the damage can be decoded.
            isWalked = true
            guard walker.structure.scanCount > 0 else { throw fail(ImageError(error)) }
        }
        try readHeader()
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        if let failure = failure ?? inputFailure {
            if header == nil { throw failure }
            return
        }
        if !isWalked {
            isWalked = true
            do throws(JPEGBitstreamError) {
                try walker.finish()
            } catch {
                guard walker.structure.scanCount > 0 else { throw fail(ImageError(error)) }
            }
            try readHeader()
        }
    }

    /// Ends the session with an error.
    func fail(_ error: ImageError) -> ImageError {
        failure = error
        return error
    }

    // MARK: Rows

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header, info == nil else {
            throw ImageError(.invalidParameter, "a JPEG session is started once, after its header")
        }
        if let failure { throw failure }
        try plan.validate(for: header.storedSize)
        region = plan.region ?? PixelRect(header.storedSize)
        let pixels = JPEGLosslessPixels(
            color, precision: header.bitsPerChannel, width: region.width,
            inkProfile: options.inkProfile(header.profile), maximumBitsPerChannel: options.maximumBitsPerChannel)
        try options.limits.checkWorkingMemory(
            workingByteCount + JPEGLosslessPixels.byteCount(precision: header.bitsPerChannel, width: region.width),
            for: "the JPEG's rows")
        self.pixels = pixels
        let info = BitmapInfo(
            size: region.size, format: pixels.format, profile: header.colorModel == .cmyk ? .sRGB : header.profile)
        self.info = info
        return info
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let info, pixels != nil else {
            throw ImageError(.invalidParameter, "rows were read from a JPEG session before start()")
        }
        guard rows.format == info.format, rows.width == info.size.width, rows.count > 0 else {
            throw ImageError(.invalidParameter, "rows that don't fit the JPEG being read")
        }
        if let failure { throw failure }
        let end = region.y + region.height
        if nextRow == end { return .end }
        guard prepare() else {
            if let failure = failure ?? inputFailure { throw failure }
            return .needMoreData
        }
        var count = 0
        while count < rows.count, nextRow < end, readRow() {
            if nextRow >= region.y {
                pixels!.convert(decoder!, from: region.x, into: &rows, count)
                count += 1
            }
            nextRow += 1
        }
        dropBytes()
        if count > 0 { return .rows(count) }
        if nextRow == end { return .end }
        if let failure = failure ?? inputFailure { throw failure }
        return .needMoreData
    }

    /// Creates the samples' decoder; returns false when bytes are missing, or the scans can't be decoded.
    private func prepare() -> Bool {
        guard decoder == nil else { return true }
        guard isWalked else { return false }
        do throws(JPEGBitstreamError) {
            decoder = try JPEGLosslessDecoder(walker.structure, in: bytes.span.bytes)
            return true
        } catch {
            failure = ImageError(error)
            return false
        }
    }

    /// Reads the next row of the image; returns false when bytes are missing, or the row is damaged.
    private func readRow() -> Bool {
        let bytes = bytes
        do throws(JPEGBitstreamError) {
            return try decoder!.readRow(bytes.span.bytes, from: start, isWhole: isFinished || !isInterleaved)
        } catch {
            failure = ImageError(error)
            return false
        }
    }

    /// Drops bytes that were decoded.
    private func dropBytes() {
        guard !isComplete, failure == nil else { return bytes = [] }
        // Moving the remainder costs as much as its length, so it isn't done for every row.
        let count = decoder!.firstNeededByte - start
        guard count > bytes.count / 2 else { return }
        bytes.removeFirst(count)
        start += count
    }
}

extension ImageError {
    /// Converts an error in a JPEG's structure or data.
    init(_ error: JPEGBitstreamError) {
        let isTruncated = error.code == .truncated
        self.init(
            isTruncated ? .truncated : .corrupt, (isTruncated ? "" : "the JPEG is corrupt: ") + error.message,
            byteOffset: error.offset)
    }
}
