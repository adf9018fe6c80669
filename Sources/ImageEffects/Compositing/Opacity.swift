public import Raster

extension Effects {
    /// Multiplies the picture's alpha by a factor, so that it becomes more transparent, never less.
    public struct Opacity: PixelEffect, CodableEffect {
        /// What recipes call the effect.
        public static let name = "opacity"
        /// The factor, 0 to 1.
        public var alpha: Double

        /// Multiplies by `alpha`.
        public init(_ alpha: Double) { self.alpha = alpha }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(alpha)) }

        /// `size`.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            try context.fraction(alpha, "an opacity")
            return size
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            let alpha = try context.fraction(alpha, "an opacity")
            guard alpha < 1 else { return bitmap }
            return try bitmap.mapped(as: P.self, alpha: .premultiplied) { _, source, target in
                P.scale(source, by: alpha, to: &target)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Opacity {
    /// Multiplies the picture's alpha by a factor of 0 to 1.
    public static func opacity(_ alpha: Double) -> Self { Self(alpha) }
}
