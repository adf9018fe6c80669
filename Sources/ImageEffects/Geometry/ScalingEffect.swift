internal import Raster

extension Effects {
    /// Stretches the image to exactly a size.
    public struct Scale: ScalingEffect {
        /// The effect's name in recipes.
        public static let name = "scale"
        /// The target width.
        public var width: Double
        /// The target height.
        public var height: Double

        /// Stretches to `width` × `height`.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            let canvas = try canvas(in: context)
            return Placement(canvas: canvas, of: size, at: PixelRect(canvas))
        }
    }

    /// Scales the image, up or down, to the largest size of its proportions within bounds.
    public struct ScaleToFit: ScalingEffect {
        /// The effect's name in recipes.
        public static let name = "scaleToFit"
        /// The width of the bounds.
        public var width: Double
        /// The height of the bounds.
        public var height: Double

        /// Fits the image into `width` × `height`.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            try place(size, in: context, covering: false)
        }
    }

    /// Scales the image, up or down, until it covers a size, and crops it to that size, centred.
    public struct ScaleToFill: ScalingEffect {
        /// The effect's name in recipes.
        public static let name = "scaleToFill"
        /// The target width.
        public var width: Double
        /// The target height.
        public var height: Double

        /// Fills `width` × `height`.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            let canvas = try canvas(in: context)
            let (w, h) = (Double(size.width), Double(size.height))
            // The part of the image with the canvas's proportions, so that nothing is stretched.
            let step = min(w / Double(canvas.width), h / Double(canvas.height))
            let (width, height) = (min(w, Double(canvas.width) * step), min(h, Double(canvas.height) * step))
            let source = PixelRegion(x: (w - width) / 2, y: (h - height) / 2, width: width, height: height)
            return Placement(canvas: canvas, source: source, destination: PixelRect(canvas))
        }
    }

    /// Scales the image, up or down, to the smallest size of its proportions that covers bounds.
    public struct Cover: ScalingEffect {
        /// The effect's name in recipes.
        public static let name = "cover"
        /// The width of the bounds.
        public var width: Double
        /// The height of the bounds.
        public var height: Double

        /// Covers `width` × `height`; one side may be larger.
        public init(width: Double, height: Double) {
            self.width = width
            self.height = height
        }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            try place(size, in: context, covering: true)
        }
    }
}

/// An effect that scales the image by a width and a height.
protocol ScalingEffect: PlacedEffect, CodableEffect {
    var width: Double { get }
    var height: Double { get }
}

extension ScalingEffect {
    /// The effect's name and parameters.
    public var identity: EffectIdentity { EffectIdentity(Self.name, .number(width), .number(height)) }

    /// Width and height, rounded to whole pixels.
    fileprivate func canvas(in context: EffectContext) throws(ImageError) -> PixelSize {
        let wanted = try context.pixelSize(width, height)
        return try context.snapped(wanted.width, wanted.height)
    }

    /// Scales an image of `size` in its proportions until one side equals that of the bounds: within them, or with
    /// `covering` around them.
    fileprivate func place(
        _ size: PixelSize, in context: EffectContext, covering: Bool
    ) throws(ImageError) -> Placement {
        let bounds = try context.pixelSize(width, height)
        let aspect = Double(size.width) / Double(size.height)
        let height = bounds.width / aspect
        let isWidthReached = covering ? height >= bounds.height : height <= bounds.height
        let canvas =
            isWidthReached
            ? try context.snapped(bounds.width, height)
            : try context.snapped(bounds.height * aspect, bounds.height)
        return Placement(canvas: canvas, of: size, at: PixelRect(canvas))
    }
}

extension ImageEffect where Self == Effects.Scale {
    /// Stretches the image to exactly a size.
    public static func scale(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}

extension ImageEffect where Self == Effects.ScaleToFit {
    /// Scales the image, up or down, to the largest size of its proportions within bounds.
    public static func scaleToFit(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}

extension ImageEffect where Self == Effects.ScaleToFill {
    /// Scales the image, up or down, until it covers a size, and crops it to that size, centred.
    public static func scaleToFill(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}

extension ImageEffect where Self == Effects.Cover {
    /// Scales the image, up or down, to the smallest size of its proportions that covers bounds.
    public static func cover(width: Double, height: Double) -> Self { Self(width: width, height: height) }
}
