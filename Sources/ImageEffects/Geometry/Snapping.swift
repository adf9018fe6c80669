internal import Raster

extension Double {
    /// The nearest whole number, halves upwards: shifted by a whole number, edges still fall in the same places.
    var snapped: Int { Int((self + 0.5).rounded(.down)) }
}

extension EffectContext {
    /// A width and a height in pixels, not yet rounded.
    /// - Throws: `invalidParameter` unless both are positive numbers.
    func pixelSize(_ width: Double, _ height: Double) throws(ImageError) -> (width: Double, height: Double) {
        guard width > 0, height > 0 else {
            throw ImageError(.invalidParameter, "a size of \(width)x\(height) has no pixels")
        }
        return (try pixels(width, "a width"), try pixels(height, "a height"))
    }

    /// The whole pixels nearest to a size, at least one each way.
    /// - Throws: `limitExceeded` for more pixels than are allowed.
    func snapped(_ width: Double, _ height: Double) throws(ImageError) -> PixelSize {
        try validated(unlimited(width, height))
    }

    /// As `snapped`, for a size that isn't made as a whole: it may have more pixels than are allowed.
    func unlimited(_ width: Double, _ height: Double) throws(ImageError) -> PixelSize {
        // What keeps proportions may be larger than any length that was given.
        guard width < Double(1 << 30), height < Double(1 << 30) else {
            throw ImageError(.limitExceeded, "\(width)x\(height) would be more pixels than allowed for effects")
        }
        return PixelSize(width: max(1, width.snapped), height: max(1, height.snapped))
    }

    /// A picture of `size` at the size of its proportions that touches bounds along one side: it lies within them, or
    /// covers them where `covering`.
    /// - Throws: `invalidParameter` for bounds without an extent, `limitExceeded` for more pixels than are allowed.
    func scaled(
        _ size: PixelSize, to bounds: (width: Double, height: Double), covering: Bool
    ) throws(ImageError) -> Placement {
        let bounds = try pixelSize(bounds.width, bounds.height)
        let aspect = Double(size.width) / Double(size.height)
        let height = bounds.width / aspect
        let isWidthReached = covering ? height >= bounds.height : height <= bounds.height
        let canvas =
            isWidthReached
            ? try snapped(bounds.width, height)
            : try snapped(bounds.height * aspect, bounds.height)
        return Placement(canvas: canvas, of: size, at: PixelRect(canvas))
    }
}
