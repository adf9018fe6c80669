#if WebP
internal import CTesseraWebP
internal import Raster

/// libwebp's encoder: takes the rows of one image and returns its chunks.
final class WebPPixelEncoder {
    /// The shim's encoder, owned by this object; nothing else has the pointer.
    private let handle: OpaquePointer
    private let width: Int
    /// The processors of libwebp's threads.
    private let share = ProcessorShare()
    /// Retains the flag that the shim polls.
    private let interruption = Interruption.current

    /// Creates an encoder for an image that `WebPCodec.check` accepts.
    /// - Parameter losslessEffort: What libwebp calls the quality of a lossless image, 0 to 100; 75 is its default.
    init(_ info: BitmapInfo, options: EncodingOptions, losslessEffort: Float = 75) throws(ImageError) {
        guard let handle = tessera_webp_encoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a WebP encoder")
        }
        self.handle = handle
        width = info.size.width
        var encoding = tessera_webp_encoding()
        (encoding.width, encoding.height) = (UInt32(clamping: info.size.width), UInt32(clamping: info.size.height))
        encoding.has_alpha = info.alpha.hasAlpha
        encoding.lossless = options.isLossless
        encoding.quality = options.isLossless ? losslessEffort : Float(options.quality * 100)
        encoding.method = UInt8(clamping: options.webP.method)
        encoding.threads = UInt16(share.threadCount)
        encoding.stop = interruption?.flag
        try Self.check(tessera_webp_encoder_start(handle, &encoding))
    }

    deinit { tessera_webp_encoder_destroy(handle) }

    /// Appends the next rows.
    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        precondition(rows.format == .rgba8 && rows.width == width)
        let (stride, count, handle) = (rows.bytesPerRow, UInt32(clamping: rows.count), handle)
        try Self.check(
            rows.withUnsafeBase { base in
                // `rows` has `count` rows of the checked width, `stride` bytes apart.
                tessera_webp_encoder_write_rows(handle, base.assumingMemoryBound(to: UInt8.self), stride, count)
            })
    }

    /// Compresses the image.
    /// - Returns: The chunks of the image: VP8L, or VP8, preceded by an alpha chunk unless the image is opaque.
    func finish() throws(ImageError) -> [UInt8] {
        try Self.check(tessera_webp_encoder_finish(handle))
        var count = 0
        guard let bytes = tessera_webp_encoder_output(handle, &count), count > 12 else {
            throw ImageError(.outOfMemory, "libwebp made no file")
        }
        // The shim keeps the `count` bytes as long as it lives; they are copied here.
        let file = UnsafeBufferPointer(start: bytes, count: count)
        // The container and its VP8X chunk of 18 bytes, if any, are written by `WebPContainerWriter`.
        let isExtended = count > 30 && file[12..<16].elementsEqual(WebPChunkType.extended.rawValue.utf8)
        return Array(file[(isExtended ? 30 : 12)...])
    }

    private static func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        switch status {
        case Int32(TESSERA_UNSUPPORTED):
            throw ImageError(.unsupported, "the image has more detail than a WebP can hold at this quality")
        case Int32(TESSERA_NO_MEMORY): throw ImageError(.outOfMemory, "no memory to write the WebP")
        case Int32(TESSERA_CANCELLED): throw ImageError(.cancelled, "cancelled")
        default: throw ImageError(.invalidParameter, "the WebP encoder was used out of order")
        }
    }
}
#endif
