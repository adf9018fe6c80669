public import Raster

extension Effects {
    /// Lays a colour over the image within its shape: alpha is unchanged.
    ///
    /// An opaque colour in mode `normal` makes a silhouette; `multiply` colours a grey image. Composited as stored, not
    /// in linear light ("source atop" of W3C's Compositing and Blending Level 1).
    public struct Tint: PixelEffect, CodableEffect {
        /// The effect's name in recipes.
        public static let name = "tint"
        /// The colour, straight sRGB; its alpha is the strength.
        public var color: RGBA8
        /// How the two colours combine.
        public var blendMode: BlendMode

        /// Lays `color` over the image.
        public init(color: RGBA8, blendMode: BlendMode = .normal) {
            self.color = color
            self.blendMode = blendMode
        }

        /// Decodes the effect; the mode defaults to normal.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                color: try values.decode(RGBA8.self, forKey: .color),
                blendMode: try values.decode(.blendMode, else: .normal))
        }

        /// The effect's name and parameters.
        public var identity: EffectIdentity {
            EffectIdentity(Self.name, .color(color), .text(blendMode.rawValue))
        }

        func apply<P: WorkingPixel>(
            to bitmap: Bitmap, as type: P.Type, in context: EffectContext
        ) throws(ImageError) -> Bitmap {
            guard color.alpha > 0 else { return bitmap }
            if let matrix = blendMode.matrix(of: color) {
                return try bitmap.mapped(as: P.self, alpha: bitmap.alpha) { _, source, target in
                    P.transform(source, by: matrix, to: &target)
                }
            }
            return try bitmap.mapped(as: P.self, alpha: bitmap.alpha) { _, source, target in
                P.tint(source, with: color, mode: blendMode, to: &target)
            }
        }
    }
}

extension ImageEffect where Self == Effects.Tint {
    /// Lays a colour over the image within its shape.
    public static func tint(_ color: RGBA8, blendMode: BlendMode = .normal) -> Self {
        Self(color: color, blendMode: blendMode)
    }
}

extension BlendMode {
    /// The effect of laying `color` over an image, if it is a linear function for each channel.
    fileprivate func matrix(of color: RGBA8) -> PixelMatrix? {
        let alpha = Double(color.alpha) / 255
        let channels = [color.red, color.green, color.blue].map { channel -> (slope: Double, constant: Double)? in
            let share = Double(channel) / 255 * alpha
            return switch self {
            case .normal: (1 - alpha, share)
            case .multiply: (1 - alpha + share, 0)
            case .screen: (1 - share, share)
            case .exclusion: (1 - 2 * share, share)
            default: nil
            }
        }
        var values = [Double](repeating: 0, count: 20)
        for (index, channel) in channels.enumerated() {
            guard let channel else { return nil }
            values[6 * index] = channel.slope
            values[5 * index + 4] = channel.constant
        }
        values[18] = 1
        return PixelMatrix(values)
    }
}
