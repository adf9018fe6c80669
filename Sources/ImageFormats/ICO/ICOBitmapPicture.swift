internal import Raster

/// An icon image stored as a bitmap: a header with twice the height, a palette, pixels, and a transparency mask with
/// one bit per pixel.
///
/// At 32 bits, alpha replaces the mask, unless alpha is 0 in all pixels, because some writers leave it, and even the
/// mask, unset. If the mask is truncated, the rest is opaque, and an error follows the last row. Pixels that would
/// invert the screen become transparent, as a bitmap can't represent them.
final class ICOBitmapPicture: WholePicture {
    let header: ImageHeader
    private let stored: BMPStoredRows
    private let expander: BMPRowExpander
    private let isTopDown: Bool
    private let mask: ArraySlice<UInt8>
    private let maskRowByteCount: Int
    private let usesMask: Bool

    private var region = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var nextRow = 0

    /// The image in `bytes`, with the directory's `description`.
    init(_ bytes: [UInt8], description: ImageHeader, options: DecodingOptions) throws(ImageError) {
        let bitmap = try BMPHeader(bytes, at: 0)
        guard bitmap.compression == .none || bitmap.compression == .bitFields else {
            throw ImageError(.unsupported, "an icon's bitmap is compressed")
        }
        // The height counts the rows of the pixels and of the mask.
        let size = PixelSize(width: bitmap.size.width, height: bitmap.size.height / 2)
        try options.limits.check(size, format: description.format)
        isTopDown = bitmap.isTopDown
        let bits = bitmap.bitsPerPixel
        let colors = bits <= 8 ? min(bitmap.paletteEntryCount, 1 << bits) : 0
        expander = BMPRowExpander(
            bitsPerPixel: bits,
            channels: bits == 32 && bitmap.compression == .none ? .rgba8888 : bitmap.channels,
            palette: bitmap.palette(in: bytes, at: bitmap.paletteOffset, count: colors), maximumBitsPerChannel: 8)

        let start = bitmap.paletteOffset + bitmap.paletteEntryCount * bitmap.paletteEntryByteCount
        stored = BMPStoredRows(size: size, bitsPerPixel: bits, compression: .none, imageByteCount: 0)
        let end = start + bitmap.rowByteCount * size.height
        if start < bytes.count {
            stored.append(bytes.span.bytes.extracting(start..<min(bytes.count, end)))
        }
        stored.finish()
        guard stored.rowCount > 0 else {
            throw ImageError(.truncated, "the \(description.format) image ends before its first row")
        }
        mask = bytes.dropFirst(end)
        maskRowByteCount = (size.width + 31) / 32 * 4
        usesMask = !expander.hasVisiblePixel(in: stored, width: size.width)

        var header = description
        header.storedSize = size
        header.colorModel = bits <= 8 ? .indexed : .rgb
        header.bitsPerChannel = bits <= 8 ? bits : min(8, bitmap.channels.maximumBitCount)
        header.hasAlpha = true
        header.metadata.resolution = bitmap.resolution
        self.header = header
    }

    func start(_ plan: DecodingPlan) -> BitmapInfo {
        region = plan.region ?? PixelRect(header.storedSize)
        return BitmapInfo(size: region.size, format: .rgba8, alpha: .straight)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        var done = 0
        while done < rows.count, nextRow < region.height {
            let y = region.y + nextRow
            let index = isTopDown ? y : header.storedSize.height - 1 - y
            if index < stored.rowCount {
                let (expander, x, usesMask) = (expander, region.x, usesMask)
                stored.withRow(index) { expander.expand($0, from: x, to: &rows, done, isOpaque: usesMask) }
                if usesMask { hide(rows.row(done, as: RGBA8.self), index) }
            } else if !isTopDown {
                // The top of a truncated bottom-up image.
                let row = PixelRect(x: 0, y: done, width: rows.width, height: 1)
                FrameCompositor.clear(row, of: &rows, alpha: .straight)
            } else {
                break
            }
            done += 1
            nextRow += 1
        }
        if done == 0, stored.rowCount < header.storedSize.height {
            throw ImageError(.truncated, "the \(header.format) image ends before its last row")
        }
        if done == 0, !isMaskWhole { throw ImageError(.truncated, "the \(header.format) image ends within its mask") }
        return done
    }

    /// Whether the mask covers all pixels, if it is used.
    private var isMaskWhole: Bool {
        // The last row may lack padding.
        let needed = maskRowByteCount * (header.storedSize.height - 1) + (header.storedSize.width + 7) / 8
        return !usesMask || mask.count >= needed || expander.hasAlpha && mask.isEmpty
    }

    /// Makes the pixels transparent that are set in the mask.
    private func hide(_ row: consuming MutableSpan<RGBA8>, _ index: Int) {
        let start = mask.startIndex + index * maskRowByteCount
        for x in 0..<row.count {
            let column = region.x + x
            let at = start + column >> 3
            guard at < mask.endIndex else { return }
            if mask[at] & 0x80 >> UInt8(column & 7) != 0 { row[x].alpha = 0 }
        }
    }
}

/// An icon image stored as a PNG file.
final class ICOFilePicture: WholePicture {
    let header: ImageHeader
    private let decoder: any IncrementalDecoder

    /// The image in `bytes`, with the directory's `description`.
    init(_ bytes: [UInt8], description: ImageHeader, options: DecodingOptions) throws(ImageError) {
        decoder = try PNGCodec().makeDecoder(for: FormatProbe(streamPrefix: RawSpan()), options: options.single)
        try decoder.append(bytes.span.bytes)
        try decoder.finish()
        guard var header = decoder.header else {
            throw ImageError(.truncated, "the \(description.format) image ends before its header does")
        }
        try options.limits.check(header.storedSize, format: description.format)
        header.format = description.format
        header.sequence = description.sequence
        header.metadata.hotSpot = description.metadata.hotSpot
        self.header = header
    }

    func start(_ plan: DecodingPlan) throws(ImageError) -> BitmapInfo { try decoder.start(plan, delivery: .last) }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard let count = try decoder.nextRows(into: &rows) else {
            throw ImageError(.truncated, "the \(header.format) image ends too early")
        }
        return count
    }
}
