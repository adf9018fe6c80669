internal import Raster

/// Converts the stored pixels of a row.
struct TGARowExpander {
    /// Grey of 8 bits, or RGBA.
    let format: PixelFormat
    private let header: TGAHeader
    /// The colours from `header.firstColor` on.
    private let palette: [RGBA8]

    /// Creates an expander; `head` has all bytes before the pixels.
    init(_ header: TGAHeader, head: [UInt8]) {
        self.header = header
        format = header.kind == .gray && !header.hasAlpha ? .gray8 : .rgba8
        guard header.kind == .indexed else {
            palette = []
            return
        }
        let bytes = head.span
        palette = (0..<header.colorCount).map { index in
            let at = header.paletteOffset + index * header.colorByteCount
            return Self.color(bytes, at, bits: header.bitsPerColor, hasAlpha: header.hasAlpha)
        }
    }

    /// Fills the target's row `y`, from the image's column `first` on, with pixels of the stored row.
    func expand(
        _ bytes: Span<UInt8>, from first: Int, to target: inout MutablePixelRows, _ y: Int, alpha: TGAAlpha
    ) {
        // Pixels are converted in the order in which they are stored, and a row from the right is turned afterwards.
        let start = header.isRightToLeft ? header.size.width - first - target.width : first
        if format == .gray8 {
            var row = target.row(y, as: Gray8.self)
            var at = start &* header.pixelByteCount
            for x in row.indices {
                row[x] = Gray8(bytes[at])
                at &+= header.pixelByteCount
            }
            if header.isRightToLeft { Self.reverse(&row) }
            return
        }
        var row = target.row(y, as: RGBA8.self)
        let hasAlpha = header.hasAlpha && alpha != .none
        switch (header.kind, header.bitsPerPixel) {
        case (.gray, _): Self.expandGray(bytes, from: start, to: &row, hasAlpha: hasAlpha)
        case (.indexed, _): expandIndices(bytes, from: start, to: &row, hasAlpha: hasAlpha)
        case (.rgb, 24): BlueFirstPixels.expandRGB(bytes, from: start, to: &row)
        case (.rgb, 32): BlueFirstPixels.expandRGBA(bytes, from: start, to: &row, isOpaque: !hasAlpha)
        case (.rgb, let bits):
            for x in row.indices {
                row[x] = Self.color(bytes, 2 &* (start &+ x), bits: bits, hasAlpha: hasAlpha)
            }
        }
        if hasAlpha, alpha == .premultiplied { ScalarAlpha.unpremultiply(&row) }
        if header.isRightToLeft { Self.reverse(&row) }
    }

    private static func expandGray(
        _ bytes: Span<UInt8>, from start: Int, to row: inout MutableSpan<RGBA8>, hasAlpha: Bool
    ) {
        var at = 2 &* start
        for x in row.indices {
            let gray = bytes[at]
            row[x] = RGBA8(gray, gray, gray, hasAlpha ? bytes[at &+ 1] : 255)
            at &+= 2
        }
    }

    private func expandIndices(
        _ bytes: Span<UInt8>, from start: Int, to row: inout MutableSpan<RGBA8>, hasAlpha: Bool
    ) {
        let (palette, isWide, first) = (palette, header.pixelByteCount == 2, header.firstColor)
        for x in row.indices {
            let at = start &+ x
            let index = isWide ? Int(bytes[2 &* at]) | Int(bytes[2 &* at &+ 1]) << 8 : Int(bytes[at])
            // Indices outside of the palette are black.
            var color = palette.indices.contains(index - first) ? palette[index - first] : RGBA8(0, 0, 0)
            if !hasAlpha { color.alpha = 255 }
            row[x] = color
        }
    }

    private static func reverse<P: Pixel>(_ row: inout MutableSpan<P>) {
        for x in 0..<(row.count / 2) { row.swapAt(x, row.count - 1 - x) }
    }

    /// Returns the colour at `at`: five bits a channel below an attribute bit, or eight.
    @inline(__always)
    private static func color(_ bytes: Span<UInt8>, _ at: Int, bits: Int, hasAlpha: Bool) -> RGBA8 {
        if bits > 16 {
            return RGBA8(
                bytes[at &+ 2], bytes[at &+ 1], bytes[at], hasAlpha && bits == 32 ? bytes[at &+ 3] : 255)
        }
        let value = Int(bytes[at]) | Int(bytes[at &+ 1]) << 8
        func channel(_ shift: Int) -> UInt8 { UInt8(truncatingIfNeeded: ((value >> shift & 31) * 255 + 15) / 31) }
        return RGBA8(channel(10), channel(5), channel(0), hasAlpha && value & 0x8000 == 0 ? 0 : 255)
    }
}
