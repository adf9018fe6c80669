public import Raster

/// Effects one after the other, planned and applied as one.
///
/// ```swift
/// let card: EffectChain = [.scaleToFit(width: 800, height: 600), .cornerRadius(20), .shadow(blur: 12)]
/// let result = try image.applying(card)
/// ```
public struct EffectChain: ImageEffect, ExpressibleByArrayLiteral {
    /// The effects, the first to be applied first.
    public var effects: [any ImageEffect]

    /// A chain of `effects`.
    public init(_ effects: [any ImageEffect] = []) {
        self.effects = effects
    }

    /// A chain of `effects`.
    public init(arrayLiteral effects: any ImageEffect...) {
        self.init(effects)
    }

    /// The effects' identities in their order. A chain within a chain counts as its effects.
    public var identity: EffectIdentity { EffectIdentity("chain", steps.map(\.identity)) }

    /// All effects, those of chains within the chain too.
    var steps: [any ImageEffect] {
        effects.flatMap { ($0 as? EffectChain)?.steps ?? [$0] }
    }

    /// Whether both do the same.
    public static func == (a: EffectChain, b: EffectChain) -> Bool { a.identity == b.identity }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    /// The size after the last effect.
    public func resultSize(of size: PixelSize, in context: EffectContext) throws(ImageError) -> PixelSize {
        var size = size
        for effect in effects { size = try effect.resultSize(of: size, in: context) }
        return size
    }

    /// The one effect's placement, for a chain of one; nil for others: `plan(for:in:)` tells what those need.
    public func placement(of size: PixelSize, in context: EffectContext) throws(ImageError) -> Placement? {
        effects.count == 1 ? try effects[0].placement(of: size, in: context) : nil
    }

    /// Applies the effects one after the other.
    public func apply(to bitmap: Bitmap, in context: EffectContext) throws(ImageError) -> Bitmap {
        var bitmap = bitmap
        for effect in effects { bitmap = try effect.apply(to: bitmap, in: context) }
        return bitmap
    }
}
