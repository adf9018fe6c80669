internal import Raster

/// What a view does to its picture: `FXImageView`'s effects, in its order, as a value.
///
/// The picture is cropped and scaled to the view's bounds, goes through the custom effect, gets round corners, a shadow
/// and a reflection. Lengths are in the units of the effects' options: points of the picture's scale unless said
/// otherwise.
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
    /// How the picture is laid out in the bounds; an axis along which it leaves room shrinks to the picture.
    public var contentMode: ContentMode
    /// What is done to the picture before anything but cropping and scaling. It can't be coded.
    public var custom: Effects.Custom?
    /// The radius of the corners; none at 0.
    public var cornerRadius: Double
    /// The shadow; none unless its colour can be seen and it has a blur or an offset.
    public var shadow: Effects.Shadow
    /// The reflection; none unless scale and alpha are above 0. Its gap is what is seen of it, below a shadow too.
    public var reflection: Effects.Reflection

    /// Effects for a view of `width` × `height`, which does nothing but crop and scale unless told to.
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

    /// The same as effects, the first to be applied first.
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

    /// Reads the effects; all but the bounds may be left out.
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

    /// Writes the effects.
    /// - Throws: `EncodingError` where there is a custom effect, which nothing can stand for.
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
    /// Whether any of it can be seen: its colour is, and it has a blur or an offset.
    public var isVisible: Bool { color.alpha > 0 && (blur != 0 || x != 0 || y != 0) }
}

extension Effects.Reflection {
    /// The same reflection of a picture that has `shadow`: the gap counts from the picture, not from the room that the
    /// shadow takes above and below it.
    public func below(_ shadow: Effects.Shadow) -> Effects.Reflection {
        let blur = shadow.border == .threeSigma ? 1.5 * shadow.blur : shadow.blur
        var reflection = self
        reflection.gap -= 2 * (shadow.y.magnitude + blur)
        return reflection
    }
}
