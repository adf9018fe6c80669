internal import Raster

extension Effects {
    /// Makes the mask that keeps what is opaque in the picture: an opaque grey picture of its alpha.
    public struct MaskFromAlpha: PixelEffect, CodableEffect {
        /// What recipes call the effect.
        public static let name = "maskFromAlpha"

        /// White where the picture is opaque, black where it's transparent.
        public init() {}

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name) }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            try bitmap.mapped(as: P.self, alpha: .none) { _, source, target in P.showAlpha(of: source, to: &target) }
        }
    }
}

extension ImageEffect where Self == Effects.MaskFromAlpha {
    /// Makes an opaque grey picture of the picture's alpha, to be used with `mask(_:isInverted:)`.
    public static var maskFromAlpha: Self { Self() }
}
