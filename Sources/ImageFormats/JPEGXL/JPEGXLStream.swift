#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// Passes bytes to the shim's decoder and builds the header, for stills and animations alike.
final class JPEGXLStream {
    /// The shim's decoder, owned by this object and used by one task at a time.
    let handle: OpaquePointer
    let options: DecodingOptions
    /// libjxl's header; meaningful once `header` is set.
    private(set) var stored = tessera_jxl_header()
    private(set) var header: ImageHeader?
    /// The number of bytes appended.
    private(set) var byteCount = 0
    private let isAnimation: Bool

    /// - Throws: `unsupported` if libjxl isn't installed; `outOfMemory`.
    init(options: DecodingOptions, isAnimation: Bool) throws(ImageError) {
        try JPEGXLLibrary.load()
        var opening = tessera_jxl_opening()
        opening.maximum_memory = UInt64(clamping: options.limits.maximumWorkingByteCount)
        opening.maximum_input = UInt64(clamping: options.limits.maximumInputByteCount)
        // Small enough that a box header's length can be added.
        opening.maximum_metadata = UInt64(clamping: min(options.limits.maximumMetadataByteCount, 1 << 40))
        opening.wants_srgb = options.color == .sRGB
        opening.is_animation = isAnimation
        guard let handle = tessera_jxl_decoder_create(&opening) else {
            throw ImageError(.outOfMemory, "no memory for a JPEG XL decoder")
        }
        self.handle = handle
        self.options = options
        self.isAnimation = isAnimation
    }

    deinit { tessera_jxl_decoder_destroy(handle) }

    /// Calls the shim with a share of the processors for libjxl's threads.
    func withThreads(_ body: (OpaquePointer) -> Int32) -> Int32 {
        ProcessorShare.perform { threads in
            tessera_jxl_decoder_set_threads(handle, UInt16(threads))
            return body(handle)
        }
    }

    /// Appends bytes, and reads the header when it is complete.
    func append(_ bytes: RawSpan) throws(ImageError) {
        let held = tessera_jxl_decoder_held(handle)
        guard UInt64(clamping: bytes.byteCount) + held <= UInt64(clamping: options.limits.maximumInputByteCount) else {
            throw ImageError(
                .limitExceeded,
                "the JPEG XL file needs more than the limit of \(options.limits.maximumInputByteCount) bytes at once"
                    + " (DecodingLimits.maximumInputByteCount)")
        }
        try check(bytes.lend { tessera_jxl_decoder_append(handle, $0, $1) })
        byteCount += bytes.byteCount
        try readHeader()
    }

    /// Ends the input. Throws if the header is incomplete.
    func finish() throws(ImageError) {
        tessera_jxl_decoder_end(handle)
        try readHeader()
    }

    private func readHeader() throws(ImageError) {
        guard header == nil, try check(tessera_jxl_decoder_read_header(handle, &stored)) else { return }
        let size = PixelSize(width: Int(stored.width), height: Int(stored.height))
        try options.limits.check(size, format: .jpegXL)
        header = makeHeader(size)
    }

    private func makeHeader(_ size: PixelSize) -> ImageHeader {
        var sequence: ImageSequence?
        if stored.is_animated { sequence = ImageSequence(.animation, count: nil, loopCount: Int(stored.loops)) }
        return ImageHeader(
            format: .jpegXL, storedSize: size,
            colorModel: stored.is_cmyk ? .cmyk : stored.is_gray ? .gray : .rgb,
            bitsPerChannel: min(32, max(1, Int(stored.bits))), hasAlpha: stored.has_alpha,
            profile: profile,
            // XYB images are compressed in frequencies, as JPEGs are: the lowest come first.
            isProgressive: stored.is_xyb || stored.has_jpeg, sequence: sequence, metadata: makeMetadata())
    }

    private var profile: ColorProfile {
        if let icc = block(tessera_jxl_decoder_icc) { return .icc(icc) }
        guard stored.transfer != 0 else { return .sRGB }
        func point(_ point: (Double, Double)) -> ColorProfile.Chromaticities.Point { .init(x: point.0, y: point.1) }
        let chromaticities = ColorProfile.Chromaticities(
            white: point(stored.white), red: point(stored.red), green: point(stored.green), blue: point(stored.blue))
        // 255, the default of images in standard range, says nothing of PQ.
        let peak = stored.intensity_target == 255 ? nil : Double(stored.intensity_target)
        return .coded(chromaticities, transfer: Int(stored.transfer), isGray: stored.is_gray, peak: peak)
    }

    private func makeMetadata() -> ImageMetadata {
        var metadata = ImageMetadata(
            orientation: Orientation(rawValue: stored.orientation) ?? .up,
            exif: block(tessera_jxl_decoder_exif), xmp: block(tessera_jxl_decoder_xmp))
        metadata.resolution = metadata.exif.flatMap { EXIF($0) }?.resolution
        return metadata
    }

    /// Adds metadata found after the image to the header.
    func updateMetadata() {
        guard header?.metadata.exif == nil || header?.metadata.xmp == nil else { return }
        header?.metadata = makeMetadata()
    }

