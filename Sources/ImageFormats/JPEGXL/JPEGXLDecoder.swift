#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// A session over libjxl for one picture: rows come as the groups of 256 lines that they belong to are complete; a
/// picture that is stored coarse to fine is delivered pass by pass where that is asked for.
///
/// libjxl delivers pixels where it wants, so the window's pixels are kept until they are read.
final class JPEGXLDecoder: IncrementalDecoder {
    private let stream: JPEGXLStream
    private var delivery = PassDelivery.last
    private var info: BitmapInfo?
    private var inks: CMYKConverter?
    private var inkRow: [UInt8] = []

    private var progress = tessera_jxl_progress()
    /// Rows of the current pass that were read.
    private var nextRow = 0
    /// Passes that were read to their end.
    private var passesDone = 0
    private var isFinished = false
    /// What keeps further pixels from being made.
    private var failure: ImageError?

    /// - Throws: `unsupported` where libjxl isn't installed.
    init(options: DecodingOptions) throws(ImageError) {
        stream = try JPEGXLStream(options: options, isAnimation: false)
    }

    var header: ImageHeader? { stream.header }

    func append(_ bytes: RawSpan) throws(ImageError) {
        if let failure { throw failure }
        guard !progress.is_complete else { return try appendBehindPicture(bytes) }
        do {
            try stream.append(bytes)
        } catch {
            // Before there is a header nothing else can be done with the session.
            if header == nil { failure = error }
            throw error
        }
    }

    /// Reads metadata that follow the picture.
    private func appendBehindPicture(_ bytes: RawSpan) throws(ImageError) {
        // An animation's other frames are of no interest.
        guard !stream.stored.is_animated else { return }
        try stream.append(bytes)
        readRest()
    }

    private func readRest() {
        // What is wrong with it does the picture no harm.
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
        while true {
            // Rows that are there: of a pass that is drawn, or final.
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

    /// Decodes until something is new; false when bytes are missing.
    private func advance() throws(ImageError) -> Bool {
        let rows = progress.rows
        let passes = progress.passes
        let status = tessera_jxl_decoder_advance(stream.handle, &progress)
        guard Int(progress.passes) <= stream.options.limits.maximumScanCount else {
            failure = ImageError(
                .limitExceeded,
                "the JPEG XL has more passes than the limit of \(stream.options.limits.maximumScanCount)")
            return true
        }
        if status < 0 {
            failure = stream.error(status)
            // Without a pass before, what was drawn of the rest goes on where the final rows ended.
            if passes == 0, progress.passes > 0 {
                progress.rows = UInt32(info!.size.height)
                progress.passes = 0
            }
            return true
        }
        if progress.is_complete {
            // A pass that was drawn and not read is outdone by the last.
            passesDone = Int(progress.passes)
            if passes > 0 { nextRow = 0 }
            readRest()
        }
        return status != TESSERA_NEED_MORE || progress.rows > rows
    }

    /// Copies the rows that come next, inks converted.
    private func copy(into rows: inout MutablePixelRows, _ count: Int) {
        let (stride, first, handle) = (rows.bytesPerRow, UInt32(nextRow), stream.handle)
        rows.withUnsafeBase { base in
            // The rows have room for `count` rows of the width that `start` told, `stride` bytes apart.
            tessera_jxl_decoder_copy_rows(
                handle, first, base.assumingMemoryBound(to: UInt8.self), stride, UInt32(count))
        }
        guard let inks else { return }
        for y in 0..<count { convert(&rows, y, inks) }
    }

    /// Makes RGB of a row of cyan, magenta, yellow and alpha, and of the black that belongs to it.
    private func convert(_ rows: inout MutablePixelRows, _ y: Int, _ inks: CMYKConverter) {
        let width = rows.width
        let (handle, line) = (stream.handle, UInt32(nextRow + y))
        inkRow.withUnsafeMutableBufferPointer { buffer in
            // Behind the four bytes for each pixel there is one for its black.
            tessera_jxl_decoder_copy_black(handle, line, buffer.baseAddress! + 4 * width)
        }
        var row = rows.row(y, as: RGBA8.self)
        for x in 0..<width {
            let black = inkRow[4 * width + x]
            inkRow[4 * x] = row[x].red
            inkRow[4 * x + 1] = row[x].green
            inkRow[4 * x + 2] = row[x].blue
            // The black's place becomes the alpha's, which has to wait.
            inkRow[4 * width + x] = row[x].alpha
            inkRow[4 * x + 3] = black
        }
        inks.convert(inkRow.span.bytes.extracting(0..<(4 * width)), into: &row)
        for x in 0..<width { row[x].alpha = inkRow[4 * width + x] }
    }
}
#endif
