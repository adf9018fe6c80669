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
        let width = header.size.width
        var at = (header.isRightToLeft ? width - 1 - first : first) * header.pixelByteCount
        let step = header.isRightToLeft ? -header.pixelByteCount : header.pixelByteCount
        if format == .gray8 {
            var row = target.row(y, as: Gray8.self)
            for x in row.indices {
                row[x] = Gray8(bytes[at])
                at &+= step
            }
            return
        }
        var row = target.row(y, as: RGBA8.self)
        let hasAlpha = header.hasAlpha && alpha != .none
        switch header.kind {
        case .gray:
            for x in row.indices {
                let gray = bytes[at]
                row[x] = RGBA8(gray, gray, gray, hasAlpha ? bytes[at &+ 1] : 255)
                at &+= step
            }
        case .indexed:
            let (palette, isWide) = (palette, header.pixelByteCount == 2)
            for x in row.indices {
                let index = Int(bytes[at]) | (isWide ? Int(bytes[at &+ 1]) << 8 : 0)
                // Indices outside of the palette are black.
                let place = index - header.firstColor
                var color = palette.indices.contains(place) ? palette[place] : RGBA8(0, 0, 0)
                if !hasAlpha { color.alpha = 255 }
                row[x] = color
                at &+= step
            }
        case .rgb:
            switch header.bitsPerPixel {
            case 24:
                for x in row.indices {
                    row[x] = RGBA8(bytes[at &+ 2], bytes[at &+ 1], bytes[at])
                    at &+= step
                }
            case 32:
                let opaque: UInt8 = hasAlpha ? 0 : 255
                for x in row.indices {
                    row[x] = RGBA8(bytes[at &+ 2], bytes[at &+ 1], bytes[at], bytes[at &+ 3] | opaque)
                    at &+= step
                }
            default:
                for x in row.indices {
                    row[x] = Self.color(bytes, at, bits: header.bitsPerPixel, hasAlpha: hasAlpha)
                    at &+= step
                }
            }
        }
        if hasAlpha, alpha == .premultiplied { ScalarAlpha.unpremultiply(&row) }
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
