public import Raster

extension Effects {
    /// Puts a reflection below the image.
    ///
    /// The reflection is that of `Reflected`, times an alpha, below a gap; the image stays in the middle of the
    /// canvas, which becomes higher above it by as much as below. A negative gap moves the reflection up and under the
    /// image.
    public struct Reflection: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "reflection"
        /// The reflection's height as a part of the image's, more than 0.
        public var scale: Double
        /// From the image's bottom edge to the reflection; may be negative.
        public var gap: Double
        /// What the reflection's alpha is multiplied by, 0 to 1.
        public var alpha: Double

        /// A reflection of `scale` times the image's height, `gap` below it, and `alpha` strong.
        public init(scale: Double, gap: Double = 0, alpha: Double = 1) {
            self.scale = scale
            self.gap = gap
            self.alpha = alpha
        }

        /// Reads the effect; there is no gap, and alpha is 1 by default.
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

        /// The image's width; its height, and twice the reflection's and the gap.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            try layout(of: size, in: context).canvas
        }

        /// Where everything goes, in rows of pixels.
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
            /// How the reflection fades out.
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
    /// Puts a reflection of `scale` times the image's height below it.
    public static func reflection(scale: Double, gap: Double = 0, alpha: Double = 1) -> Self {
        Self(scale: scale, gap: gap, alpha: alpha)
    }
}

extension Effects {
    /// Makes the image's reflection: upside down, fading out downwards.
    ///
    /// As high as `scale` times the image, rounded up to whole units of length, which are then as many pixels as the
    /// context says: with points of two pixels, a height of 5.5 points makes a reflection of 3 points, 6 pixels, at a
    /// scale of 0.5. Of R rows of pixels, row y is multiplied by 1 - (y + 0.5) / R. What a scale above 1 asks for beyond
    /// the image is transparent.
    public struct Reflected: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "reflected"
        /// The reflection's height as a part of the image's, more than 0.
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
    /// Makes the image's reflection, of `scale` times its height.
    public static func reflected(scale: Double) -> Self { Self(scale: scale) }
}

/// How a reflection fades out: from nearly its full alpha in the first row to nearly nothing in the last.
struct ReflectionRamp {
    /// Rows of pixels.
    let height: Int
    /// What all rows are multiplied by.
    let alpha: Double

    /// What row `y` is multiplied by.
    func factor(_ y: Int) -> Double { alpha * (1 - (Double(y) + 0.5) / Double(height)) }

    /// How many rows of pixels the reflection of an image of `height` rows has.
    /// - Throws: `invalidParameter` for a scale that isn't above 0, or makes no sense.
    static func height(of height: Int, scale: Double, in context: EffectContext) throws(ImageError) -> Int {
        guard scale > 0 else {
            throw ImageError(.invalidParameter, "a reflection's scale of \(scale) leaves nothing to be seen")
        }
        let units = Double(height) / context.pixelsPerUnit * scale
        // A hair above a whole number is what products of fractions come out at, and asks for no further row.
        let whole = max(1, (units * (1 - 1e-12)).rounded(.up))
        return max(1, try context.pixels(whole, "a reflection's height").snapped)
    }
}
