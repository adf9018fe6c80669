#if GTK
internal import ImageViews
internal import Tessera

/// The settings of the effects panel, in the units of its sliders: per cent. Lengths are relative to the image's shorter
/// side, so that they look the same at every size.
struct EffectSettings: Hashable, Sendable {
    /// Of the image's own; of the whole effect.
    var (brightness, saturation, sepia, sharpen) = (100.0, 100.0, 0.0, 0.0)
    /// Of a twentieth and a tenth of the shorter side.
    var (blur, shadow) = (0.0, 0.0)
    /// Of half of the shorter side, and of the height.
    var (corners, reflection) = (0.0, 0.0)

    /// The settings with the names of their sliders.
    static let sliders: [(name: String, any (WritableKeyPath<EffectSettings, Double> & Sendable))] = [
        ("brightness", \.brightness), ("saturation", \.saturation), ("sepia", \.sepia), ("blur", \.blur),
        ("sharpen", \.sharpen), ("corners", \.corners), ("shadow", \.shadow), ("reflection", \.reflection),
    ]

    var isEmpty: Bool { self == EffectSettings() }

    func chain(for size: PixelSize) -> EffectChain {
        let side = Double(min(size.width, size.height))
        var chain = EffectChain()
        if brightness != 100 { chain.effects.append(.brightness(brightness / 100)) }
        if saturation != 100 { chain.effects.append(.saturation(saturation / 100)) }
        if sepia > 0 { chain.effects.append(.sepia(sepia / 100)) }
        if blur > 0 { chain.effects.append(.blur(radius: side * blur / 2000)) }
        if sharpen > 0 { chain.effects.append(.sharpen(radius: max(1, side / 1000), amount: sharpen / 100)) }
        if corners > 0 { chain.effects.append(.cornerRadius(side * corners / 200)) }
        let softness = side * shadow / 1000
        if shadow > 0 {
            chain.effects.append(
                .shadow(color: RGBA8(0, 0, 0, 200), x: softness / 4, y: softness / 2, blur: softness))
        }
        if reflection > 0 { chain.effects.append(.reflection(scale: reflection / 100, gap: side / 100, alpha: 0.5)) }
        return chain
    }

    /// Whether each pixel depends only on its surroundings, so that effects can be applied tile by tile, at any zoom.
    /// With a stronger blur single pixels are invisible anyway.
    var isLocal: Bool { corners == 0 && shadow == 0 && reflection == 0 && blur <= 16 }

    /// A tile of the image with local effects.
    func tile(_ address: TileAddress, of picture: TiledImage) async throws(ImageError) -> Image {
        let (level, size) = (address.level, picture.levels[address.level])
        let tile = picture.geometry.rect(of: address)
        // The weights beyond three standard deviations are negligible.
        let side = Double(min(size.width, size.height))
        let reach = side * blur / 2000 + (sharpen > 0 ? max(1, side / 1000) : 0)
        let margin = Int((reach * 3).rounded(.up))
        let (left, top) = (max(0, tile.x - margin), max(0, tile.y - margin))
        let right = min(size.width, tile.x + tile.width + margin)
        let bottom = min(size.height, tile.y + tile.height + margin)
        let full = PixelRect(
            x: left << level, y: top << level, width: min(picture.size.width, right << level) - (left << level),
            height: min(picture.size.height, bottom << level) - (top << level))
        let window = try await picture.region(full, size: PixelSize(width: right - left, height: bottom - top))
        let inner = PixelRect(x: tile.x - left, y: tile.y - top, width: tile.width, height: tile.height)
        return try await ImageExecutor.shared.run { () throws(ImageError) in
            Image(try Image(window).applying(chain(for: size)).bitmap().cropped(to: inner))
        }
    }

    /// The number of pixels up to which effects that aren't local are applied to the whole image at its full size.
    static let fullPixelCount = 40_000_000

    /// The image with its effects, made of at most `maximumSide` pixels in each direction, and the scale of that: 1 for
    /// the image's full size.
    func preview(of picture: TiledImage, maximumSide: Int) async throws -> (image: Image, scale: Double) {
        let side = max(picture.size.width, picture.size.height)
        let bitmap =
            try await side <= maximumSide
            ? picture.region(PixelRect(picture.size)) : picture.overview(maximumSide: maximumSide)
        let image = try await withTaskExecutorPreference(ImageExecutor.shared) {
            Image(try Image(bitmap).applying(chain(for: bitmap.size)).bitmap())
        }
        return (image, Double(bitmap.width) / Double(picture.size.width))
    }
}
#endif
