public import Raster

extension Effects {
    /// Cuts the largest disc out of the picture's middle.
    public struct Circle: CodableEffect {
        /// `circle`.
        public static let name = "circle"

        /// The largest disc.
        public init() {}

        /// The name.
        public var identity: EffectIdentity { EffectIdentity(Self.name) }

        /// The square around the disc, as wide as the picture's shorter side.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let side = min(size.width, size.height)
            return PixelSize(width: side, height: side)
        }

        /// The disc. Where it can't lie exactly in the middle, it is half a pixel further left or up.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let square = try resultSize(of: bitmap.size, in: context)
            let disc = RoundedRectangle(square, radius: Double(square.width) / 2)
            return try bitmap.cut(
                to: disc, x: (bitmap.width - square.width) / 2, y: (bitmap.height - square.height) / 2)
        }
    }
}

extension ImageEffect where Self == Effects.Circle {
    /// Cuts the largest disc out of the picture's middle.
    public static var circle: Self { Self() }
}
