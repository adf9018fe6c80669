#if HEIF
internal import CTesseraHEIF
internal import Raster

/// Passes rows to libheif, which compresses them after the last one.
final class HEIFEncoder: RowSink {
    private let shim: ShimHandle
    private var handle: OpaquePointer { shim.pointer }
    private let output: any ByteSink
    private let metadata: ImageMetadata
    private let profile: ColorProfile
    private var remaining: RemainingRows
    /// The processors of x265's threads.
    private let share = ProcessorShare()

    /// - Throws: `invalidParameter` for an info that HEIC can't store; `unsupported` without an HEVC encoder.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a HEIC image can't hold premultiplied alpha")
        }
        guard tessera_heif_can_encode() else {
            throw ImageError(.unsupported, "this libheif was built without an encoder for HEVC")
        }
        shim = try ShimHandle(
            tessera_heif_encoder_create(), "a HEIC encoder", failing: "the HEIC can't be written",
            tessera_heif_encoder_message, destroy: tessera_heif_encoder_destroy)
        self.output = output
        metadata = options.metadata
        profile = info.profile
        remaining = RemainingRows(info, in: .heic)

        var encoding = tessera_heif_encoding()
        encoding.width = UInt32(clamping: info.size.width)
        encoding.height = UInt32(clamping: info.size.height)
        encoding.format = info.format.shimNumber
        encoding.has_alpha = info.alpha.hasAlpha
        encoding.quality = UInt8((options.quality * 100).rounded())
        encoding.lossless = options.isLossless
        encoding.threads = UInt16(share.threadCount)
        encoding.orientation = metadata.orientation.rawValue
        // The codes of sRGB (ISO/IEC 23091-2), or "unspecified" beside an ICC profile.
        (encoding.primaries, encoding.transfer) = (1, 13)
        let codes = HighDynamicRangeSpace(info.profile)?.nclx(isGray: info.format.isGray)
        if let codes {
            (encoding.primaries, encoding.transfer) = codes
        } else if case .icc = info.profile {
            (encoding.primaries, encoding.transfer) = (2, 2)
        }
        try shim.check(tessera_heif_encoder_start(handle, &encoding))
        if codes == nil, case .icc(let profile) = info.profile, !profile.isEmpty {
            // The shim copies the bytes.
            try shim.check(tessera_heif_encoder_set_icc(handle, profile, profile.count))
        }
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        let (stride, count, handle) = (rows.bytesPerRow, UInt32(rows.count), handle)
        try shim.check(
            rows.withUnsafeBase { base in
                // `rows` owns `count` rows, `stride` bytes apart; the shim copies them.
                tessera_heif_encoder_write_rows(handle, base.assumingMemoryBound(to: UInt8.self), stride, count)
            })
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        // libheif and x265 compress an image in one uninterruptible call.
        try Interruption.check()
        let exif = metadata.exifForHEIF
        let xmp = metadata.xmp.flatMap { $0.isEmpty ? nil : $0 }
        // The shim copies both blocks.
        try shim.check(tessera_heif_encoder_finish(handle, exif, exif?.count ?? 0, xmp, xmp?.count ?? 0))
        var count = 0
        guard let bytes = tessera_heif_encoder_output(handle, &count), count > 0 else {
            throw ImageError(.outOfMemory, "libheif wrote nothing")
        }
        // The bytes remain valid as long as the handle.
        let file = UnsafeRawBufferPointer(start: bytes, count: count)
        guard profile.isHighDynamicRange else { return try output.write(file.bytes) }
        try output.write(ISOItemFile.file(Array(file), peakOf: profile).span.bytes)
    }
}
#endif
