public import ImageEffects
public import Raster

extension ImageProcessors {
    /// Applies effects: Tessera's, a recipe's, or a program's own.
    ///
    /// A deferred picture is decoded no larger than the effects need.
    public struct Effects: DeferredImageProcessing, Hashable {
        /// The effects, the first to be applied first.
        public var chain: EffectChain
        /// How they do their work.
        public var options: EffectOptions

        /// Applies `chain`.
        public init(_ chain: EffectChain, options: EffectOptions = EffectOptions()) {
            self.chain = chain
            self.options = options
        }

        /// The picture with the effects.
        /// - Throws: `ImageError` as the effects report it.
        public func process(_ image: Image) throws -> Image { try image.applying(chain, options: options) }

        /// The effects and their options.
        public var identity: EffectIdentity { EffectIdentity("effects", [chain.identity, options.identity]) }
        /// The same as text.
        public var identifier: String { identity.text }
    }
}

extension ImageProcessing where Self == ImageProcessors.Effects {
    /// Applies effects, the first one first.
    public static func effects(_ effects: any ImageEffect..., options: EffectOptions = EffectOptions()) -> Self {
        Self(EffectChain(effects), options: options)
    }

    /// Applies the effects of `chain`.
    public static func effects(_ chain: EffectChain, options: EffectOptions = EffectOptions()) -> Self {
        Self(chain, options: options)
    }
}
