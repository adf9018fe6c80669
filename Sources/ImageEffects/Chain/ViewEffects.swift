internal import Raster

/// The effects of a view on its image: those of `FXImageView`, in its order, as a value.
///
/// The image is cropped and scaled to the view's bounds, goes through the custom effect, and gets rounded corners, a
/// shadow and a reflection. Lengths are in the options' units, by default points of the image's scale.
///
/// ```swift
/// var effects = ViewEffects(width: 224, height: 186, contentMode: .aspectFit, cornerRadius: 10)
/// effects.shadow.blur = 5
/// let shown = try image.applying(effects.chain)
/// ```
public struct ViewEffects: Hashable, Sendable, Codable {
    /// The width of the view's bounds.
    public var width: Double
    /// The height of the view's bounds.
    public var height: Double
    /// How the image fits into the bounds; an axis along which it leaves room shrinks to the image.
    public var contentMode: ContentMode
    /// An effect applied after cropping and scaling, before the others. It can't be encoded.
    public var custom: Effects.Custom?
    /// The radius of the corners; 0 for none.
    public var cornerRadius: Double
    /// The shadow; visible if its colour is and it has a blur or an offset.
    public var shadow: Effects.Shadow
    /// The reflection; none unless scale and alpha are above 0. Its gap is the visible one, below a shadow too.
    public var reflection: Effects.Reflection

    /// Effects for a view of `width` × `height`, which by default only crop and scale.
    public init(
        width: Double, height: Double, contentMode: ContentMode = .scaleToFill, custom: Effects.Custom? = nil,
        cornerRadius: Double = 0, shadow: Effects.Shadow = Effects.Shadow(),
        reflection: Effects.Reflection = Effects.Reflection(scale: 0, gap: 0, alpha: 0)
    ) {
        self.width = width
        self.height = height
        self.contentMode = contentMode
        self.custom = custom
        self.cornerRadius = cornerRadius
        self.shadow = shadow
        self.reflection = reflection
    }

    /// The effects as a chain.
    public var chain: EffectChain {
        var chain: EffectChain = [.cropAndScale(width: width, height: height, contentMode: contentMode)]
        if let custom { chain.effects.append(custom) }
        if cornerRadius != 0 { chain.effects.append(.cornerRadius(cornerRadius)) }
        if shadow.isVisible { chain.effects.append(shadow) }
        if reflection.scale != 0, reflection.alpha != 0 {
            chain.effects.append(shadow.isVisible ? reflection.below(shadow) : reflection)
        }
        return chain
    }
}

extension ViewEffects {
    private enum CodingKeys: String, CodingKey {
        case width, height, contentMode, cornerRadius, shadow, reflection
    }

    /// Decodes the effects; only `width` and `height` are required.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            width: try values.decode(Double.self, forKey: .width),
            height: try values.decode(Double.self, forKey: .height))
        contentMode = try values.decode(.contentMode, else: contentMode)
        cornerRadius = try values.decode(.cornerRadius, else: cornerRadius)
        shadow = try values.decode(.shadow, else: shadow)
        reflection = try values.decode(.reflection, else: reflection)
    }

    /// Encodes the effects.
    /// - Throws: `EncodingError` if there is a custom effect.
    public func encode(to encoder: any Encoder) throws {
        if let custom {
            throw EncodingError.invalidValue(
                custom,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "the custom effect \"\(custom.identifier)\" can't be coded"))
        }
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(width, forKey: .width)
        try values.encode(height, forKey: .height)
        try values.encode(contentMode, forKey: .contentMode)
        try values.encode(cornerRadius, forKey: .cornerRadius)
        try values.encode(shadow, forKey: .shadow)
        try values.encode(reflection, forKey: .reflection)
    }
}

extension Effects.Shadow {
    /// Whether the shadow is visible: its colour is, and it has a blur or an offset.
    var isVisible: Bool { color.alpha > 0 && (blur != 0 || x != 0 || y != 0) }
}

extension Effects.Reflection {
    /// The same reflection for an image with `shadow`: the gap counts from the image, not from the room that the shadow
    /// takes above and below it.
    package func below(_ shadow: Effects.Shadow) -> Effects.Reflection {
        let blur = shadow.border == .threeSigma ? 1.5 * shadow.blur : shadow.blur
        var reflection = self
        reflection.gap -= 2 * (shadow.y.magnitude + blur)
        return reflection
    }
}
