internal import CTesseraJPEG
internal import Raster

/// Decodes a file of one scan as bytes arrive, a large one on several threads and others with libjpeg, and one of several
/// scans in step; the latter can deliver a pass for each scan. libjpeg decodes all arithmetic-coded files, and takes over
/// where a file of one scan is damaged.
final class JPEGDecoder: SourceReadingDecoder {
    /// The shim's decoder, owned by this object alone.
    let handle: OpaquePointer
    let options: DecodingOptions

    private(set) var header: ImageHeader?
    /// libjpeg's header; meaningful once `header` is set.
    private(set) var stored = tessera_jpeg_header()
    private(set) var isFinished = false
    var source: Source?
    /// The byte ranges of the images in a multi-picture file.
    var pictures: JPEGPictureList?

    // Set by `start`.
    var delivery = PassDelivery.last
    var inks: Inks?
    var info = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8)
    var windowY = 0

    /// The bytes up to the first scan's data; nil where they aren't kept.
    var head: [UInt8]? = []
    /// The state of decoding an eighth without libjpeg; nil where libjpeg decodes.
    var eighth: JPEGEighthRows?
    /// The state of decoding one scan on several threads without libjpeg; nil where libjpeg decodes.
    var slices: JPEGSlices?
    /// The rows that were delivered before libjpeg took over.
    var droppedRows = 0
    /// The state of decoding all scans in step without libjpeg; nil where libjpeg decodes.
    var scans: JPEGScanRows?

    // Progress.
    var stage = Stage.waiting
    var nextRow = 0
    var scansDone = 0
    var isLastPass = false
    /// The error that ended the session.
    var failure: ImageError?
    /// The error that ended the input; rows that need no more input can still be read.
    var inputFailure: ImageError?

    /// The stages of a session; each names the work of the next call to `read`.
    enum Stage {
        /// `start` hasn't been called.
        case waiting
        /// Waits for all bytes, or those of another scan, to decode without libjpeg.
        case collecting
        /// Copies rows decoded without libjpeg.
        case inEighth
        /// Decodes all scans in step, without libjpeg.
        case inStep
        /// Decodes one scan on several threads, without libjpeg.
        case inSlices
        /// Reads scans until there is something to show.
        case betweenPasses
        /// Produces rows.
        case inPass
        /// The last row was delivered.
        case done
    }

    /// Converts CMYK to RGB, with a buffer for some rows. Samples are taken as inverted (255 - amount), as Adobe's
    /// programs write them; files that aren't inverted can't be recognised.
    struct Inks {
        let converter: CMYKConverter
        var rows: [UInt8]

        static let rowCount = 16

        init(converter: CMYKConverter, width: Int) {
            self.converter = converter
            rows = [UInt8](repeating: 0, count: Self.rowCount * width * 4)
        }
    }

    init(options: DecodingOptions) throws(ImageError) {
        guard let handle = tessera_jpeg_decoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a JPEG decoder")
        }
        self.handle = handle
        self.options = options
    }

    deinit { tessera_jpeg_decoder_destroy(handle) }

    /// True for a region below the top of a single-scan file: its rows are reached fastest if all bytes have arrived.
    ///
    /// True as well where all bytes are needed.
    var prefersWholeInput: Bool {
        scans == nil ? slices == nil && windowY > 0 && !stored.multiple_scans : delivery == .last
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
        if let failure = failure ?? inputFailure { throw failure }
        // The bytes after the image belong to another image, or to none.
        guard stage != .done else { return }
        eighth?.isAsking = false
        try check(bytes.lend { tessera_jpeg_decoder_append(handle, $0, $1) })
        scans?.walk(bytes)
        let held = heldByteCount
        guard held <= UInt64(options.limits.maximumInputByteCount) else {
            let error = ImageError(
                .limitExceeded,
                "the JPEG needs \(held) bytes at once; the limit is \(options.limits.maximumInputByteCount)"
                    + " (DecodingLimits.maximumInputByteCount)")
            inputFailure = error
            throw error
        }
        guard header == nil else { return }
        try readHeader()
        keepHead(bytes)
    }

    /// Keeps the part of the appended bytes that precedes the first scan's data.
    private func keepHead(_ bytes: RawSpan) {
        guard let limit = head?.count.distance(to: options.limits.maximumMetadataByteCount) else { return }
        let known = header == nil ? 0 : Int(clamping: heldByteCount)
        let kept = bytes.extracting(droppingLast: min(known, bytes.byteCount))
        // A header of many megabytes isn't worth copying.
        guard kept.byteCount <= limit else { return head = nil }
        // The pointer is used within the call only.
        kept.withUnsafeBytes { head?.append(contentsOf: $0) }
    }

    /// The number of appended bytes that libjpeg hasn't read.
    var heldByteCount: UInt64 { tessera_jpeg_decoder_appended(handle) - tessera_jpeg_decoder_position(handle) }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        tessera_jpeg_decoder_end(handle)
        scans?.finish()
        if let failure {
            if header == nil { throw failure }
            return
        }
        try readHeader()
    }

    private func readHeader() throws(ImageError) {
        guard header == nil else { return }
        guard try check(tessera_jpeg_decoder_read_header(handle, &stored)) else { return }
        do throws(ImageError) {
            let header = try makeHeader()
            guard stored.precision == 8 || header.colorModel != .cmyk else {
                throw ImageError(.unsupported, "a CMYK JPEG of \(stored.precision) bits")
            }
            try options.limits.check(header.storedSize, format: .jpeg)
            self.header = header
        } catch {
            throw fail(error)
        }
    }

    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header, stage == .waiting else {
            throw ImageError(.invalidParameter, "a JPEG session is started once, after its header")
        }
        if let failure { throw failure }
        try plan.validate(for: header.storedSize)
        self.delivery = delivery
        var decoding = tessera_jpeg_decoding()
        let isGray = header.colorModel == .gray
        decoding.pixels = UInt8(
            isGray
                ? TESSERA_JPEG_PIXELS_GRAY8
                : header.colorModel == .cmyk ? TESSERA_JPEG_PIXELS_CMYK8 : TESSERA_JPEG_PIXELS_RGBA8)
        decoding.maximum_scans = UInt32(clamping: options.limits.maximumScanCount)
        decoding.setScale(for: plan, storedSize: header.storedSize, hasAll: isWorthSlicing)
        windowY = Int(decoding.window_y)
        if stored.precision > 8 { return try startDeep(header, decoding) }
        if let info = try startInStep(header, decoding) { return info }
        let output = try startLibjpeg(decoding)
        slices = makeSlices(decoding, isAmple: decoding.isAmple(for: plan, storedSize: header.storedSize))
        eighth = slices == nil ? makeEighth(decoding) : nil
        head = nil
        stage = slices != nil ? .inSlices : eighth == nil ? .betweenPasses : .collecting
        return makeInfo(PixelSize(width: Int(output.width), height: Int(output.height)), isGray ? .gray8 : .rgba8)
    }

    /// Sets and returns the properties of the rows; prepares to convert CMYK.
    func makeInfo(_ size: PixelSize, _ format: PixelFormat) -> BitmapInfo {
        var profile = header?.profile ?? .sRGB
        if header?.colorModel == .cmyk {
            inks = Inks(
                converter: CMYKConverter(profile: options.inkProfile(profile), isInverted: true), width: size.width)
            profile = .sRGB
        }
        info = BitmapInfo(size: size, format: format, profile: profile)
        return info
    }

    /// Prepares libjpeg, which keeps the coefficients of arithmetic-coded scans.
    func startLibjpeg(_ decoding: tessera_jpeg_decoding) throws(ImageError) -> tessera_jpeg_output {
        try options.limits.checkWorkingMemory(
            Int(clamping: stored.coefficient_bytes), for: "keeping the coefficients of the JPEG's scans")
        var (decoding, output) = (decoding, tessera_jpeg_output())
        try check(tessera_jpeg_decoder_start(handle, &decoding, &output))
        return output
    }

    /// The shim's report on the bytes so far.
    var report: tessera_jpeg_report {
        var report = tessera_jpeg_report()
        tessera_jpeg_decoder_report(handle, &report)
        return report
    }

    /// Throws the shim's status if it is an error; returns false if the shim needs more bytes.
    @discardableResult
    func check(_ status: Int32) throws(ImageError) -> Bool {
        if status >= 0 { return status == TESSERA_OK }
        let (code, what): (ImageError.Code, String) =
            switch status {
            case Int32(TESSERA_UNSUPPORTED): (.unsupported, "this kind of JPEG can't be read")
            case Int32(TESSERA_NO_MEMORY): (.outOfMemory, "no memory to decode the JPEG")
            case Int32(TESSERA_LIMIT): (.limitExceeded, "the JPEG exceeds a limit of the decoder")
            case Int32(TESSERA_MISUSE): (.invalidParameter, "the JPEG decoder was used out of order")
            // For a truncated file, libjpeg's message is about the marker inserted in place of the rest.
            case _ where report.ran_dry: (.truncated, "the JPEG ends too early")
            default: (.corrupt, "the JPEG is corrupt")
            }
        // The message lives as long as the handle; it is copied here.
        let message = String(cString: tessera_jpeg_decoder_message(handle))
        let error = ImageError(
            code, "\(what): \(message)", byteOffset: Int(clamping: tessera_jpeg_decoder_position(handle)))
        throw fail(error)
    }

    /// Ends the session with an error.
    func fail(_ error: ImageError) -> ImageError {
        failure = error
        return error
    }
}
