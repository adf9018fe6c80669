public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Cuts the largest disc out of a picture's middle.
    public struct Circle: ImageProcessing, Hashable {
        /// The line along its edge; nil for none.
        public var border: ImageProcessingOptions.Border?

        /// The largest disc.
        public init(border: ImageProcessingOptions.Border? = nil) { self.border = border }

        /// The disc, in a square as wide as the picture's shorter side.
        /// - Throws: `ImageError`.
        public func process(_ image: Image) throws -> Image {
            var chain: EffectChain = [.circle]
            let radius = Double(min(image.size.width, image.size.height)) / 2
            if let border { chain.effects.append(border.effect(radius: radius, scale: image.scale)) }
            return try image.applying(chain, options: EffectOptions(units: .pixels))
        }

        /// The name and the border.
        public var identity: EffectIdentity { EffectIdentity("circle", [border?.identity].compactMap { $0 }) }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Circle {
    /// Cuts the largest disc out of a picture's middle.
    public static func circle(border: ImageProcessingOptions.Border? = nil) -> Self { Self(border: border) }
}
