#if JPEGXL
internal import CTesseraJXL
internal import Raster

/// Compresses with libjxl, and writes the bytes to a sink.
final class JPEGXLCompressor {
    private let shim: ShimHandle
    private var handle: OpaquePointer { shim.pointer }
    private let output: any ByteSink

    /// Creates an encoder; `start` or `write(jpeg:effort:)` comes next.
    /// - Throws: `unsupported` if libjxl isn't installed; `outOfMemory`.
    init(output: any ByteSink) throws(ImageError) {
        try JPEGXLLibrary.load()
        shim = try ShimHandle(
            tessera_jxl_encoder_create(), "a JPEG XL encoder", failing: "the JPEG XL can't be written",
            tessera_jxl_encoder_message, destroy: tessera_jxl_encoder_destroy)
        self.output = output
    }

    /// Sets the format of the image or of the animation's frames, and the encoding options.
    func start(_ info: BitmapInfo, options: EncodingOptions, isAnimation: Bool) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a JPEG XL image has straight alpha or none, and pixels")
        }
        guard max(info.size.width, info.size.height) <= 1 << 30 else {
            throw ImageError(.unsupported, "a side of a JPEG XL image has at most 2³⁰ pixels")
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
        if let space = HighDynamicRangeSpace(info.profile) {
            // `encodableInfo` excludes others.
            encoding.transfer = space.transfer.rawValue
            encoding.primaries = space.jpegXLPrimaries(isGray: info.format.isGray) ?? 9
            encoding.intensity_target = Float(space.assumedPeak)
        } else if case .icc(let bytes) = info.profile {
            icc = bytes
        }
        // The codestream has the orientation; EXIF must agree.
        let exif = options.metadata.exif.flatMap { EXIF.block($0, orientation: options.metadata.orientation) }
        try shim.check(Self.start(handle, &encoding, icc: icc, exif: exif, xmp: options.metadata.xmp))
    }

    // The shim copies the blocks before it returns.
    private static func start(
        _ handle: OpaquePointer, _ encoding: inout tessera_jxl_encoding, icc: [UInt8]?, exif: [UInt8]?, xmp: [UInt8]?
    ) -> Int32 {
        var encoding = encoding
        return (icc ?? []).withUnsafeBufferPointer { iccBytes in
            (exif ?? []).withUnsafeBufferPointer { exifBytes in
                (xmp ?? []).withUnsafeBufferPointer { xmpBytes in
                    // Empty blocks are passed as null.
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

    /// Adds rows to the current image.
    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        let (handle, stride, count) = (handle, rows.bytesPerRow, rows.count)
        try shim.check(
            rows.withUnsafeBase { base in
                // The `count` rows from here on belong to `rows`, `stride` bytes apart.
                tessera_jxl_encoder_write_rows(handle, base.assumingMemoryBound(to: UInt8.self), stride, UInt32(count))
            })
    }

    /// Compresses the image whose rows were written, displayed for `milliseconds` in an animation.
    func endPicture(milliseconds: UInt32 = 0, isLast: Bool) throws(ImageError) {
        // libjxl 0.7 ends the process when its parallel runner fails (JXL_CHECK), and can't be cancelled otherwise.
        try Interruption.check()
        try withThreads { () throws(ImageError) in
            try shim.check(tessera_jxl_encoder_end_frame(handle, milliseconds, isLast))
            try deliver()
        }
    }

    /// Compresses a JPEG losslessly, so that it can be restored.
    func write(jpeg: [UInt8], effort: Int) throws(ImageError) {
        // The shim reads the bytes within the call only.
        try withThreads { () throws(ImageError) in
            try shim.check(tessera_jxl_encoder_add_jpeg(handle, jpeg, jpeg.count, UInt8(effort)))
            try deliver()
        }
    }

    /// Calls `body` with a share of the processors for libjxl's threads.
    private func withThreads(_ body: () throws(ImageError) -> Void) throws(ImageError) {
        try ProcessorShare.perform { (threads) throws(ImageError) in
            tessera_jxl_encoder_set_threads(handle, UInt16(threads))
            try body()
        }
    }

    private func deliver() throws(ImageError) {
        while true {
            var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
            try shim.check(tessera_jxl_encoder_encode(handle, &bytes, &count))
            guard let bytes, count > 0 else { return }
            // The shim keeps the bytes until its next call.
            let piece = UnsafeRawBufferPointer(start: bytes, count: count).bytes
            try output.write(piece)
        }
    }

    /// The Butteraugli distance for a quality of 0 to 1, which times 100 is roughly libjpeg's scale; the formula is
    /// that of `JxlEncoderDistanceFromQuality` and `cjxl -q`. Only quality 1 gives 0, which is lossless.
    static func distance(quality: Double) -> Double {
        let quality = quality * 100
        if quality >= 100 { return 0 }
        if quality >= 30 { return 0.1 + (100 - quality) * 0.09 }
        return min(25, 53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25)
    }
}

extension HighDynamicRangeSpace {
    /// JPEG XL's number of the primaries (`JxlPrimaries`), all with the white point D65; nil for others.
    func jpegXLPrimaries(isGray: Bool) -> UInt8? {
        guard isFullRange else { return nil }
        return isGray ? 9 : [1: 1, 9: 9, 12: 11][primaries]
    }
}
#endif
