public import Raster

extension Effects {
    /// Lays the picture on a colour.
    ///
    /// Composited as stored, not in linear light, as the web does it. On an opaque colour the result is opaque.
    public struct Flatten: PixelEffect, CodableEffect {
        /// What recipes call the effect.
        public static let name = "flatten"
        /// The colour, straight sRGB.
        public var color: RGBA8

        /// Lays the picture on `color`.
        public init(color: RGBA8 = RGBA8(255, 255, 255)) { self.color = color }

        /// Reads the effect; the colour is white unless said otherwise.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(color: try values.decodeIfPresent(RGBA8.self, forKey: .color) ?? RGBA8(255, 255, 255))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .color(color)) }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            guard bitmap.alpha.hasAlpha else { return bitmap }
            let background = P(premultiplying: color)
            return try bitmap.mapped(as: P.self, alpha: color.alpha == 255 ? .none : .premultiplied) {
                P.lay($1, on: background, to: &$2)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Flatten {
    /// Lays the picture on a colour.
    public static func flatten(on color: RGBA8 = RGBA8(255, 255, 255)) -> Self { Self(color: color) }
}
