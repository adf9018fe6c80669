internal import Raster

extension Effects {
    /// Keeps what a grey picture shows white and takes away what it shows black.
    ///
    /// The mask is stretched over the whole picture. A mask with colours counts by its luma (Rec. 601); one with alpha
    /// of its own counts as if it lay on black, so that what is transparent is taken away. Masks are no light: they are
    /// never scaled in linear light.
    public struct Mask: PixelEffect, CodableEffect {
        /// What recipes call the effect.
        public static let name = "mask"
        /// The mask.
        public var picture: EffectPicture
        /// Whether black keeps and white takes away instead.
        public var isInverted: Bool

        /// Keeps what is white in `picture`, or what is black where `isInverted`.
        public init(_ picture: EffectPicture, isInverted: Bool = false) {
            self.picture = picture
            self.isInverted = isInverted
        }

        /// Reads the effect; it isn't inverted unless said otherwise.
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
    /// Keeps what a grey picture, stretched over this one, shows white; black where `isInverted`.
    public static func mask(_ picture: EffectPicture, isInverted: Bool = false) -> Self {
        Self(picture, isInverted: isInverted)
    }
}

extension Effects {
    /// Makes the mask that keeps what is opaque in the picture: an opaque grey picture of its alpha.
    public struct MaskFromAlpha: PixelEffect, CodableEffect {
        /// What recipes call the effect.
        public static let name = "maskFromAlpha"

        /// White where the picture is opaque, black where it's transparent.
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
    /// Makes an opaque grey picture of the picture's alpha, to be used with `mask(_:isInverted:)`.
    public static var maskFromAlpha: Self { Self() }
}

extension Effects {
    /// Multiplies the picture's alpha by a factor, so that it becomes more transparent, never less.
    public struct Opacity: PixelEffect, SizeKeepingEffect, CodableEffect {
        /// What recipes call the effect.
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
    /// Multiplies the picture's alpha by a factor of 0 to 1.
    public static func opacity(_ alpha: Double) -> Self { Self(alpha) }
}
