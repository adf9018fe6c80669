public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Blurs a picture by a Gaussian; it keeps its size, and what is opaque stays opaque.
    public struct GaussianBlur: ImageProcessing, Hashable {
        /// The Gaussian's standard deviation in pixels.
        public var radius: Double

        /// Blurs by a standard deviation of `radius` pixels.
        public init(radius: Double = 8) { self.radius = radius }

        /// The blurred picture.
        /// - Throws: `ImageError` with `invalidParameter` for a radius that makes no sense.
        public func process(_ image: Image) throws -> Image {
            try image.applying(.blur(radius: radius), options: EffectOptions(units: .pixels))
        }

        /// The name and the radius.
        public var identity: EffectIdentity { EffectIdentity("gaussianBlur", .number(radius)) }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.GaussianBlur {
    /// Blurs a picture by a Gaussian whose standard deviation is `radius` pixels.
    public static func gaussianBlur(radius: Double = 8) -> Self { Self(radius: radius) }
}
