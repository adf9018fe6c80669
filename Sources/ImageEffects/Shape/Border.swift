public import Raster

extension Effects {
    /// Draws a line along the inside of the picture's edge.
    ///
    /// With a radius the line follows round corners, and what lies beyond them goes: where the corners were rounded by the
    /// same radius before, that changes nothing. Where the line is partly transparent, the picture shows through it.
    /// Colours are mixed as stored values.
    public struct Border: CodableEffect {
        /// `border`.
        public static let name = "border"
        /// The line's colour.
        public var color: RGBA8
        /// The line's width, rounded to whole pixels, at least one unless it is 0.
        public var width: Double
        /// The radius of the line's outer corners; one larger than half the picture's shorter side counts as that.
        public var radius: Double

        /// A line of `color` and `width` around corners of `radius`.
        public init(color: RGBA8 = RGBA8(0, 0, 0), width: Double = 1, radius: Double = 0) {
            self.color = color
            self.width = width
            self.radius = radius
        }

        /// Reads the effect; the line is black and 1 wide and the corners aren't round unless said otherwise.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                color: try values.decodeIfPresent(RGBA8.self, forKey: .color) ?? RGBA8(0, 0, 0),
                width: try values.decodeIfPresent(Double.self, forKey: .width) ?? 1,
                radius: try values.decodeIfPresent(Double.self, forKey: .radius) ?? 0)
        }

        /// The name and the parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .color(color), .number(width), .number(radius))
        }

        private func lengths(in context: EffectContext) throws(ImageError) -> (width: Int, radius: Double) {
            let width = try context.nonNegativePixels(width, "a border")
            return (width > 0 ? max(1, width.snapped) : 0, try context.nonNegativePixels(radius, "a corner radius"))
        }

        /// The picture's size, once the parameters make sense.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            _ = try lengths(in: context)
            return size
        }

        /// The picture with the line.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let (width, radius) = try lengths(in: context)
            return try bitmap.bordered(color, width: width, radius: radius)
        }
    }
}

extension ImageEffect where Self == Effects.Border {
    /// Draws a line along the inside of the picture's edge.
    public static func border(color: RGBA8 = RGBA8(0, 0, 0), width: Double = 1, radius: Double = 0) -> Self {
        Self(color: color, width: width, radius: radius)
    }
}
