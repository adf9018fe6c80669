#if WebP
internal import CTesseraWebP
internal import Raster

/// libwebp's incremental decoder: takes the chunks of one image and returns rows.
final class WebPPixelDecoder {
    /// The shim's decoder, owned by this object; nothing else has the pointer.
    private let handle: OpaquePointer
    /// The processors of libwebp's threads; nil before the start.
    private var share: ProcessorShare?

    init() throws(ImageError) {
        guard let handle = tessera_webp_decoder_create() else {
            throw ImageError(.outOfMemory, "no memory for a WebP decoder")
        }
        self.handle = handle
    }

    deinit { tessera_webp_decoder_destroy(handle) }

    /// Appends the next bytes of the chunks.
    func append(_ bytes: [UInt8]) throws(ImageError) {
        try Self.check(tessera_webp_decoder_append(handle, bytes, bytes.count))
    }

    /// Selects the part of the image to decode, at full size.
    ///
    /// libwebp can scale with a box filter, which isn't used: compared with decoding in full and resampling, the result
    /// at twice the target size and resampled from there has 44 dB, at the target size 36 dB, for a quarter of the time
    /// at best. Memory is bounded by rows either way.
    func start(_ part: PixelRect, isOpaque: Bool) throws(ImageError) {
        var decoding = tessera_webp_decoding()
        (decoding.x, decoding.y) = (UInt32(clamping: part.x), UInt32(clamping: part.y))
        (decoding.width, decoding.height) = (UInt32(clamping: part.width), UInt32(clamping: part.height))
        decoding.opaque = isOpaque
        let share = ProcessorShare()
        decoding.threads = UInt16(share.threadCount)
        self.share = share
        try Self.check(tessera_webp_decoder_start(handle, &decoding))
    }

    /// Fills `rows` from the top, from pixel `first` of each row, with `columns` of the part.
    /// - Parameters:
    ///   - step: The number of bytes decoded at a time. Fewer bytes wait for more unless `isFinal` is true.
    ///   - count: The largest number of rows.
    /// - Returns: The number of rows filled; nil if the next row needs more bytes.
    func read(
        into rows: inout MutablePixelRows, at first: Int, columns: Range<Int>, count: Int, step: Int, isFinal: Bool
    ) throws(ImageError) -> Int? {
        precondition(rows.format == .rgba8 && first >= 0 && first <= rows.width - columns.count && count <= rows.count)
        let stride = rows.bytesPerRow
        var read: UInt32 = 0
        let status = rows.withUnsafeBase { base in
            // `rows` has at least `count` rows of the checked width, `stride` bytes apart.
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
        case Int32(TESSERA_CORRUPT): throw ImageError(.corrupt, "the WebP image's data is corrupt")
        case Int32(TESSERA_UNSUPPORTED): throw ImageError(.unsupported, "libwebp can't read this kind of WebP")
        case Int32(TESSERA_NO_MEMORY): throw ImageError(.outOfMemory, "no memory to decode the WebP")
        default: throw ImageError(.invalidParameter, "the WebP decoder was used out of order")
        }
    }
}

/// The part of an image that libwebp decodes, and its place in the delivered rows.
struct WebPPlacement {
    /// The size of the delivered image.
    let size: PixelSize
    /// The delivered rows and columns that the image covers. A frame may be smaller than its canvas.
    let frameRows: Range<Int>
    let frameColumns: Range<Int>
    /// The part of the image that is decoded; nil if none of it is needed.
    let decodedPart: PixelRect?
    /// The rows and columns of that part that are delivered.
    let decodedRows: Range<Int>
    let decodedColumns: Range<Int>
    /// Whether the last delivered row is the last of the file.
    let reachesEnd: Bool
    /// The memory in bytes that decoding takes.
    let workingByteCount: Int

    init(_ frame: WebPFrame, plan: DecodingPlan, canvas: PixelSize, isAnimated: Bool) {
        let region = plan.region ?? PixelRect(canvas)
        let place = frame.animation.region
        let isLossless = frame.picture?.isLossless ?? false
        size = region.size
        reachesEnd = !isAnimated && region.y + region.height == canvas.height

        let columns = Self.overlap(region.x, region.width, place.x, place.width)
        let rows = Self.overlap(region.y, region.height, place.y, place.height)
        guard !columns.isEmpty, !rows.isEmpty else {
            (frameRows, frameColumns, decodedRows, decodedColumns) = (0..<0, 0..<0, 0..<0, 0..<0)
            (decodedPart, workingByteCount) = (nil, 0)
            return
        }
        frameRows = (rows.lowerBound - region.y)..<(rows.upperBound - region.y)
        frameColumns = (columns.lowerBound - region.x)..<(columns.upperBound - region.x)
        // Chroma is interpolated between pairs of pixels, and libwebp crops lossy images at even pixels: with a margin
        // of a pair on each side the pixels equal those of the whole image.
        let margin = isLossless ? 0 : 2
        let wide = Self.widened(columns, place.x, place.width, by: margin)
        let high = Self.widened(rows, place.y, place.height, by: margin)
        decodedPart = PixelRect(x: wide.lowerBound, y: high.lowerBound, width: wide.count, height: high.count)
        decodedColumns = Self.shifted(columns, by: -place.x - wide.lowerBound)
        decodedRows = Self.shifted(rows, by: -place.y - high.lowerBound)
        // libwebp stores all pixels of a lossless image, and all alpha of a lossy one.
        let kept = isLossless ? 4 : frame.hasAlphaChunk ? 1 : 0
        workingByteCount = place.size.pixelCount * kept + wide.count * high.count * 4
    }

    /// Returns the intersection of two ranges, each given by its start and length.
    private static func overlap(_ a: Int, _ aCount: Int, _ b: Int, _ bCount: Int) -> Range<Int> {
        let (start, end) = (max(a, b), min(a + aCount, b + bCount))
        return start..<max(start, end)
    }

    /// Converts canvas columns or rows to those of an image at `origin`, with a margin, from an even pixel.
    private static func widened(_ range: Range<Int>, _ origin: Int, _ count: Int, by margin: Int) -> Range<Int> {
        let start = max(0, range.lowerBound - origin - margin)
        return (margin == 0 ? start : start / 2 * 2)..<min(count, range.upperBound - origin + margin)
    }

    private static func shifted(_ range: Range<Int>, by offset: Int) -> Range<Int> {
        (range.lowerBound + offset)..<(range.upperBound + offset)
    }
}
#endif
