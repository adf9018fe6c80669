internal import Raster

extension Effects {
    /// Stretches the picture to exactly a size.
    public struct Scale: PlacedEffect, CodableEffect {
        /// What recipes call it.
        public static let name = "scale"
        /// The width to reach.
        public var width: Double
        /// The height to reach.
        public var height: Double

        /// Stretches to `width` × `height`.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        /// Its name and its parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(width), .number(height)) }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            let wanted = try context.pixelSize(width, height)
            let canvas = try context.snapped(wanted.width, wanted.height)
            return Placement(canvas: canvas, of: size, at: PixelRect(canvas))
        }
    }
}

extension ImageEffect where Self == Effects.Scale {
    /// Stretches the picture to exactly a size.
    public static func scale(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}
