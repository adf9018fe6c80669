#if WebP
internal import CTesseraWebP
internal import Raster

/// libwebp's encoder: the rows of one picture in, its chunks out.
final class WebPPixelEncoder {
    /// The shim's encoder. This object owns it, and nothing else has the pointer.
    private let handle: OpaquePointer
    private let width: Int
    /// The shim looks at its flag.
    private let interruption = Interruption.current

    /// An encoder for a picture of `info`'s kind, which `WebPCodec.check` let pass.
    init(_ info: BitmapInfo, options: EncodingOptions) throws(ImageError) {
        guard let handle = tessera_webp_encoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a WebP encoder")
        }
        self.handle = handle
        width = info.size.width
        var encoding = tessera_webp_encoding()
        (encoding.width, encoding.height) = (UInt32(clamping: info.size.width), UInt32(clamping: info.size.height))
        encoding.has_alpha = info.alpha.hasAlpha
        encoding.lossless = options.isLossless
        // Without loss it says how hard to look; libwebp's own default.
        encoding.quality = options.isLossless ? 75 : Float(options.quality * 100)
        encoding.method = UInt8(clamping: options.webP.method)
        encoding.stop = interruption?.flag
        try Self.check(tessera_webp_encoder_start(handle, &encoding))
    }

    deinit { tessera_webp_encoder_destroy(handle) }

    /// Takes the rows that come next.
    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        precondition(rows.format == .rgba8 && rows.width == width)
        let (stride, count, handle) = (rows.bytesPerRow, UInt32(clamping: rows.count), handle)
        try Self.check(
            rows.withUnsafeBase { base in
                // `count` rows of the precondition's width lie there, `stride` bytes apart.
                tessera_webp_encoder_write_rows(handle, base.assumingMemoryBound(to: UInt8.self), stride, count)
            })
    }

    /// Compresses all rows.
    /// - Returns: The picture's chunks: VP8L, or VP8 with ALPH before it where it isn't opaque.
    func finish() throws(ImageError) -> [UInt8] {
        try Self.check(tessera_webp_encoder_finish(handle))
        var count = 0
        guard let bytes = tessera_webp_encoder_output(handle, &count), count > 12 else {
            throw ImageError(.outOfMemory, "libwebp made no file")
        }
        // The shim keeps `count` bytes for as long as it lives; they are copied here.
        let file = UnsafeBufferPointer(start: bytes, count: count)
        // The container, and its VP8X chunk of 18 bytes if there is one, are written anew.
        let isExtended = count > 30 && file[12..<16].elementsEqual(WebPChunkType.extended.rawValue.utf8)
        return Array(file[(isExtended ? 30 : 12)...])
    }

    private static func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        switch status {
        case Int32(TESSERA_UNSUPPORTED):
            throw ImageError(.unsupported, "the picture has more detail than a WebP can hold at this quality")
        case Int32(TESSERA_NO_MEMORY): throw ImageError(.outOfMemory, "no memory to write the WebP")
        case Int32(TESSERA_CANCELLED): throw ImageError(.cancelled, "cancelled")
        default: throw ImageError(.invalidParameter, "the WebP encoder was used out of order")
        }
    }
}

/// Writes one picture as a WebP file.
final class WebPEncoder: RowSink {
    private let output: any ByteSink
    private let pixels: WebPPixelEncoder
    private let container: WebPContainerWriter
    private var remaining: RemainingRows

    /// - Throws: `invalidParameter` for rows that WebP can't take; `unsupported` for a side beyond 16383 pixels.
    init(_ info: BitmapInfo, options: EncodingOptions, output: any ByteSink) throws(ImageError) {
        try WebPCodec.check(info, options)
        self.output = output
        pixels = try WebPPixelEncoder(info, options: options)
        container = WebPContainerWriter(info, options: options)
        remaining = RemainingRows(info, in: .webP)
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        try pixels.write(rows)
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try container.write(pixels.finish(), to: output)
    }
}
#endif
