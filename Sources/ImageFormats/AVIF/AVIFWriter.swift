#if AVIF
internal import CTesseraAVIF
internal import Raster

/// Writes an AVIF file of one image or an animation.
final class AVIFWriter {
    private let shim: ShimHandle
    private var handle: OpaquePointer { shim.pointer }
    private let info: BitmapInfo
    private let isAnimated: Bool
    /// The processors of libavif's threads, which live as long as its encoder.
    private let share = ProcessorShare()

    /// The units of duration in a second: divisible by the frame rates of video and the centiseconds of GIF.
    private static let timescale = 90_000

    /// - Throws: `invalidParameter` for an image that AVIF can't store; `unsupported` if libavif has no AV1 encoder, or
    ///   a side exceeds 65536.
    init(_ info: BitmapInfo, options: EncodingOptions, isAnimated: Bool) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, !info.size.isEmpty, (0...10).contains(options.avif.speed) else {
            throw ImageError(.invalidParameter, "an AVIF takes straight alpha and a speed from 0 to 10")
        }
        guard max(info.size.width, info.size.height) <= 65536 else {
            throw ImageError(.unsupported, "an AVIF of \(info.size) pixels; AV1 has at most 65536 on a side")
        }
        guard tessera_avif_can_encode() else {
            throw ImageError(.unsupported, "this libavif was built without an encoder for AV1")
        }
        // PQ and HLG are written as code points, which all readers know.
        let codes = HighDynamicRangeSpace(info.profile)?.nclx(isGray: info.format.isGray)
        var icc: [UInt8]?
        if codes == nil, case .icc(let profile) = info.profile, !profile.isEmpty { icc = profile }
        var encoding = tessera_avif_encoding()
        encoding.width = UInt32(info.size.width)
        encoding.height = UInt32(info.size.height)
        encoding.format = info.format.shimNumber
        encoding.has_alpha = info.alpha.hasAlpha
        encoding.quantizer = Self.quantizer(quality: options.quality)
        encoding.lossless = options.isLossless
        // libaom's faster modes for several frames aim for a bit rate instead of a quality.
        encoding.speed = UInt8(isAnimated ? min(6, options.avif.speed) : options.avif.speed)
        // libaom's files for one thread differ from those for several.
        encoding.threads = UInt16(max(2, share.threadCount))
        encoding.animated = isAnimated
        encoding.timescale = UInt32(Self.timescale)
        encoding.orientation = options.metadata.orientation.rawValue
        // sRGB's codes (ISO/IEC 23091-2), or "unspecified" beside a profile.
        (encoding.primaries, encoding.transfer) = codes ?? (icc == nil ? (1, 13) : (2, 2))
        shim = try ShimHandle(
            tessera_avif_encoder_create(&encoding), "an AVIF encoder", failing: "the AVIF can't be written",
            tessera_avif_encoder_message, destroy: tessera_avif_encoder_destroy)
        self.info = info
        self.isAnimated = isAnimated
        let blocks: [(Int, [UInt8]?)] = [
            (TESSERA_AVIF_ICC, icc), (TESSERA_AVIF_EXIF, options.metadata.exifForHEIF),
            (TESSERA_AVIF_XMP, options.metadata.xmp),
        ]
        for (kind, block) in blocks {
            guard let block, !block.isEmpty else { continue }
            // The shim copies the bytes.
            try shim.check(tessera_avif_encoder_set_block(handle, UInt8(kind), block, block.count))
        }
    }

    /// Converts a quality of 0…1 to AV1's quantizer, 0 (best) to 63, as avifenc 1.0 and Pillow do: with q from 0 to
    /// 100, ((100 - q) × 63 + 50) / 100.
    static func quantizer(quality: Double) -> UInt8 {
        UInt8(((100 - Int((quality * 100).rounded())) * 63 + 50) / 100)
    }

    /// Compresses an image or a frame of the announced size and format.
    /// - Parameter duration: The frame's duration, in seconds.
    func add(_ bitmap: Bitmap, duration: Double) throws(ImageError) {
        // One call of libavif and libaom, which can't be interrupted.
        try Interruption.check()
        guard bitmap.size == info.size, bitmap.format == info.format, bitmap.alpha == info.alpha else {
            throw ImageError(.invalidParameter, "an image that doesn't fit the AVIF being written")
        }
        let units = duration * Double(Self.timescale)
        let wholeUnits = units.isFinite ? UInt64(min(1e12, max(1, units.rounded()))) : 1
        let (stride, handle) = (bitmap.bytesPerRow, handle)
        try shim.check(
            bitmap.rows.withUnsafeBase { base in
                // The bitmap has as many rows as the shim reads, `stride` bytes apart.
                tessera_avif_encoder_add(handle, base.assumingMemoryBound(to: UInt8.self), stride, wholeUnits)
            })
    }

    /// Writes the file.
    func finish(to output: any ByteSink) throws(ImageError) {
        try shim.check(tessera_avif_encoder_finish(handle))
        var count = 0
        guard let bytes = tessera_avif_encoder_output(handle, &count), count > 0 else {
            throw ImageError(.outOfMemory, "libavif wrote nothing")
        }
        // The bytes belong to the shim and stay valid as long as the handle.
        let file = UnsafeRawBufferPointer(start: bytes, count: count)
        guard !isAnimated, info.profile.isHighDynamicRange else { return try output.write(file.bytes) }
        try output.write(ISOItemFile.file(Array(file), peakOf: info.profile).span.bytes)
    }
}
#endif
