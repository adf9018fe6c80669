public import Raster

extension ImageDestination {
    /// The format that suits a picture of `info`'s kind where nobody named one.
    ///
    /// Opaque pictures become JPEG and others PNG. An animation stays one: in `source`, the format that it came in, where
    /// that can be written, else as GIF if it is opaque and as PNG if it isn't, since GIF knows no half-transparent
    /// pixels. Only formats that `registry` can write are named, PNG if there is none.
    /// - Parameters:
    ///   - isAnimated: Whether there are several frames to be shown one after the other.
    ///   - source: The format that an animation came in.
    ///   - prefersHEIF: Whether opaque pictures become HEIC where that can be written.
    public static func defaultFormat(
        for info: BitmapInfo, isAnimated: Bool = false, source: ImageFormat? = nil, prefersHEIF: Bool = false,
        registry: CodecRegistry = .default
    ) -> ImageFormat {
        let hasAlpha = info.alpha.hasAlpha
        if isAnimated {
            let formats = [source, hasAlpha ? .png : .gif, hasAlpha ? .gif : .png].compactMap { $0 }
            if let format = formats.first(where: { registry.capabilities(of: $0).contains(.encodeAnimation) }) {
                return format
            }
        }
        guard !hasAlpha else { return .png }
        return (prefersHEIF ? [.heic, .jpeg] : [.jpeg]).first { registry.canEncode($0) } ?? .png
    }

    /// The format that suits `bitmap` where nobody named one, as `defaultFormat(for:isAnimated:source:prefersHEIF:registry:)`.
    /// - Parameter examinesPixels: Whether a picture that could have transparent pixels and has none counts as opaque.
    public static func defaultFormat(
        for bitmap: Bitmap, examinesPixels: Bool = false, prefersHEIF: Bool = false,
        registry: CodecRegistry = .default
    ) -> ImageFormat {
        var info = bitmap.info
        if examinesPixels, bitmap.isOpaque { info.alpha = .none }
        return defaultFormat(for: info, prefersHEIF: prefersHEIF, registry: registry)
    }
}
