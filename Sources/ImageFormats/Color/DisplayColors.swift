package import Raster

/// The colours of a display, by its ICC profile: the last conversion of pixels in sRGB before they are shown.
package final class DisplayColors: Sendable {
    private let (narrow, wide): (ICCTransform, ICCTransform)

    /// Nil for bytes that aren't the profile of an RGB display.
    package init?(profile bytes: [UInt8]) {
        guard let profile = ICCProfile(bytes), let narrow = ICCTransform(to: profile, layout: .rgba8),
            let wide = ICCTransform(to: profile, layout: .rgba16)
        else { return nil }
        (self.narrow, self.wide) = (narrow, wide)
    }

    /// The pixels of `bitmap`, which are in sRGB, in the display's colours, with straight alpha; the rendering intent is
    /// relative colorimetric. O(pixels).
    /// - Throws: `outOfMemory`.
    package func converted(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
        let format: PixelFormat = bitmap.format == .rgba16 ? .rgba16 : .rgba8
        // Colours that are multiplied with alpha are other ones.
        let pixels = try bitmap.converted(to: format, alpha: bitmap.alpha.hasAlpha ? .straight : AlphaMode.none)
        var copy = try pixels.mutableCopy()
        var rows = copy.mutableRows
        (format == .rgba16 ? wide : narrow).convert(&rows)
        return copy.freeze()
    }
}
