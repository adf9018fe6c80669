internal import CTesseraJPEG
internal import Raster

/// A session over libjpeg: bytes in, rows out, a scan at a time where there are several.
final class JPEGDecoder: IncrementalDecoder {
    /// The shim's decoder. This object owns it, and nothing else has the pointer.
    let handle: OpaquePointer
    let options: DecodingOptions

    private(set) var header: ImageHeader?
    /// What libjpeg says of the file; meaningful once `header` is known.
    private(set) var stored = tessera_jpeg_header()
    private(set) var isFinished = false
    /// Where the file's pictures are, if it lists several.
    var pictures: JPEGPictureList?

    // What `start` fixed.
    var delivery = PassDelivery.last
    var inks: Inks?
    var info = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8)
    var windowY = 0

    /// The bytes up to the first scan's data; nil where they aren't kept.
    private(set) var head: [UInt8]? = []
    /// How the rows are made without libjpeg, if they are.
    var eighth: JPEGEighthRows?

    // Where reading stands.
    var stage = Stage.waiting
    var nextRow = 0
    var scansDone = 0
    var isLastPass = false
    /// What ends the session.
    var failure: ImageError?
    /// What ends the input; rows that are possible without more of it can still be read.
    var inputFailure: ImageError?

    /// What a call to `read` has to do next.
    enum Stage {
        /// `start` hasn't been called.
        case waiting
        /// All bytes are awaited, to make the rows without libjpeg.
        case collecting
        /// Rows are made without libjpeg.
        case inEighth
        /// Scans are read until there is something to show.
        case betweenPasses
        /// Rows are made.
        case inPass
        /// The last row was delivered.
        case done
    }

    /// How inks become RGB, and room for some rows of them. JPEG files store 255 - ink, as Adobe's programs do; one that
    /// doesn't can't be told from one that does.
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

    /// Rows far down are reached fastest when nothing can run out on the way.
    var prefersWholeInput: Bool { windowY > 0 && !stored.multiple_scans }

    func append(_ bytes: RawSpan) throws(ImageError) {
        if let failure = failure ?? inputFailure { throw failure }
        // What follows the picture is another one's, or nobody's.
        guard stage != .done else { return }
        eighth?.isAsking = false
        try check(bytes.lend { tessera_jpeg_decoder_append(handle, $0, $1) })
        let held = heldByteCount
        guard held <= UInt64(options.limits.maximumInputByteCount) else {
            let error = ImageError(
                .limitExceeded,
                "the JPEG needs \(held) bytes at once; the limit is \(options.limits.maximumInputByteCount)")
            inputFailure = error
            throw error
        }
        guard header == nil else { return }
        try readHeader()
        keepHead(bytes)
    }

    /// Keeps what of the bytes just appended belongs to what comes before the first scan's data.
    private func keepHead(_ bytes: RawSpan) {
        guard let limit = head?.count.distance(to: options.limits.maximumMetadataByteCount) else { return }
        let known = header == nil ? 0 : Int(clamping: heldByteCount)
        let kept = bytes.extracting(droppingLast: min(known, bytes.byteCount))
        // A head of many megabytes isn't worth its copy.
        guard kept.byteCount <= limit else { return head = nil }
        // Used within the call only.
        kept.withUnsafeBytes { head?.append(contentsOf: $0) }
    }

    /// Bytes that were appended and that libjpeg hasn't read.
    var heldByteCount: UInt64 { tessera_jpeg_decoder_appended(handle) - tessera_jpeg_decoder_position(handle) }

    func finish() throws(ImageError) {
        guard !isFinished else { return }
        isFinished = true
        tessera_jpeg_decoder_end(handle)
        if let failure {
            if header == nil { throw failure }
            return
        }
        try readHeader()
    }

    private func readHeader() throws(ImageError) {
        guard header == nil else { return }
        guard try check(tessera_jpeg_decoder_read_header(handle, &stored)) else { return }
        do {
            let header = try makeHeader()
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
        try options.limits.checkWorkingMemory(
            Int(clamping: stored.coefficient_bytes), for: "keeping the coefficients of the JPEG's scans")

        var decoding = tessera_jpeg_decoding()
        let isGray = header.colorModel == .gray
        decoding.pixels = UInt8(
            isGray
                ? TESSERA_JPEG_PIXELS_GRAY8
                : header.colorModel == .cmyk ? TESSERA_JPEG_PIXELS_CMYK8 : TESSERA_JPEG_PIXELS_RGBA8)
        decoding.maximum_scans = UInt32(clamping: options.limits.maximumScanCount)
        decoding.setScale(for: plan, storedSize: header.storedSize)
        var output = tessera_jpeg_output()
        try check(tessera_jpeg_decoder_start(handle, &decoding, &output))

        self.delivery = delivery
        windowY = Int(decoding.window_y)
        eighth = makeEighth(decoding)
        head = nil
        stage = eighth == nil ? .betweenPasses : .collecting
        var profile = header.profile
        if header.colorModel == .cmyk {
            inks = Inks(
                converter: CMYKConverter(profile: options.inkProfile(profile), isInverted: true),
                width: Int(output.width))
            profile = .sRGB
        }
        info = BitmapInfo(
            size: PixelSize(width: Int(output.width), height: Int(output.height)), format: isGray ? .gray8 : .rgba8,
            profile: profile)
        return info
    }

    /// What the shim has to say of the bytes so far.
    var report: tessera_jpeg_report {
        var report = tessera_jpeg_report()
        tessera_jpeg_decoder_report(handle, &report)
        return report
    }

    /// Turns the shim's status into an error; true for one that isn't "append more".
    @discardableResult
    func check(_ status: Int32) throws(ImageError) -> Bool {
        if status >= 0 { return status == TESSERA_OK }
        let (code, what): (ImageError.Code, String) =
            switch status {
            case Int32(TESSERA_UNSUPPORTED): (.unsupported, "this kind of JPEG can't be read")
            case Int32(TESSERA_NO_MEMORY): (.outOfMemory, "no memory to decode the JPEG")
            case Int32(TESSERA_LIMIT): (.limitExceeded, "the JPEG asks for too much")
            case Int32(TESSERA_MISUSE): (.invalidParameter, "the JPEG decoder was used out of order")
            // What libjpeg says of a file that ends early is about the marker put in place of its rest.
            case _ where report.ran_dry: (.truncated, "the JPEG ends too early")
            default: (.corrupt, "the JPEG is corrupt")
            }
        // The message lives as long as the handle, and is copied here.
        let message = String(cString: tessera_jpeg_decoder_message(handle))
        let error = ImageError(
            code, "\(what): \(message)", byteOffset: Int(clamping: tessera_jpeg_decoder_position(handle)))
        throw fail(error)
    }

    /// Remembers what ends the session.
    func fail(_ error: ImageError) -> ImageError {
        failure = error
        return error
    }
}
