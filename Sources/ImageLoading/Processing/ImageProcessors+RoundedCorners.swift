public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Rounds a picture's corners.
    public struct RoundedCorners: ImageProcessing, Hashable {
        /// The corners' radius in `unit`s; one larger than half the picture's shorter side counts as that.
        public var radius: Double
        /// What the radius counts.
        public var unit: ImageProcessingOptions.Unit
        /// The line along the edge; nil for none.
        public var border: ImageProcessingOptions.Border?

        /// Rounds all corners by `radius`.
        public init(
            radius: Double, unit: ImageProcessingOptions.Unit = .points, border: ImageProcessingOptions.Border? = nil
        ) {
            self.radius = radius
            self.unit = unit
            self.border = border
        }

        /// The picture with round corners.
        /// - Throws: `ImageError` with `invalidParameter` for a radius that makes no sense.
        public func process(_ image: Image) throws -> Image {
            let pixels = unit.pixels(radius, scale: image.scale)
            var chain: EffectChain = [.cornerRadius(pixels)]
            if let border { chain.effects.append(border.effect(radius: pixels, scale: image.scale)) }
            return try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The name, the radius and the border.
        public var identity: EffectIdentity {
            var identity = EffectIdentity("roundedCorners", .number(radius), .text(unit.name))
            if let border { identity.parameters.append(.identity(border.identity)) }
            return identity
        }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.RoundedCorners {
    /// Rounds a picture's corners.
    public static func roundedCorners(
        radius: Double, unit: ImageProcessingOptions.Unit = .points, border: ImageProcessingOptions.Border? = nil
    ) -> Self {
        Self(radius: radius, unit: unit, border: border)
    }
}
