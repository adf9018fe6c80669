internal import Raster

extension Effects {
    /// Keeps the image where a grey mask is white, and makes it transparent where the mask is black.
    ///
    /// The mask is stretched over the whole image. A mask with colours counts by its luma (Rec. 601), one with alpha as
    /// if on black, so that its transparent parts remove the image. Masks are never scaled in linear light.
    public struct Mask: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "mask"
        /// The mask, an image of any size.
        public var picture: EffectPicture
        /// Whether black keeps and white removes instead.
        public var isInverted: Bool

        /// Keeps the parts where `picture` is white, or with `isInverted` black.
        public init(_ picture: EffectPicture, isInverted: Bool = false) {
            self.picture = picture
            self.isInverted = isInverted
        }

        /// Decodes the effect; `inverted` defaults to false.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try values.decode(EffectPicture.self, forKey: .picture),
                isInverted: try values.decode(.isInverted, else: false))
        }

        private enum CodingKeys: String, CodingKey {
            case picture
            case isInverted = "inverted"
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .text(picture.reference), .flag(isInverted))
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            let mask = try picture.bitmap()
                .converted(to: P.Gray.format, alpha: AlphaMode.none, background: RGBA8(0, 0, 0))
                .resampled(to: bitmap.size, filter: context.options.filter)
            return try bitmap.mapped(as: P.self, alpha: .premultiplied) { y, source, target in
                P.mask(source, by: mask.rows.row(y, as: P.Gray.self), isInverted: isInverted, to: &target)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Mask {
    /// Keeps the image where a grey mask, stretched over it, is white, or with `isInverted` black.
    public static func mask(_ picture: EffectPicture, isInverted: Bool = false) -> Self {
        Self(picture, isInverted: isInverted)
    }
}

extension Effects {
    /// Makes an opaque grey image of the alpha: the mask that keeps the image's opaque parts.
    public struct MaskFromAlpha: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "maskFromAlpha"

        /// White where the image is opaque, black where it is transparent.
        public init() {}

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name) }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            try bitmap.mapped(as: P.self, alpha: .none) { _, source, target in P.showAlpha(of: source, to: &target) }
        }
    }
}

extension ImageEffect where Self == Effects.MaskFromAlpha {
    /// Makes an opaque grey image of the image's alpha, for use with `mask(_:isInverted:)`.
    public static var maskFromAlpha: Self { Self() }
}

extension Effects {
    /// Multiplies the image's alpha by a factor of at most 1.
    public struct Opacity: PixelEffect, SizeKeepingEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "opacity"
        /// The factor, 0 to 1.
        public var alpha: Double

        /// Multiplies by `alpha`.
        public init(_ alpha: Double) { self.alpha = alpha }

        /// The effect's name and parameters.
        public var identity: EffectIdentity { EffectIdentity(Self.name, .number(alpha)) }

        func check(in context: EffectContext) throws(ImageError) { try context.fraction(alpha, "an opacity") }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            let alpha = try context.fraction(alpha, "an opacity")
            guard alpha < 1 else { return bitmap }
            return try bitmap.mapped(as: P.self, alpha: .premultiplied) { _, source, target in
                P.scale(source, by: alpha, to: &target)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Opacity {
    /// Multiplies the image's alpha by a factor from 0 to 1.
    public static func opacity(_ alpha: Double) -> Self { Self(alpha) }
}
