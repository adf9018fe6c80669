internal import Raster

/// A chain is coded as a recipe: an array with an object for each effect, its one key the effect's name.
///
/// ```json
/// [{"scaleToFit": {"width": 800, "height": 600}}, {"cornerRadius": {"radius": 20}}]
/// ```
///
/// Effects of your own have no name here: encoding a chain with one of those is an error.
extension EffectChain: Codable {
    /// Reads a recipe.
    /// - Throws: `DecodingError` for an effect that there isn't, or one that makes no sense.
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

    /// Writes a recipe.
    /// - Throws: `EncodingError` for an effect that has no place in one.
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
