public import Raster

extension Effects {
    /// Cuts a rectangle out of the image; it may extend beyond the image.
    public struct Crop: PlacedEffect, CodableEffect {
        /// The content of the result where the rectangle extends beyond the image.
        public enum Outside: String, Hashable, Sendable, Codable, CaseIterable {
            /// Transparent padding.
            case transparent
            /// The image's edge pixels, repeated.
            case clamped
            /// None: the result is the intersection of rectangle and image.
            case intersected
        }

        /// The effect's name in recipes.
        public static let name = "crop"
        /// The distance from the edge of the image that `gravity` names to the rectangle's.
        public var x: Double
        /// The distance from the edge of the image that `gravity` names to the rectangle's.
        public var y: Double
        /// The rectangle's width.
        public var width: Double
        /// The rectangle's height.
        public var height: Double
        /// The content of the result outside the image.
        public var outside: Outside
        /// The corner, side or middle from which `x` and `y` count.
        public var gravity: Gravity

        /// Cuts out a rectangle of `width` × `height` at (`x`, `y`) from a corner, side or middle.
        public init(
            x: Double, y: Double, width: Double, height: Double, outside: Outside = .transparent,
            gravity: Gravity = .northwest
        ) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
            self.outside = outside
            self.gravity = gravity
        }

        /// Decodes the effect; `outside` defaults to `transparent`, `gravity` to `northwest`.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                x: try values.decode(Double.self, forKey: .x), y: try values.decode(Double.self, forKey: .y),
                width: try values.decode(Double.self, forKey: .width),
                height: try values.decode(Double.self, forKey: .height),
                outside: try values.decode(.outside, else: .transparent),
                gravity: try values.decode(.gravity, else: .northwest))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                Self.name, .number(x), .number(y), .number(width), .number(height), .text(outside.rawValue),
                .text(gravity.rawValue))
        }

        /// The rectangle of an image of `size`, in whole pixels.
        private func rect(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelRect {
            let extent = try context.pixelSize(width, height)
            let origin = (try context.pixels(x, "an x"), try context.pixels(y, "a y"))
            let rounded = try context.unlimited(extent.width, extent.height)
            let place = gravity.origin(of: rounded, in: size, x: origin.0.snapped, y: origin.1.snapped)
            return PixelRect(x: place.x, y: place.y, size: rounded)
        }

        func place(_ size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement {
            let rect = try rect(of: size, in: context)
            let place = PixelRect(x: -rect.x, y: -rect.y, size: size)
            var placement = Placement(canvas: rect.size, of: size, at: place)
            if outside == .intersected {
                guard !placement.destination.isEmpty else {
                    throw ImageError(
                        .invalidParameter,
                        "the rectangle \(rect.size) at (\(rect.x), \(rect.y)) lies outside the image of \(size)"
                    )
                }
                placement.canvas = placement.destination.size
                placement.destination = PixelRect(placement.canvas)
            }
            try context.validated(placement.canvas)
            return placement
        }

        /// The image's placement; nil if edge pixels must be repeated.
        public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? {
            let placement = try place(size, in: context)
            return outside == .clamped && !placement.fillsCanvas ? nil : placement
        }

        /// The rectangle's size, or that of its intersection with the image.
        public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
            try place(size, in: context).canvas
        }

        /// The rectangle's pixels.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let placement = try place(bitmap.size, in: context)
            guard outside == .clamped, !placement.fillsCanvas else {
                return try placement.draw(bitmap, options: context.options)
            }
            return try bitmap.clamped(to: try rect(of: bitmap.size, in: context))
        }
    }
}

extension ImageEffect where Self == Effects.Crop {
    /// Cuts a rectangle out of the image.
    public static func crop(
        x: Double, y: Double, width: Double, height: Double, outside: Effects.Crop.Outside = .transparent,
        gravity: Gravity = .northwest
    ) -> Self {
        Self(x: x, y: y, width: width, height: height, outside: outside, gravity: gravity)
    }
}
