#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// Decodes one image with libjxl: rows become available with each complete group of 256 lines; a progressive image is
/// delivered pass by pass on request.
///
/// libjxl delivers pixels in any order, so the window's pixels are kept until they are read; a whole image whose bytes are
/// all there goes straight into the caller's rows.
final class JPEGXLDecoder: IncrementalDecoder {
    private let stream: JPEGXLStream
    private var delivery = PassDelivery.last
    private var info: BitmapInfo?
    private var inks: CMYKConverter?
    private var inkRow: [UInt8] = []

    private var progress = tessera_jxl_progress()
    /// The number of rows read in the current pass.
    private var nextRow = 0
    /// The number of passes read completely.
    private var passesDone = 0
    private var isFinished = false
    /// Whether `read` was called.
    private var hasBegun = false
    /// The error that ended decoding.
    private var failure: ImageError?

    /// - Throws: `unsupported` if libjxl isn't installed.
    init(options: DecodingOptions) throws(ImageError) {
        stream = try JPEGXLStream(options: options, isAnimation: false)
    }

    var header: ImageHeader? { stream.header }

    /// True without previews: the file's bytes are kept until the image is complete in any case.
    var prefersWholeInput: Bool { delivery == .last }

    func append(_ bytes: RawSpan) throws(ImageError) {
        if let failure { throw failure }
        guard !progress.is_complete else { return try appendBehindPicture(bytes) }
        do {
            try stream.append(bytes)
        } catch {
            // Without a header, the session can't continue.
            if header == nil { failure = error }
            throw error
        }
    }

    /// Reads metadata after the image.
    private func appendBehindPicture(_ bytes: RawSpan) throws(ImageError) {
        // An animation's further frames are ignored.
        guard !stream.stored.is_animated else { return }
        try stream.append(bytes)
        readRest()
    }

    private func readRest() {
        // Errors in it don't affect the image.
        _ = tessera_jxl_decoder_read_rest(stream.handle)
        stream.updateMetadata()
    }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        if let failure, header == nil { throw failure }
        try stream.finish()
        if progress.is_complete { readRest() }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header, info == nil else {
            throw ImageError(.invalidParameter, "a JPEG XL session is started once, after its header")
        }
        if let failure { throw failure }
        try plan.validate(for: header.storedSize)
        let started = try stream.start(plan.region, delivery: delivery)
        if header.colorModel == .cmyk {
            inks = CMYKConverter(profile: stream.options.inkProfile(header.profile), isInverted: true)
            inkRow = [UInt8](repeating: 0, count: started.size.width * 5)
        }
        self.delivery = delivery
        info = started
        return started
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        guard let info, rows.format == info.format, rows.width == info.size.width, rows.count > 0 else {
            throw ImageError(.invalidParameter, "rows that don't fit the JPEG XL being read")
        }
        if try decodeInPlace(&rows, info) { return .rows(nextRow) }
        while true {
            // All rows of an intermediate pass, or the final rows so far.
            let isPass = passesDone < progress.passes && !progress.is_complete
            let available = isPass ? info.size.height : Int(progress.rows)
            if nextRow < available {
                let count = min(rows.count, available - nextRow)
                copy(into: &rows, count)
                nextRow += count
                return .rows(count)
            }
            if let failure { throw failure }
            if isPass {
                passesDone = Int(progress.passes)
                nextRow = 0
                return .passComplete(count: passesDone)
            }
            if progress.is_complete { return .end }
            guard try stream.hasBytes(for: info, isFinished: isFinished) else { return .needMoreData }
            guard try advance() else { return .needMoreData }
        }
    }

    /// Decodes the whole image into `rows` if they have room for it and no bytes are to come; false otherwise.
    private func decodeInPlace(_ rows: inout MutablePixelRows, _ info: BitmapInfo) throws(ImageError) -> Bool {
        guard !hasBegun else { return false }
        hasBegun = true
        guard isFinished, delivery == .last, rows.count >= info.size.height,
            try stream.hasBytes(for: info, isFinished: true)
        else { return false }
        let (stride, handle) = (rows.bytesPerRow, stream.handle)
        try rows.withUnsafeBase { (base) throws(ImageError) in
            // There is room for all rows, as was just checked, and the shim forgets them before the call ends.
            tessera_jxl_decoder_lend(handle, base.assumingMemoryBound(to: UInt8.self), stride)
            defer { tessera_jxl_decoder_lend(handle, nil, 0) }
            _ = try advance()
        }
        convertInks(&rows, Int(progress.rows))
        nextRow = Int(progress.rows)
        return nextRow > 0
    }

    /// Decodes until there are new rows or passes; returns false when bytes are missing.
    private func advance() throws(ImageError) -> Bool {
        let rows = progress.rows
        let passes = progress.passes
        let status = stream.withThreads { tessera_jxl_decoder_advance($0, &progress) }
        guard Int(progress.passes) <= stream.options.limits.maximumScanCount else {
            failure = ImageError(
                .limitExceeded,
                "the JPEG XL has more passes than the limit of \(stream.options.limits.maximumScanCount)"
                    + " (DecodingLimits.maximumScanCount)")
            return true
        }
        if status < 0 {
            failure = stream.error(status)
            // If no pass was read before, the rows of an incomplete pass continue after the final rows.
            if passes == 0, progress.passes > 0 {
                progress.rows = UInt32(info!.size.height)
                progress.passes = 0
            }
            return true
        }
        if progress.is_complete {
            // The final pass replaces an intermediate one that wasn't read.
            passesDone = Int(progress.passes)
            if passes > 0 { nextRow = 0 }
            readRest()
        }
        return status != TESSERA_NEED_MORE || progress.rows > rows
    }

    /// Copies the next rows, with CMYK converted to RGB.
    private func copy(into rows: inout MutablePixelRows, _ count: Int) {
        let (stride, first, handle) = (rows.bytesPerRow, UInt32(nextRow), stream.handle)
        rows.withUnsafeBase { base in
            // The rows have room for `count` rows of the width that `start` returned, `stride` bytes apart.
            tessera_jxl_decoder_copy_rows(
                handle, first, base.assumingMemoryBound(to: UInt8.self), stride, UInt32(count))
        }
        convertInks(&rows, count)
    }

    /// Converts the next `count` rows, which are in `rows` already, from CMYK to RGB.
    private func convertInks(_ rows: inout MutablePixelRows, _ count: Int) {
        guard let inks else { return }
        for y in 0..<count { convert(&rows, y, inks) }
    }

    /// Converts a row of cyan, magenta, yellow and alpha, with its black, to RGB.
    private func convert(_ rows: inout MutablePixelRows, _ y: Int, _ inks: CMYKConverter) {
        let width = rows.width
        let (handle, line) = (stream.handle, UInt32(nextRow + y))
        inkRow.withUnsafeMutableBufferPointer { buffer in
            // After four bytes for each pixel there is one for its black.
            tessera_jxl_decoder_copy_black(handle, line, buffer.baseAddress! + 4 * width)
        }
        var row = rows.row(y, as: RGBA8.self)
        for x in 0..<width {
            let black = inkRow[4 * width + x]
            inkRow[4 * x] = row[x].red
            inkRow[4 * x + 1] = row[x].green
            inkRow[4 * x + 2] = row[x].blue
            // Alpha takes black's place until the row is converted.
            inkRow[4 * width + x] = row[x].alpha
            inkRow[4 * x + 3] = black
        }
        inks.convert(inkRow.span.bytes.extracting(0..<(4 * width)), into: &row)
        for x in 0..<width { row[x].alpha = inkRow[4 * width + x] }
    }
}
#endif
