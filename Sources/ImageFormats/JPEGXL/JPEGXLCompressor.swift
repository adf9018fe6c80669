#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// The shim's encoder, and where its bytes go.
final class JPEGXLCompressor {
    /// The shim's encoder. This object owns it, and nothing else has the pointer.
    private let handle: OpaquePointer
    private let output: any ByteSink

    /// An encoder that nothing has been told yet.
    /// - Throws: `unsupported` where libjxl isn't installed; `outOfMemory`.
    init(output: any ByteSink) throws(ImageError) {
        try JPEGXLLibrary.load()
        guard let handle = tessera_jxl_encoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a JPEG XL encoder")
        }
        self.handle = handle
        self.output = output
    }

    deinit { tessera_jxl_encoder_destroy(handle) }

    /// Says what pictures are, a still's or an animation's.
    func start(_ info: BitmapInfo, options: EncodingOptions, isAnimation: Bool) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a JPEG XL picture has straight alpha or none, and pixels")
        }
        guard max(info.size.width, info.size.height) <= 1 << 30 else {
            throw ImageError(.unsupported, "a side of a JPEG XL picture has at most 2³⁰ pixels")
        }
        let distance = Self.distance(quality: options.quality)
        var encoding = tessera_jxl_encoding()
        encoding.width = UInt32(info.size.width)
        encoding.height = UInt32(info.size.height)
        encoding.pixels = info.format.shimNumber
        encoding.has_alpha = info.alpha.hasAlpha
        encoding.is_lossless = options.isLossless || distance == 0
        encoding.distance = Float(distance)
        encoding.effort = UInt8(options.jpegXL.effort)
        encoding.orientation = options.metadata.orientation.rawValue
        encoding.is_animation = isAnimation
        encoding.loops = UInt32(clamping: options.loopCount)
        var icc: [UInt8]?
        if case .icc(let bytes) = info.profile { icc = bytes }
        // The codestream says how the picture is turned; EXIF must not say otherwise.
        let exif = options.metadata.exif.flatMap { EXIF.block($0, orientation: options.metadata.orientation) }
        try check(Self.start(handle, &encoding, icc: icc, exif: exif, xmp: options.metadata.xmp))
    }

    /// The shim copies the blocks before it returns.
    private static func start(
        _ handle: OpaquePointer, _ encoding: inout tessera_jxl_encoding, icc: [UInt8]?, exif: [UInt8]?, xmp: [UInt8]?
    ) -> Int32 {
        var encoding = encoding
        return (icc ?? []).withUnsafeBufferPointer { iccBytes in
            (exif ?? []).withUnsafeBufferPointer { exifBytes in
                (xmp ?? []).withUnsafeBufferPointer { xmpBytes in
                    // Empty blocks are none.
                    (encoding.icc, encoding.icc_length) = (nonempty(iccBytes), iccBytes.count)
                    (encoding.exif, encoding.exif_length) = (nonempty(exifBytes), exifBytes.count)
                    (encoding.xmp, encoding.xmp_length) = (nonempty(xmpBytes), xmpBytes.count)
                    return tessera_jxl_encoder_start(handle, &encoding)
                }
            }
        }
    }

    private static func nonempty(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<UInt8>? {
        bytes.isEmpty ? nil : bytes.baseAddress
    }

    /// Takes rows of the picture that is being collected.
    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        let (handle, stride, count) = (handle, rows.bytesPerRow, rows.count)
        try check(
            rows.withUnsafeBase { base in
                // `count` rows from here on belong to `rows`, `stride` bytes apart.
                tessera_jxl_encoder_write_rows(handle, base.assumingMemoryBound(to: UInt8.self), stride, UInt32(count))
            })
    }

    /// Compresses the picture whose rows were written, shown for `milliseconds` in an animation.
    func endPicture(milliseconds: UInt32 = 0, isLast: Bool) throws(ImageError) {
        // libjxl 0.7 ends the process when its parallel runner fails (JXL_CHECK), and has no other way to be stopped.
        try Interruption.check()
        try check(tessera_jxl_encoder_end_frame(handle, milliseconds, isLast))
        try deliver()
    }

    /// Compresses a JPEG instead, so that it can be had again.
    func write(jpeg: [UInt8], effort: Int) throws(ImageError) {
        // The shim reads the bytes within the call only.
        try check(tessera_jxl_encoder_add_jpeg(handle, jpeg, jpeg.count, UInt8(effort)))
        try deliver()
    }

    private func deliver() throws(ImageError) {
        while true {
            var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
            try check(tessera_jxl_encoder_encode(handle, &bytes, &count))
            guard let bytes, count > 0 else { return }
            // The shim keeps the bytes until its next call.
            let piece = UnsafeRawBufferPointer(start: bytes, count: count).bytes
            try output.write(piece)
        }
    }

    private func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        // The message lives as long as the handle, and is copied here.
        let message = String(cString: tessera_jxl_encoder_message(handle))
        throw ImageError(shim: status, "the JPEG XL can't be written: \(message)")
    }

    /// libjxl's measure of loss for a quality of 0 to 1: of a hundred, libjpeg's scale roughly, as the documentation of
    /// `JxlEncoderDistanceFromQuality` and `cjxl -q` has it. 0, which is lossless, only for 1.
    static func distance(quality: Double) -> Double {
        let quality = quality * 100
        if quality >= 100 { return 0 }
        if quality >= 30 { return 0.1 + (100 - quality) * 0.09 }
        return min(25, 53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25)
    }
}

/// Collects a picture's rows and has libjxl compress them.
final class JPEGXLEncoder: RowSink {
    private let compressor: JPEGXLCompressor
    private var remaining: RemainingRows

    /// - Throws: `invalidParameter` for rows or options that JPEG XL can't take; `unsupported` for a profile that libjxl
    ///   can't use, or without libjxl.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        compressor = try JPEGXLCompressor(output: output)
        try compressor.start(info, options: options, isAnimation: false)
        remaining = RemainingRows(info, in: .jpegXL)
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        try compressor.write(rows)
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try compressor.endPicture(isLast: true)
    }
}

/// Has libjxl compress frames one by one, each in place of the one before.
final class JPEGXLSequenceEncoder: FrameSink {
    private let compressor: JPEGXLCompressor
    private var remaining: RemainingFrames

    /// - Throws: As `JPEGXLEncoder`, and `invalidParameter` for no frames at all.
    init(_ info: BitmapInfo, count: Int, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        remaining = try RemainingFrames(count, of: info, in: .jpegXL)
        compressor = try JPEGXLCompressor(output: output)
        try compressor.start(info, options: options, isAnimation: true)
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        guard duration >= 0, duration <= 1_000_000 else {
            throw ImageError(.invalidParameter, "a frame can't be shown for \(duration) seconds")
        }
        try remaining.take(frame)
        try compressor.write(frame.rows)
        // A frame of no duration would be a layer of the next one.
        try compressor.endPicture(
            milliseconds: max(1, UInt32((duration * 1000).rounded())), isLast: remaining.taken == remaining.total)
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
    }
}
#endif
