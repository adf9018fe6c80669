public import Raster

extension Effects {
    /// Draws text over the image.
    ///
    /// The text is an SVG drawing, which `EffectPicture`'s finder makes an image of: lines are shaped by the renderer's
    /// text layout, in any script, and wrapped if the lettering has a width. Text that is wider or higher than the image less its margins is reduced to fit.
    public struct Text: SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "text"
        /// The text with its font and colour.
        public let lettering: Lettering
        /// The text's place in the image, and the side at which its lines are aligned.
        public let gravity: Gravity
        /// The distance from the image's left or right edge, or to the right of the middle.
        public var x: Double
        /// The distance from the image's top or bottom edge, or downwards from the middle.
        public var y: Double
        private let drawing: EffectPicture
        private static let longestReduced = 16_384

        /// Draws `lettering`.
        ///
        /// - Parameter draw: Makes an image of an SVG document, as `Image(data:)` does.
        /// - Throws: The errors of `draw`; `invalidParameter` for text without visible characters or a size out of range.
        public init(
            _ lettering: Lettering, gravity: Gravity = .south, x: Double = 0, y: Double = 0,
            draw: (_ svg: String) throws(ImageError) -> Image
        ) throws(ImageError) {
            self.lettering = lettering
            self.gravity = gravity
            self.x = x
            self.y = y
            drawing = try lettering.picture(alignedBy: gravity, draw)
        }

        private enum CodingKeys: CodingKey {
            case text, font, size, color, width, gravity, x, y
        }

        /// Decodes the effect; only `text` is required. The image of the SVG document comes from the decoder's
        /// `userInfo[.effectPictures]`, whose reference begins with `<svg`.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            guard let find = decoder.userInfo[.effectPictures] as? EffectPicture.Finder else {
                throw DecodingError.dataCorruptedError(
                    forKey: .text, in: values,
                    debugDescription:
                        "no finder is set for drawings: userInfo[.effectPictures] is no EffectPicture.Finder")
            }
            try self.init(
                Lettering(
                    try values.decode(String.self, forKey: .text),
                    font: try values.decode(.font, else: Lettering.standardFont),
                    size: try values.decode(.size, else: Lettering.standardSize),
                    color: try values.decode(.color, else: Lettering.standardColor),
                    width: try values.decodeIfPresent(Double.self, forKey: .width)),
                gravity: try values.decode(.gravity, else: .south), x: try values.decode(.x, else: 0),
                y: try values.decode(.y, else: 0)
            ) { (svg) throws(ImageError) in
                do {
                    return try find(svg)
                } catch let error as ImageError {
                    throw error
                } catch {
                    throw ImageError(.unsupported, "the text can't be drawn: \(error)")
                }
            }
        }

        /// Encodes the effect without its drawing.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(lettering.text, forKey: .text)
            try values.encode(lettering.font, forKey: .font)
            try values.encode(lettering.size, forKey: .size)
            try values.encode(lettering.color, forKey: .color)
            try values.encodeIfPresent(lettering.width, forKey: .width)
            try values.encode(gravity, forKey: .gravity)
            try values.encode(x, forKey: .x)
            try values.encode(y, forKey: .y)
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(
                Self.name, .text(lettering.text), .text(lettering.font), .number(lettering.size),
                .color(lettering.color), .number(lettering.width ?? 0), .text(gravity.rawValue), .number(x), .number(y))
        }

        func check(in context: EffectContext) throws(ImageError) {
            _ = try context.pixels(x, "an x")
            _ = try context.pixels(y, "a y")
        }

        /// The image with the text.
        public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
            let own = drawing.image.size
            let inset = (abs(try context.pixels(x, "an x")), abs(try context.pixels(y, "a y")))
            let (width, height) = (Double(own.width), Double(own.height))
            // The room between the margins, which are there on both sides.
            let room = (Double(bitmap.width) - 2 * inset.0, Double(bitmap.height) - 2 * inset.1)
            let scale = min(context.pixelsPerUnit, max(1, room.0) / width, max(1, room.1) / height)
            let drawn = try context.snapped(width * scale, height * scale)
            // Letters are placed in whole pixels, which would make small ones wider than the room: the drawing is reduced
            // instead, unless it is too long for that.
            let isReduced = scale < 1 && own.width <= Self.longestReduced
            let upper =
                try isReduced ? drawing.image.bitmap() : drawing.image.bitmap(for: DecodingPlan(targetSize: drawn))
            let overlay = Overlay(
                EffectPicture(Image(upper), reference: drawing.reference), x: x, y: y,
                width: Double(drawn.width) / context.pixelsPerUnit,
                height: Double(drawn.height) / context.pixelsPerUnit,
                gravity: gravity)
            return try overlay.apply(to: bitmap, in: context)
        }
    }
}
