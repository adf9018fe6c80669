#if HEIF
internal import CTesseraHEIF
internal import Raster

/// Hands rows to libheif, which compresses them when the last one is there.
final class HEIFEncoder: RowSink {
    /// The shim's encoder. This object owns it, and nothing else has the pointer.
    private let handle: OpaquePointer
    private let output: any ByteSink
    private let metadata: ImageMetadata
    private var remaining: RemainingRows

    /// - Throws: `invalidParameter` for rows that HEIC can't take; `unsupported` without an encoder for HEVC.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try options.validate()
        guard info.alpha != .premultiplied, !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a HEIC picture can't hold premultiplied alpha")
        }
        guard tessera_heif_can_encode() else {
            throw ImageError(.unsupported, "this libheif was built without an encoder for HEVC")
        }
        guard let handle = tessera_heif_encoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a HEIC encoder")
        }
        self.handle = handle
        self.output = output
        metadata = options.metadata
        remaining = RemainingRows(info, in: .heic)

        var encoding = tessera_heif_encoding()
        encoding.width = UInt32(clamping: info.size.width)
        encoding.height = UInt32(clamping: info.size.height)
        encoding.format = info.format.shimNumber
        encoding.has_alpha = info.alpha.hasAlpha
        encoding.quality = UInt8((options.quality * 100).rounded())
        encoding.lossless = options.isLossless
        encoding.orientation = metadata.orientation.rawValue
        // sRGB's codes (ISO/IEC 23091-2), or none beside a profile.
        (encoding.primaries, encoding.transfer) = (1, 13)
        if case .icc = info.profile { (encoding.primaries, encoding.transfer) = (2, 2) }
        try check(tessera_heif_encoder_start(handle, &encoding))
        if case .icc(let profile) = info.profile, !profile.isEmpty {
            // The shim copies the bytes.
            try check(tessera_heif_encoder_set_icc(handle, profile, profile.count))
        }
    }

    deinit { tessera_heif_encoder_destroy(handle) }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        let (stride, count, handle) = (rows.bytesPerRow, UInt32(rows.count), handle)
        try check(
            rows.withUnsafeBase { base in
                // `count` rows, `stride` bytes apart, belong to `rows`; the shim copies them.
                tessera_heif_encoder_write_rows(handle, base.assumingMemoryBound(to: UInt8.self), stride, count)
            })
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        // libheif and x265 compress a picture in one call that nothing stops.
        try Interruption.check()
        let exif = metadata.exifForHEIF
        let xmp = metadata.xmp.flatMap { $0.isEmpty ? nil : $0 }
        // The shim copies both blocks.
        try check(tessera_heif_encoder_finish(handle, exif, exif?.count ?? 0, xmp, xmp?.count ?? 0))
        var count = 0
        guard let bytes = tessera_heif_encoder_output(handle, &count), count > 0 else {
            throw ImageError(.outOfMemory, "libheif wrote nothing")
        }
        // The shim keeps the bytes for as long as the handle lives.
        try output.write(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
    }

    private func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        // The message lives as long as the handle, and is copied here.
        let message = String(cString: tessera_heif_encoder_message(handle))
        throw ImageError(shim: status, "the HEIC can't be written: \(message)")
    }
}
#endif
