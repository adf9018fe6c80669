public import Raster

extension Effects {
    /// Puts the image on a larger canvas.
    ///
    /// A side that is as long as the canvas's already, or longer, stays as it is: nothing is cut off.
    public struct Extend: CodableEffect {
        /// The effect's name in recipes.
        public static let name = "extend"
        /// The least width of the result.
        public var width: Double
        /// The least height of the result.
        public var height: Double
        /// The canvas's colour, straight sRGB, on which the image is laid; transparent for none.
        public var color: RGBA8
        /// The image's place on the canvas.
        public var gravity: Gravity

        /// Makes the image at least `width` × `height`.
        public init(
            width: Double, height: Double, color: RGBA8 = RGBA8(0, 0, 0, 0), gravity: Gravity = .center
        ) {
            self.width = width
            self.height = height
            self.color = color
            self.gravity = gravity
        }

        /// Decodes the effect; it defaults to a transparent canvas with the image in the middle.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                width: try values.decode(Double.self, forKey: .width),
                height: try values.decode(Double.self, forKey: .height),
                color: try values.decode(.color, else: RGBA8(0, 0, 0, 0)),
                gravity: try values.decode(.gravity, else: .center))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .number(width), .number(height), .color(color), .text(gravity.rawValue))
        }

        private func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            let wanted = try context.pixelSize(width, height)
            let least = try context.snapped(wanted.width, wanted.height)
            let canvas = try context.validated(
                PixelSize(width: max(least.width, size.width), height: max(least.height, size.height)))
            let origin = gravity.origin(of: size, in: canvas, x: 0, y: 0)
            return Placement(canvas: canvas, of: size, at: PixelRect(x: origin.x, y: origin.y, size: size))
        }

        /// The canvas's size.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            try place(size, in: context).canvas
        }

        /// The image's placement on a transparent canvas; nil on a colour.
        public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? {
            color.alpha == 0 ? try place(size, in: context) : nil
        }

        /// The image on the canvas.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let extended = try place(bitmap.size, in: context).draw(bitmap, options: context.options)
            return color.alpha == 0 ? extended : try Flatten(color: color).apply(to: extended, in: context)
        }
    }
}

extension ImageEffect where Self == Effects.Extend {
    /// Puts the image on a canvas of at least `width` × `height`.
    public static func extend(
        width: Double, height: Double, color: RGBA8 = RGBA8(0, 0, 0, 0), gravity: Gravity = .center
    ) -> Self {
        Self(width: width, height: height, color: color, gravity: gravity)
    }
}
