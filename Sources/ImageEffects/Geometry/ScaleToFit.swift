internal import Raster

extension Effects {
    /// Scales the picture, up or down, to the largest size of its proportions within bounds.
    public struct ScaleToFit: PlacedEffect, CodableEffect {
        /// What recipes call it.
        public static let name = "scaleToFit"
        /// The width to reach.
        public var width: Double
        /// The height to reach.
        public var height: Double

        /// Fits the picture into `width` × `height`.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        /// Its name and its parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(width), .number(height)) }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            try context.scaled(size, to: (width, height), covering: false)
        }
    }
}

extension ImageEffect where Self == Effects.ScaleToFit {
    /// Scales the picture, up or down, to the largest size of its proportions within bounds.
    public static func scaleToFit(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}
