public import Raster

extension Effects {
    /// Makes the picture's reflection: upside down, fading out downwards.
    ///
    /// As high as `scale` times the picture, rounded up to whole units of length, which are then as many pixels as the
    /// context says: with points of two pixels, a height of 5.5 points makes a reflection of 3 points, 6 pixels, at a
    /// scale of 0.5. Of R rows of pixels, row y is multiplied by 1 - (y + 0.5) / R. What a scale above 1 asks for beyond
    /// the picture is transparent.
    public struct Reflected: PixelEffect, CodableEffect {
        /// What recipes call the effect.
        public static let name = "reflected"
        /// The reflection's height as a part of the picture's, more than 0.
        public var scale: Double

        /// A reflection of `scale` times the picture's height.
        public init(scale: Double) { self.scale = scale }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(scale)) }

        /// The picture's width, the reflection's height.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let height = try ReflectionRamp.height(of: size.height, scale: scale, in: context)
            return try context.validated(PixelSize(width: size.width, height: height))
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            var info = bitmap.info
            info.size = try resultSize(of: bitmap.size, in: context)
            info.alpha = .premultiplied
            let ramp = ReflectionRamp(height: info.size.height, alpha: 1)
            var result = try MutableBitmap(uninitialized: info)
            try result.fill(touching: 2 * result.bytesPerRow * info.size.height) { (rows, range) throws(ImageError) in
                for y in range {
                    var target = rows.row(y - range.lowerBound, as: P.self)
                    guard y < bitmap.height else {
                        target.clear()
                        continue
                    }
                    P.scale(bitmap.rows.row(bitmap.height - 1 - y, as: P.self), by: ramp.factor(y), to: &target)
                }
            }
            return result.freeze()
        }
    }
}

extension ImageEffect where Self == Effects.Reflected {
    /// Makes the picture's reflection, of `scale` times its height.
    public static func reflected(scale: Double) -> Self { Self(scale: scale) }
}
