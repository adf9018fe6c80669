internal import Raster

/// A way to store a bitmap's pixels: colour type, bit depth and palette.
struct PNGStoredForm: Equatable {
    let header: PNGHeader
    var palette: PNGPalette?

    /// The bytes of the chunks of the palette, which aren't compressed.
    var paletteByteCount: Int {
        guard let palette else { return 0 }
        let translucent = palette.colors.count { $0.alpha < 255 }
        return 12 + 3 * palette.colors.count + (translucent > 0 ? 12 + translucent : 0)
    }

    /// The forms that may be the smallest, each of which stores every pixel exactly.
    static func candidates(for bitmap: Bitmap) -> [PNGStoredForm] {
        let (smallest, palette) = PNGCodec.smallestForm(bitmap)
        guard let palette else {
            return direct(smallest) + indexed(bitmap, smallest)
        }
        let byLuma = PNGPalette(palette.colors.sorted { $0.luma < $1.luma })
        var forms = [PNGStoredForm(header: smallest, palette: palette)]
        if palette.colors.count > 2 { forms.append(PNGStoredForm(header: smallest, palette: byLuma)) }
        // Continuous tones can be filtered, indices can't.
        let header = PNGCodec.directForm(bitmap)
        if smallest.bitDepth == 8 || header.bitsPerPixel <= 8 { forms += direct(header) }
        return forms
    }

    /// A form without a palette and, if it packs several pixels into a byte, one whose bytes can be filtered.
    private static func direct(_ header: PNGHeader) -> [PNGStoredForm] {
        guard header.bitDepth < 8 else { return [PNGStoredForm(header: header)] }
        var wide = header
        wide.bitDepth = 8
        return [PNGStoredForm(header: header), PNGStoredForm(header: wide)]
    }

    /// A palette that seemed too large for the bits it saves.
    private static func indexed(_ bitmap: Bitmap, _ direct: PNGHeader) -> [PNGStoredForm] {
        guard bitmap.format != .gray8, bitmap.format != .gray16, direct.bitsPerPixel > 8,
            let palette = PNGColorSurvey(bitmap).colors.flatMap({ PNGPalette($0) })
        else { return [] }
        let header = PNGHeader(size: bitmap.size, bitDepth: palette.bitDepth, colorType: .indexed)
        return [PNGStoredForm(header: header, palette: palette)]
    }
}

extension RGBA8 {
    /// Rec. 601 luma in thousandths, for an order in which neighbours look alike.
    fileprivate var luma: Int { 299 * Int(red) + 587 * Int(green) + 114 * Int(blue) }
}
