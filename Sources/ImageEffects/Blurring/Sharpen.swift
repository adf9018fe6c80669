public import Raster

extension Effects {
    /// Sharpens the image by an unsharp mask: adds its difference from its blur.
    ///
    /// Colours are limited to 0…alpha, and alpha is unchanged. Where the image is partly transparent, colours are
    /// compared with their neighbours' weighted by alpha, so that outlines keep their colours. With
    /// `EffectOptions.linearLight` the comparison is in linear light.
    public struct Sharpen: SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "sharpen"
        /// The blur's standard deviation: about the size of the details to emphasise.
        public var radius: Double
        /// The factor of the difference, 0…100.
        public var amount: Double

        /// Adds `amount` times the difference from a blur of `radius`.
        public init(radius: Double = 1, amount: Double = 0.5) {
            self.radius = radius
            self.amount = amount
        }

        /// Decodes the effect; the radius defaults to 1, the amount to 0.5.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(radius: try values.decode(.radius, else: 1), amount: try values.decode(.amount, else: 0.5))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(radius), .number(amount)) }

        private func sigma(in context: EffectContext) throws(ImageError) -> Double {
            guard amount >= 0, amount <= 100 else {
                throw ImageError(.invalidParameter, "invalid sharpening amount \(amount): it must be between 0 and 100")
            }
            return try context.nonNegativePixels(radius, "a radius")
        }

        func check(in context: EffectContext) throws(ImageError) { _ = try sigma(in: context) }

        /// The sharpened image.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let sigma = try sigma(in: context)
            return amount > 0
                ? try bitmap.sharpened(sigma: sigma, amount: amount, isLinear: context.options.linearLight) : bitmap
        }
    }
}

extension ImageEffect where Self == Effects.Sharpen {
    /// Sharpens the image by an unsharp mask.
    public static func sharpen(radius: Double = 1, amount: Double = 0.5) -> Self {
        Self(radius: radius, amount: amount)
    }
}

extension Bitmap {
    /// The image plus `amount` times its difference from its blur by `sigma` pixels.
    func sharpened(sigma: Double, amount: Double, isLinear: Bool) throws(ImageError) -> Bitmap {
        guard sigma >= Self.smallestSigma else { return self }
        var result = try MutableBitmap(uninitialized: info)
        let (alpha, amount) = (alpha, Float(amount))
        guard format == .rgba16 || isLinear else {
            try FixedBlur(sigma: sigma, size: size, window: PixelRect(size)).draw(self, into: &result) {
                blurred, y, rows, index in
                var target = rows.row(index, as: RGBA8.self)
                BlurKernels.sharpen(
                    self.rows.row(y, as: RGBA8.self), blurred, amount: amount, isOpaque: alpha == .none, to: &target)
            }
            return result.freeze()
        }
        let blur = FloatBlur(sigma: sigma, size: size, window: PixelRect(size), isLinear: isLinear)
        try blur.draw(self, into: &result) { blurred, y, rows, index in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 4 * width) { memory in
                // There is room for the row's 4 × width values, and as many blurred ones.
                let values = memory.baseAddress!
                FloatRows.fill(values, from: self.rows, y, alpha: alpha, isLinear: isLinear)
                for x in stride(from: 0, to: 4 * width, by: 4) {
                    let around = blurred[x + 3] > 0 ? values[x + 3] / blurred[x + 3] : 1
                    for channel in x..<x + 3 {
                        values[channel] += amount * (values[channel] - blurred[channel] * around)
                    }
                }
                rows.finish(values, to: index, alpha: alpha, isLinear: isLinear)
            }
        }
        return result.freeze()
    }
}
