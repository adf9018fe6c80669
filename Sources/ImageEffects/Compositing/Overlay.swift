public import Raster

extension Effects {
    /// Lays another image over this one.
    ///
    /// The canvas keeps the size of the lower image and cuts off the other. Composited as stored, not in linear light,
    /// by W3C's Compositing and Blending Level 1.
    public struct Overlay: PixelEffect, SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "overlay"
        /// The upper image.
        public var picture: EffectPicture
        /// The distance from the edge of this image that `gravity` names to the other's; may be negative.
        public var x: Double
        /// The distance from the edge of this image that `gravity` names to the other's; may be negative.
        public var y: Double
        /// The width at which the upper image is drawn; nil for its own, or in proportion to `height`.
        public var width: Double?
        /// The height at which the upper image is drawn; nil for its own, or in proportion to `width`.
        public var height: Double?
        /// The factor of the upper image's alpha, 0 to 1.
        public var opacity: Double
        /// How the colours combine where the images overlap.
        public var blendMode: BlendMode
        /// The corner, side or middle from which `x` and `y` count.
        public var gravity: Gravity

        /// Lays `picture` over the image, at (`x`, `y`) from a corner, side or middle.
        public init(
            _ picture: EffectPicture, x: Double = 0, y: Double = 0, width: Double? = nil, height: Double? = nil,
            opacity: Double = 1, blendMode: BlendMode = .normal, gravity: Gravity = .northwest
        ) {
            self.picture = picture
            self.x = x
            self.y = y
            self.width = width
            self.height = height
            self.opacity = opacity
            self.blendMode = blendMode
            self.gravity = gravity
        }

        /// Decodes the effect; only `picture` is required.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try values.decode(EffectPicture.self, forKey: .picture), x: try values.decode(.x, else: 0),
                y: try values.decode(.y, else: 0), width: try values.decodeIfPresent(Double.self, forKey: .width),
                height: try values.decodeIfPresent(Double.self, forKey: .height),
                opacity: try values.decode(.opacity, else: 1), blendMode: try values.decode(.blendMode, else: .normal),
                gravity: try values.decode(.gravity, else: .northwest))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                Self.name, .text(picture.reference), .number(x), .number(y), width.map { .number($0) } ?? .flag(false),
                height.map { .number($0) } ?? .flag(false), .number(opacity), .text(blendMode.rawValue),
                .text(gravity.rawValue))
        }

        func check(in context: EffectContext) throws(ImageError) {
            try context.fraction(opacity, "an opacity")
            _ = try rect(on: PixelSize(width: 1, height: 1), in: context)
        }

        /// The upper image's rectangle on `canvas`, in whole pixels.
        private func rect(on canvas: PixelSize, in context: EffectContext) throws(ImageError) -> PixelRect {
            let origin = (try context.pixels(x, "an x"), try context.pixels(y, "a y"))
            let own = picture.image.size
            let (ownWidth, ownHeight) = (Double(own.width), Double(own.height))
            let drawn: PixelSize
            switch (width, height) {
            case (let width?, let height?):
                let wanted = try context.pixelSize(width, height)
                drawn = try context.snapped(wanted.width, wanted.height)
            case (let width?, nil):
                let wanted = try context.pixelSize(width, 1).width
                drawn = try context.snapped(wanted, wanted / ownWidth * ownHeight)
            case (nil, let height?):
                let wanted = try context.pixelSize(1, height).height
                drawn = try context.snapped(wanted / ownHeight * ownWidth, wanted)
            case (nil, nil):
                // An image of two pixels to a point keeps its size in points, unless lengths are in pixels.
                let step = context.options.units == .pixels ? 1 : context.pixelsPerUnit / picture.image.scale
                drawn = try context.snapped(ownWidth * step, ownHeight * step)
            }
            let place = gravity.origin(of: drawn, in: canvas, x: origin.0.snapped, y: origin.1.snapped)
            return PixelRect(x: place.x, y: place.y, size: drawn)
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            let opacity = try context.fraction(opacity, "an opacity")
            let upper = try picture.bitmap().working(context.options.bitsPerChannel)
            var placement = Placement(canvas: bitmap.size, of: upper.size, at: try rect(on: bitmap.size, in: context))
            let place = placement.destination
            guard !place.isEmpty, opacity > 0 else { return bitmap }
            placement.canvas = place.size
            placement.destination = PixelRect(place.size)
            let drawn = try placement.draw(upper, options: context.options)
            return try bitmap.mapped(as: P.self, alpha: bitmap.alpha) { y, source, target in
                target.copy(source)
                guard y >= place.y, y < place.y + place.height else { return }
                let row = drawn.rows.row(y - place.y, as: P.self)
                P.lay(row, opacity: opacity, mode: blendMode, over: &target, at: place.x)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Overlay {
    /// Lays another image over this one, at (`x`, `y`) from a corner, side or middle.
    public static func overlay(
        _ picture: EffectPicture, x: Double = 0, y: Double = 0, width: Double? = nil, height: Double? = nil,
        opacity: Double = 1, blendMode: BlendMode = .normal, gravity: Gravity = .northwest
    ) -> Self {
        Self(
            picture, x: x, y: y, width: width, height: height, opacity: opacity, blendMode: blendMode, gravity: gravity)
    }
}

extension Effects {
    /// Composites the image onto a colour.
    ///
    /// Composited as stored, not in linear light, as on the web. On an opaque colour the result is opaque.
    public struct Flatten: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "flatten"
        /// The colour, straight sRGB.
        public var color: RGBA8

        /// Composites the image onto `color`.
        public init(color: RGBA8 = RGBA8(255, 255, 255)) { self.color = color }

        /// Decodes the effect; the colour defaults to white.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(color: try values.decode(.color, else: RGBA8(255, 255, 255)))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .color(color)) }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            guard bitmap.alpha.hasAlpha else { return bitmap }
            let background = P(premultiplying: color)
            return try bitmap.mapped(as: P.self, alpha: color.alpha == 255 ? .none : .premultiplied) {
                P.lay($1, on: background, to: &$2)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Flatten {
    /// Composites the image onto a colour.
    public static func flatten(on color: RGBA8 = RGBA8(255, 255, 255)) -> Self { Self(color: color) }
}
