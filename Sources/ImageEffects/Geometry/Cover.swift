internal import Raster

extension Effects {
    /// Scales the picture, up or down, to the smallest size of its proportions that covers bounds.
    public struct Cover: PlacedEffect, CodableEffect {
        /// What recipes call it.
        public static let name = "cover"
        /// The width to reach.
        public var width: Double
        /// The height to reach.
        public var height: Double

        /// Covers `width` × `height`, and more along one side.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        /// Its name and its parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(width), .number(height)) }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            try context.scaled(size, to: (width, height), covering: true)
        }
    }
}

extension ImageEffect where Self == Effects.Cover {
    /// Scales the picture, up or down, to the smallest size of its proportions that covers bounds.
    public static func cover(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}
