public import Raster

extension Image {
    /// The picture after `effects`, upright, at the scale that lengths were counted in.
    ///
    /// A deferred picture is decoded no larger than the effects need. Colours given to effects are sRGB, so that should
    /// be the picture's profile, as it is unless a decoder was asked to keep another.
    /// - Throws: `invalidParameter` or `limitExceeded` before anything is decoded where the effects make no sense for the
    ///   picture, what the decoder reports, `outOfMemory`.
    public func applying(
        _ effects: any ImageEffect..., options: EffectOptions = EffectOptions()
    ) throws(ImageError) -> Image {
        try applying(EffectChain(effects), options: options)
    }

    /// The picture after all of `chain`; as `applying(_:options:)`.
    public func applying(_ chain: EffectChain, options: EffectOptions = EffectOptions()) throws(ImageError) -> Image {
        let plan = try chain.plan(for: size, in: EffectContext(options: options, scale: scale))
        let stored = plan.decoding.stored(orientation, storedSize: info.size)
        let upright = try bitmap(for: stored).oriented(by: orientation)
        let scale = if case .pointsOf(let explicit) = options.units { explicit } else { scale }
        return Image(try plan.apply(to: upright), scale: scale)
    }
}
