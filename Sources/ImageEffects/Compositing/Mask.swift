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
                isInverted: try values.decodeIfPresent(Bool.self, forKey: .isInverted) ?? false)
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