    private func block(_ find: (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafePointer<UInt8>?) -> [UInt8]? {
        var count = 0
        // The shim keeps `count` bytes there until the next call; they are copied here.
        return find(handle, &count).map { [UInt8](UnsafeBufferPointer(start: $0, count: count)) }
    }

    /// The delivered pixel format, before CMYK is converted.
    var pixelFormat: PixelFormat {
        let isDeep = stored.bits > 8 || stored.exponent_bits > 0
        let bits = options.maximumBitsPerChannel > 8 && isDeep && !stored.is_cmyk ? 16 : 8
        // There is no grey format with alpha, and animation canvases are RGBA.
        let isGray = stored.is_gray && !stored.has_alpha && !isAnimation
        return (isGray ? PixelFormat.gray8 : .rgba8).withBitsPerChannel(bits)
    }

    /// Starts decoding `region` of the image, or all of it.
    /// - Returns: The format of the delivered pixels.
    func start(_ region: PixelRect?, delivery: PassDelivery) throws(ImageError) -> BitmapInfo {
        guard let header else { throw ImageError(.invalidParameter, "the JPEG XL header isn't known yet") }
        let region = region ?? PixelRect(header.storedSize)
        let format = pixelFormat
        try options.limits.checkWorkingMemory(
            JPEGXLMemory.byteCount(stored, region.size, format), for: "decoding the JPEG XL image")
        var decoding = tessera_jxl_decoding()
        decoding.pixels = format.shimNumber
        decoding.wants_passes = delivery == .every && !stored.is_cmyk
        (decoding.x, decoding.y) = (UInt32(region.x), UInt32(region.y))
        (decoding.width, decoding.height) = (UInt32(region.width), UInt32(region.height))
        try check(tessera_jxl_decoder_start(handle, &decoding))
        return BitmapInfo(
            size: region.size, format: format, alpha: stored.has_alpha ? .straight : .none,
            profile: stored.is_cmyk ? .sRGB : header.profile)
    }

    /// Returns whether enough bytes have arrived for pixels of `info`.
    ///
    /// Decoding waits for them, so that a small file can't demand much time, only memory.
    func hasBytes(for info: BitmapInfo, isFinished: Bool) throws(ImageError) -> Bool {
        let least = JPEGXLMemory.leastInputByteCount(info, limits: options.limits)
        guard byteCount < least else { return true }
        guard isFinished else { return false }
        throw ImageError(
            .limitExceeded,
            "\(byteCount) bytes of JPEG XL for \(info.size) pixels; the limit is \(least) at least"
                + " (DecodingLimits.maximumCompressionRatio)")
    }

    /// Throws the shim's status if it is an error; returns false if the shim needs more bytes.
    @discardableResult
    func check(_ status: Int32) throws(ImageError) -> Bool {
        if status >= 0 { return status == TESSERA_OK }
        throw error(status)
    }

    /// The error for a failed shim call, with the shim's message and position.
    func error(_ status: Int32) -> ImageError {
        // The message lives as long as the handle; it is copied here.
        let message = String(cString: tessera_jxl_decoder_message(handle))
        return ImageError(
            shim: status, "the JPEG XL can't be decoded" + (message.isEmpty ? "" : ": \(message)"),
            byteOffset: Int(clamping: tessera_jxl_decoder_position(handle)))
    }
}

/// The memory that libjxl needs to decode an image. Version 0.7 bypasses its memory manager for most of it and can't be
/// cancelled, so images that need too much are rejected beforehand.
enum JPEGXLMemory {
    /// The bytes needed for a window of `size` in the image that `stored` describes.
    static func byteCount(_ stored: tessera_jxl_header, _ size: PixelSize, _ format: PixelFormat) -> Int {
        let pixels = Int(stored.width) * Int(stored.height)
        // 32-bit sides and at most 4096 channels: no sum overflows.
        let channels = Int(stored.is_gray ? 1 : 3) + Int(stored.extra_channels)
        let perPixel =
            if stored.extra_channels > 0 {
                // Whole images of integers and of floats. Measured for lossy colour with alpha: 32 bytes.
                8 * channels
            } else if stored.is_xyb || stored.has_jpeg {
                // Groups of 256 × 256 pixels are output one by one. Measured: 3 bytes.
                4
            } else {
                // As above, but a palette needs the whole image in integers. Measured with one: 12 bytes.
                4 * channels + 4
            }
        let (working, overflows) = pixels.multipliedReportingOverflow(by: perPixel)
        guard !overflows else { return .max }
        let (all, allOverflows) = working.addingReportingOverflow(size.pixelCount * format.bytesPerPixel)
        return allOverflows ? .max : all
    }

    /// The least number of input bytes for an image of `info`; smaller files are decompression bombs. 0 below 64 MB.
    static func leastInputByteCount(_ info: BitmapInfo, limits: DecodingLimits) -> Int {
        let pixelByteCount = info.size.pixelCount * info.format.bytesPerPixel
        return pixelByteCount < 64 << 20 ? 0 : pixelByteCount / max(1, limits.maximumCompressionRatio)
    }
}
#endif
