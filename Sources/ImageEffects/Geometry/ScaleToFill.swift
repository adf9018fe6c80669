internal import Raster

extension Effects {
    /// Scales the picture, up or down, until it covers a size, and crops it to that size, centred.
    public struct ScaleToFill: PlacedEffect, CodableEffect {
        /// What recipes call it.
        public static let name = "scaleToFill"
        /// The width to reach.
        public var width: Double
        /// The height to reach.
        public var height: Double

        /// Fills `width` × `height`.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        /// Its name and its parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(width), .number(height)) }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            let wanted = try context.pixelSize(width, height)
            let canvas = try context.snapped(wanted.width, wanted.height)
            let (w, h) = (Double(size.width), Double(size.height))
            // The part of the picture that has the canvas's proportions, so that nothing is stretched.
            let step = min(w / Double(canvas.width), h / Double(canvas.height))
            let (width, height) = (min(w, Double(canvas.width) * step), min(h, Double(canvas.height) * step))
            let source = PixelRegion(x: (w - width) / 2, y: (h - height) / 2, width: width, height: height)
            return Placement(canvas: canvas, source: source, destination: PixelRect(canvas))
        }
    }
}

extension ImageEffect where Self == Effects.ScaleToFill {
    /// Scales the picture, up or down, until it covers a size, and crops it to that size, centred.
    public static func scaleToFill(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}
