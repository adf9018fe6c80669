public import Raster

extension Effects {
    /// Adds a reflection below the image.
    ///
    /// The reflection is that of `Reflected`, times an alpha, below a gap. The image stays centred: the canvas grows
    /// above it as much as below. A negative gap moves the reflection up and under the image.
    public struct Reflection: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "reflection"
        /// The reflection's height as a fraction of the image's, above 0.
        public var scale: Double
        /// The distance from the image's bottom edge to the reflection; may be negative.
        public var gap: Double
        /// The factor of the reflection's alpha, 0 to 1.
        public var alpha: Double

        /// A reflection of `scale` times the image's height, `gap` below it, with opacity `alpha`.
        public init(scale: Double, gap: Double = 0, alpha: Double = 1) {
            self.scale = scale
            self.gap = gap
            self.alpha = alpha
        }

        /// Decodes the effect; the gap defaults to 0, alpha to 1.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                scale: try values.decode(Double.self, forKey: .scale), gap: try values.decode(.gap, else: 0),
                alpha: try values.decode(.alpha, else: 1))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .number(scale), .number(gap), .number(alpha))
        }

        /// The image's width; its height plus twice the sum of the reflection's height and the gap.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            try layout(of: size, in: context).canvas
        }

        /// The positions of image and reflection, in rows of pixels.
        func layout(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Layout {
            let ramp = ReflectionRamp(
                height: try ReflectionRamp.height(of: size.height, scale: scale, in: context),
                alpha: try context.fraction(alpha, "a reflection's alpha"))
            let gap = try context.pixels(gap, "a reflection's gap").snapped
            let canvas = PixelSize(width: size.width, height: size.height + 2 * (ramp.height + gap))
            try context.validated(canvas)
            return Layout(
                canvas: canvas, picture: ramp.height + gap, reflection: ramp.height + size.height + 2 * gap, ramp: ramp)
        }

        struct Layout {
            /// The result's size.
            var canvas: PixelSize
            /// The image's first row.
            var picture: Int
            /// The reflection's first row.
            var reflection: Int
            /// The reflection's fade.
            var ramp: ReflectionRamp
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            let layout = try layout(of: bitmap.size, in: context)
            let (height, isOpaque) = (bitmap.height, !bitmap.alpha.hasAlpha)
            let reflected = 0..<min(height, layout.ramp.height)
            return try bitmap.drawn(as: P.self, size: layout.canvas, alpha: .premultiplied) { y, target in
                let (upper, lower) = (y - layout.picture, y - layout.reflection)
                let hasPicture = (0..<height).contains(upper)
                switch (hasPicture, reflected.contains(lower)) {
                case (false, false): target.clear()
                case (true, let isOverlapped) where isOpaque || !isOverlapped:
                    target.copy(bitmap.rows.row(upper, as: P.self))
                case (_, _):
                    let mirrored = bitmap.rows.row(height - 1 - lower, as: P.self)
                    P.scale(mirrored, by: layout.ramp.factor(lower), to: &target)
                    if hasPicture {
                        P.lay(bitmap.rows.row(upper, as: P.self), opacity: 1, mode: .normal, over: &target, at: 0)
                    }
                }
            }
        }
    }
}

extension ImageEffect where Self == Effects.Reflection {
    /// Adds a reflection of `scale` times the image's height below it.
    public static func reflection(scale: Double, gap: Double = 0, alpha: Double = 1) -> Self {
        Self(scale: scale, gap: gap, alpha: alpha)
    }
}

extension Effects {
    /// Replaces the image by its reflection: upside down, fading out downwards.
    ///
    /// The height is `scale` times the image's, rounded up to whole units of length. For example, at two pixels to a
    /// point, an image 5.5 points high has a reflection of 3 points, or 6 pixels, at a scale of 0.5. Of R rows of
    /// pixels, row y is multiplied by 1 - (y + 0.5) / R. With a scale above 1 the rows beyond the image are
    /// transparent.
    public struct Reflected: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "reflected"
        /// The reflection's height as a fraction of the image's, above 0.
        public var scale: Double

        /// A reflection of `scale` times the image's height.
        public init(scale: Double) { self.scale = scale }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(scale)) }

        /// The image's width, the reflection's height.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            let height = try ReflectionRamp.height(of: size.height, scale: scale, in: context)
            return try context.validated(PixelSize(width: size.width, height: height))
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            let size = try resultSize(of: bitmap.size, in: context)
            let ramp = ReflectionRamp(height: size.height, alpha: 1)
            return try bitmap.drawn(as: P.self, size: size, alpha: .premultiplied) { y, target in
                guard y < bitmap.height else { return target.clear() }
                P.scale(bitmap.rows.row(bitmap.height - 1 - y, as: P.self), by: ramp.factor(y), to: &target)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Reflected {
    /// Replaces the image by its reflection, of `scale` times its height.
    public static func reflected(scale: Double) -> Self { Self(scale: scale) }
}

/// The fade of a reflection, from nearly its full alpha in the first row to nearly 0 in the last.
struct ReflectionRamp {
    /// The number of rows.
    let height: Int
    /// The factor of all rows.
    let alpha: Double

    /// The factor of row `y`.
    func factor(_ y: Int) -> Double { alpha * (1 - (Double(y) + 0.5) / Double(height)) }

    /// The number of rows of the reflection of an image of `height` rows.
    /// - Throws: `invalidParameter` for a scale that isn't above 0, or too large.
    static func height(of height: Int, scale: Double, in context: EffectContext) throws(ImageError) -> Int {
        guard scale > 0 else {
            throw ImageError(.invalidParameter, "invalid reflection scale \(scale): it must be above 0")
        }
        let units = Double(height) / context.pixelsPerUnit * scale
        // Products of fractions may come out slightly above an integer, which must not add a row.
        let whole = max(1, (units * (1 - 1e-12)).rounded(.up))
        return max(1, try context.pixels(whole, "a reflection's height").snapped)
    }
}
