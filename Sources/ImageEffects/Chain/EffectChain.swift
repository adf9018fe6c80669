public import Raster

/// A sequence of effects, planned and applied as one.
///
/// ```swift
/// let card: EffectChain = [.scaleToFit(width: 800, height: 600), .cornerRadius(20), .shadow(blur: 12)]
/// let result = try image.applying(card)
/// ```
public struct EffectChain: ImageEffect, ExpressibleByArrayLiteral {
    /// The effects in the order in which they are applied.
    public var effects: [any ImageEffect]

    /// A chain of `effects`.
    public init(_ effects: [any ImageEffect] = []) {
        self.effects = effects
    }

    /// A chain of `effects`.
    public init(arrayLiteral effects: any ImageEffect...) {
        self.init(effects)
    }

    /// The effects' identities in order. A nested chain counts as its effects.
    public var identity: EffectIdentity { EffectIdentity("chain", steps.map(\.identity)) }

    /// All effects, including those of nested chains.
    var steps: [any ImageEffect] {
        effects.flatMap { ($0 as? EffectChain)?.steps ?? [$0] }
    }

    /// Whether both chains have the same effects with the same parameters.
    public static func == (a: EffectChain, b: EffectChain) -> Bool { a.identity == b.identity }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    /// The size after the last effect.
    public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
        var size = size
        for effect in effects { size = try effect.resultSize(of: size, in: context) }
        return size
    }

    /// The effect's placement for a chain of one; nil for others, whose placement `plan(for:in:)` computes.
    public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? {
        effects.count == 1 ? try effects[0].placement(of: size, in: context) : nil
    }

    /// Applies the effects in order.
    public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
        var bitmap = bitmap
        for effect in effects { bitmap = try effect.apply(to: bitmap, in: context) }
        return bitmap
    }
}

/// Coded as a recipe: an array with an object for each effect, whose single key is the effect's name.
///
/// ```json
/// [{"scaleToFit": {"width": 800, "height": 600}}, {"cornerRadius": {"radius": 20}}]
/// ```
///
/// Custom effects have no name in recipes: encoding a chain with one throws an error.
extension EffectChain: Codable {
    /// Decodes a recipe.
    /// - Throws: `DecodingError` for an unknown effect or invalid parameters.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        var effects: [any ImageEffect] = []
        while !list.isAtEnd {
            let entry = try list.nestedContainer(keyedBy: EffectName.self)
            guard entry.allKeys.count == 1, let name = entry.allKeys.first else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: entry.codingPath,
                        debugDescription: "an effect is an object with one key, its name"))
            }
            guard let type = Effects.codable.first(where: { $0.name == name.stringValue }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: name, in: entry, debugDescription: "there is no effect called \"\(name.stringValue)\"")
            }
            effects.append(try Self.decode(type, from: entry, forKey: name))
        }
        self.init(effects)
    }

    private static func decode<Effect: CodableEffect>(
        _ type: Effect.Type, from entry: KeyedDecodingContainer<EffectName>, forKey name: EffectName
    ) throws -> any ImageEffect {
        try entry.decode(type, forKey: name)
    }

    /// Encodes a recipe.
    /// - Throws: `EncodingError` for an effect that can't be encoded.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for effect in steps {
            guard let effect = effect as? any CodableEffect else {
                throw EncodingError.invalidValue(
                    effect,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "the effect \"\(effect.identity.name)\" has no place in a recipe"))
            }
            var entry = list.nestedContainer(keyedBy: EffectName.self)
            try Self.encode(effect, to: &entry)
        }
    }

    private static func encode<Effect: CodableEffect>(
        _ effect: Effect, to entry: inout KeyedEncodingContainer<EffectName>
    ) throws {
        try entry.encode(effect, forKey: EffectName(stringValue: Effect.name))
    }

    private struct EffectName: CodingKey {
        let stringValue: String
        init(stringValue: String) { self.stringValue = stringValue }
        var intValue: Int? { nil }
        init?(intValue: Int) { nil }
    }
}

extension Image {
    /// The image after `effects`, upright, at the scale that lengths refer to.
    ///
    /// A deferred image is decoded no larger than the effects need, and a drawing is rasterised at the size of the
    /// first change of size. Colours given to effects are sRGB, so the image's profile should be sRGB too, as it is
    /// unless a decoder was set to keep another. The result has the image's gain map only if every effect keeps it
    /// (`EffectChain.gainMap(_:for:in:)`).
    /// - Throws: `invalidParameter` or `limitExceeded`, before decoding, if the effects aren't valid for the image; the
    ///   decoder's errors; `outOfMemory`.
    public func applying(
        _ effects: any ImageEffect..., options: EffectOptions = EffectOptions()
    ) throws(ImageError) -> Image {
        try applying(EffectChain(effects), options: options)
    }

    /// The image after all of `chain`; as `applying(_:options:)`.
    public func applying(_ chain: EffectChain, options: EffectOptions = EffectOptions()) throws(ImageError) -> Image {
        let context = try EffectContext(options: options, scale: scale)
        let result = if case .pointsOf(let explicit) = options.units { explicit } else { scale }
        let plan = try chain.plan(for: size, in: context, magnification: result / scale, isVector: isVector)
        // Only one orientation can be taken into account; for an image that was turned twice, the second is right more
        // often.
        let turned = orientation == .up ? decodedOrientation : orientation
        let image = Image(try plan.apply(to: bitmap(for: plan.decoding), turnedBy: turned), scale: result)
        guard let map = gainMap else { return image }
        let counted =
            result == scale
            ? size : try context.unlimited(Double(size.width) * result / scale, Double(size.height) * result / scale)
        return image.withGainMap(try chain.gainMap(map, for: counted, in: context))
    }
}
