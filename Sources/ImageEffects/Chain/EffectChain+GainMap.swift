public import Raster

/// An effect that moves pixels without changing them.
protocol TurningEffect: ImageEffect {
    /// The orientation whose correction is the effect; nil if it does more.
    var orientation: Orientation? { get }
}

/// An effect that changes colours in their places.
protocol RecoloringEffect: ImageEffect {}

extension Effects.ColorMatrix: RecoloringEffect {}
extension Effects.Sharpen: RecoloringEffect {}
extension Effects.Tint: RecoloringEffect {}

extension EffectChain {
    /// The gain map of the result for an image of `size` with `map`; nil if it no longer applies.
    ///
    /// Crops, scaling, mirroring and turns by multiples of 90° act on the map as on the image. Every other effect drops
    /// the map: those that change colours, as the gain was made for the old ones, and those that add pixels, which have
    /// no gain. The map's pixels are made when they are needed.
    /// - Parameter keepsGains: Whether effects that change colours in their places keep the map: the gains then apply to
    ///   the new colours, so that a highlight stays as many times as bright.
    /// - Throws: `invalidParameter` or `limitExceeded` if the effects aren't valid for the image.
    public func gainMap(
        _ map: GainMap, for size: PixelSize, in context: EffectContext, keepsGains: Bool = false
    ) throws(ImageError) -> GainMap? {
        var (map, size) = (map, size)
        for effect in steps {
            if let placement = try effect.placement(of: size, in: context) {
                guard placement.fillsCanvas else { return nil }
                map = map.cropped(to: placement.source, of: size, scaledTo: placement.canvas)
                size = placement.canvas
            } else if let orientation = (effect as? any TurningEffect)?.orientation {
                map = map.oriented(by: orientation)
                size = orientation.applied(to: size)
            } else {
                guard keepsGains, effect is any RecoloringEffect else { return nil }
            }
        }
        return map
    }
}
