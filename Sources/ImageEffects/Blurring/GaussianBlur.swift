public import Raster

extension Effects {
    /// Blurs the picture by a Gaussian.
    ///
    /// Beyond its edges the picture is taken to go on as its outermost pixels, so that what is opaque stays opaque. The
    /// options' `linearLight` blurs light instead of stored values. The time it takes hardly depends on the radius.
    public struct GaussianBlur: SizeKeepingEffect, CodableEffect {
        /// `blur`.
        public static let name = "blur"
        /// The Gaussian's standard deviation; nothing changes at 0.
        public var radius: Double

        /// Blurs by a standard deviation of `radius`.
        public init(radius: Double) {
            self.radius = radius
        }

        /// The name and the parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(radius)) }

        func check(in context: EffectContext) throws(ImageError) {
            _ = try context.nonNegativePixels(radius, "a radius")
        }

        /// The blurred picture.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            try bitmap.blurred(
                sigma: try context.nonNegativePixels(radius, "a radius"), isLinear: context.options.linearLight)
        }
    }
}

extension ImageEffect where Self == Effects.GaussianBlur {
    /// Blurs the picture by a Gaussian whose standard deviation is `radius`.
    public static func blur(radius: Double) -> Self { Self(radius: radius) }
}

extension Bitmap {
    /// Below this the nearest neighbours would count for less than 1 in 3000.
    static let smallestSigma = 0.25

    /// The picture blurred by a Gaussian of `sigma` pixels, its edges repeated.
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
