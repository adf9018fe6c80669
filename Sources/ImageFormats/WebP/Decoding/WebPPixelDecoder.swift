#if WebP
internal import CTesseraWebP
internal import Raster

/// libwebp's incremental decoder: the chunks of one picture in, rows out.
final class WebPPixelDecoder {
    /// The shim's decoder. This object owns it, and nothing else has the pointer.
    private let handle: OpaquePointer

    init() throws(ImageError) {
        guard let handle = tessera_webp_decoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a WebP decoder")
        }
        self.handle = handle
    }

    deinit { tessera_webp_decoder_destroy(handle) }

    /// Takes the bytes of chunks that come next.
    func append(_ bytes: [UInt8]) throws(ImageError) {
        try Self.check(tessera_webp_decoder_append(handle, bytes, bytes.count))
    }

    /// Fixes what is decoded: a part of the picture, at its own size.
    ///
    /// libwebp could scale it, by a box: at twice the size wanted and scaled the rest of the way that is 44 dB from the
    /// picture decoded in full and scaled well, at the size itself 36 dB, for a quarter of the time at best. Memory is
    /// bounded by rows either way.
    func start(_ part: PixelRect, isOpaque: Bool) throws(ImageError) {
        var decoding = tessera_webp_decoding()
        (decoding.x, decoding.y) = (UInt32(clamping: part.x), UInt32(clamping: part.y))
        (decoding.width, decoding.height) = (UInt32(clamping: part.width), UInt32(clamping: part.height))
        decoding.opaque = isOpaque
        try Self.check(tessera_webp_decoder_start(handle, &decoding))
    }

    /// Fills rows from the first row of `rows` on, from their pixel `first` on, with `columns` of the part.
    /// - Parameters:
    ///   - step: Bytes that are decoded at a time. Fewer wait for more, until `isFinal` says that none come.
    ///   - count: Rows at most.
    /// - Returns: How many rows; nil when there are none without more bytes.
    func read(
        into rows: inout MutablePixelRows, at first: Int, columns: Range<Int>, count: Int, step: Int, isFinal: Bool
    ) throws(ImageError) -> Int? {
        precondition(rows.format == .rgba8 && first >= 0 && first <= rows.width - columns.count && count <= rows.count)
        let stride = rows.bytesPerRow
        var read: UInt32 = 0
        let status = rows.withUnsafeBase { base in
            // `count` rows of the precondition's width lie there, `stride` bytes apart.
            tessera_webp_decoder_read_rows(
                handle, step, isFinal, UInt32(columns.lowerBound), UInt32(columns.count),
                base.assumingMemoryBound(to: UInt8.self) + first * 4, stride, UInt32(count), &read)
        }
        try Self.check(status)
        return status == Int32(TESSERA_NEED_MORE) ? nil : Int(read)
    }

    private static func check(_ status: Int32) throws(ImageError) {
        guard status < 0 else { return }
        switch status {
        case Int32(TESSERA_CORRUPT): throw ImageError(.corrupt, "the WebP picture's data is corrupt")
        case Int32(TESSERA_UNSUPPORTED): throw ImageError(.unsupported, "libwebp can't read this kind of WebP")
        case Int32(TESSERA_NO_MEMORY): throw ImageError(.outOfMemory, "no memory to decode the WebP")
        default: throw ImageError(.invalidParameter, "the WebP decoder was used out of order")
        }
    }
}
#endif
