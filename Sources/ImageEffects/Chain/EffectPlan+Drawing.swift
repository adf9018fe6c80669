package import Raster

extension EffectPlan {
    /// What to decode of a drawing of `size`: as planned, but with more pixels than it says it has where it is enlarged.
    package func decodingOfDrawing(of size: PixelSize) -> DecodingPlan {
        guard let placement, !placement.destination.isEmpty else { return decoding }
        let across = Double(placement.destination.width) / placement.source.width
        let down = Double(placement.destination.height) / placement.source.height
        guard across > 1 || down > 1 else { return decoding }
        let region = decoding.regionSize(of: size)
        var plan = decoding
        plan.targetSize = PixelSize(
            width: Int((Double(region.width) * across).rounded(.up)),
            height: Int((Double(region.height) * down).rounded(.up)))
        return plan
    }
}
