public import Raster

extension Effects {
    /// Blurs the image by a Gaussian.
    ///
    /// Edge pixels are repeated beyond the edges, so that an opaque image stays opaque. With
    /// `EffectOptions.linearLight` it blurs in linear light instead of stored values. The time hardly depends on the
    /// radius.
    public struct GaussianBlur: SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "blur"
        /// The Gaussian's standard deviation, 0 or more; 0 changes nothing.
        public var radius: Double

        /// Blurs by a standard deviation of `radius`.
        public init(radius: Double) {
            self.radius = radius
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(radius)) }

        func check(in context: EffectContext) throws(ImageError) {
            _ = try context.nonNegativePixels(radius, "a radius")
        }

        /// The blurred image.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            try bitmap.blurred(
                sigma: try context.nonNegativePixels(radius, "a radius"), isLinear: context.options.linearLight)
        }
    }
}

extension ImageEffect where Self == Effects.GaussianBlur {
    /// Blurs the image by a Gaussian with a standard deviation of `radius`.
    public static func blur(radius: Double) -> Self { Self(radius: radius) }
}

extension Bitmap {
    /// The smallest standard deviation that has an effect: below it the nearest neighbours weigh less than 0.04 %.
    static let smallestSigma = 0.25

    /// The image blurred by a Gaussian of `sigma` pixels, with its edge pixels repeated.
    func blurred(sigma: Double, isLinear: Bool) throws(ImageError) -> Bitmap {
        guard sigma >= Self.smallestSigma else { return self }
        var result = try MutableBitmap(uninitialized: info)
        guard format == .rgba16 || isLinear else {
            try FixedBlur(sigma: sigma, size: size, window: PixelRect(size)).draw(self, into: &result)
            return result.freeze()
        }
        let alpha = alpha
        let blur = FloatBlur(sigma: sigma, size: size, window: PixelRect(size), isLinear: isLinear)
        try blur.draw(self, into: &result) { values, _, rows, index in
            rows.finish(values, to: index, alpha: alpha, isLinear: isLinear)
        }
        return result.freeze()
    }
}
