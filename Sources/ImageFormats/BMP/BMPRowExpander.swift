internal import Raster

/// Converts uncompressed stored rows to pixels.
struct BMPRowExpander {
    /// `rgba16` if a channel has more than eight bits and the options allow 16, else `rgba8`.
    let format: PixelFormat
    private let bitsPerPixel: Int
    private let channels: BMPChannels
    /// 256 colours; those missing in the file are black.
    private let palette: [RGBA8]

    /// Creates an expander of rows with `bitsPerPixel` bits for each pixel.
    init(bitsPerPixel: Int, channels: BMPChannels, palette: [RGBA8], maximumBitsPerChannel: Int) {
        self.bitsPerPixel = bitsPerPixel
        self.channels = channels
        self.palette = palette + [RGBA8](repeating: RGBA8(0, 0, 0), count: 256 - palette.count)
        let isDeep = maximumBitsPerChannel > 8 && bitsPerPixel >= 16 && channels.maximumBitCount > 8
        format = isDeep ? .rgba16 : .rgba8
    }

    /// Whether the pixels have an alpha channel.
    var hasAlpha: Bool { (bitsPerPixel == 16 || bitsPerPixel == 32) && channels.alpha.mask != 0 }

    /// Fills the target's row `y` with pixels, starting at pixel `x` of the stored row.
    /// - Parameter isOpaque: Whether to ignore alpha.
    func expand(_ bytes: Span<UInt8>, from x: Int, to rows: inout MutablePixelRows, _ y: Int, isOpaque: Bool) {
        if format == .rgba16 {
            expandDeep(bytes, x, rows.row(y, as: RGBA16.self), isOpaque: isOpaque)
            return
        }
        var row = rows.row(y, as: RGBA8.self)
        switch bitsPerPixel {
        case 8: expandBytes(bytes, x, row)
        case 24: BlueFirstPixels.expandRGB(bytes, from: x, to: &row)
        case 32 where channels.areBytesFromBlue:
            BlueFirstPixels.expandRGBA(bytes, from: x, to: &row, isOpaque: isOpaque || channels.alpha.mask == 0)
        case 16: expandChannels(bytes, x, row, isOpaque: isOpaque) { Self.word16(bytes, $0) }
        case 32: expandChannels(bytes, x, row, isOpaque: isOpaque) { Self.word32(bytes, $0) }
        default: expandBits(bytes, x, row)
        }
    }

    /// Whether any pixel's alpha isn't 0. If all are 0, the writer left the channel unused and the image is opaque.
    func hasVisiblePixel(in stored: BMPStoredRows, width: Int) -> Bool {
        guard hasAlpha else { return false }
        var found = false
        for index in 0..<stored.rowCount where !found {
            stored.withRow(index) { found = hasVisiblePixel($0, width: width) }
        }
        return found
    }

    private func hasVisiblePixel(_ bytes: Span<UInt8>, width: Int) -> Bool {
        let mask = channels.alpha.mask
        for x in 0..<width where (bitsPerPixel == 16 ? Self.word16(bytes, x) : Self.word32(bytes, x)) & mask != 0 {
            return true
        }
        return false
    }

    @inline(__always)
    private static func word16(_ bytes: Span<UInt8>, _ x: Int) -> UInt32 {
        UInt32(bytes[2 &* x]) | UInt32(bytes[2 &* x &+ 1]) << 8
    }

    @inline(__always)
    private static func word32(_ bytes: Span<UInt8>, _ x: Int) -> UInt32 {
        let at = 4 &* x
        return UInt32(bytes[at]) | UInt32(bytes[at &+ 1]) << 8 | UInt32(bytes[at &+ 2]) << 16
            | UInt32(bytes[at &+ 3]) << 24
    }

    private func expandBits(_ bytes: Span<UInt8>, _ first: Int, _ row: consuming MutableSpan<RGBA8>) {
        let (palette, bits) = (palette, bitsPerPixel)
        let mask = (1 << bits) - 1
        for x in 0..<row.count {
            let bit = (first &+ x) &* bits
            row[x] = palette[Int(bytes[bit &>> 3]) >> (8 &- bits &- (bit & 7)) & mask]
        }
    }

    private func expandBytes(_ bytes: Span<UInt8>, _ first: Int, _ row: consuming MutableSpan<RGBA8>) {
        let palette = palette
        for x in 0..<row.count { row[x] = palette[Int(bytes[first &+ x])] }
    }

    @inline(__always)
    private func expandChannels(
        _ bytes: Span<UInt8>, _ first: Int, _ row: consuming MutableSpan<RGBA8>, isOpaque: Bool,
        pixel: (Int) -> UInt32
    ) {
        let (red, green, blue, alpha) = (channels.red, channels.green, channels.blue, channels.alpha)
        let isOpaque = isOpaque || alpha.mask == 0
        guard channels.maximumBitCount <= 8 else {
            for x in 0..<row.count {
                let value = pixel(first &+ x)
                row[x] = RGBA8(
                    red.value(value, to: 255, UInt8.self), green.value(value, to: 255, UInt8.self),
                    blue.value(value, to: 255, UInt8.self),
                    isOpaque ? 255 : alpha.value(value, to: 255, UInt8.self))
            }
            return
        }
        let (reds, greens, blues, alphas) = (red.table.span, green.table.span, blue.table.span, alpha.table.span)
        for x in 0..<row.count {
            let value = pixel(first &+ x)
            row[x] = RGBA8(
                reds[Int((value & red.mask) &>> red.shift)], greens[Int((value & green.mask) &>> green.shift)],
                blues[Int((value & blue.mask) &>> blue.shift)],
                isOpaque ? 255 : alphas[Int((value & alpha.mask) &>> alpha.shift)])
        }
    }

    private func expandDeep(
        _ bytes: Span<UInt8>, _ first: Int, _ row: consuming MutableSpan<RGBA16>, isOpaque: Bool
    ) {
        let isOpaque = isOpaque || channels.alpha.mask == 0
        for x in 0..<row.count {
            let value = bitsPerPixel == 16 ? Self.word16(bytes, first &+ x) : Self.word32(bytes, first &+ x)
            row[x] = RGBA16(
                channels.red.value(value, to: 65535, UInt16.self), channels.green.value(value, to: 65535, UInt16.self),
                channels.blue.value(value, to: 65535, UInt16.self),
                isOpaque ? 65535 : channels.alpha.value(value, to: 65535, UInt16.self))
        }
    }
}
