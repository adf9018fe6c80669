internal import Raster

/// How a reflection fades out: from nearly its full alpha in the first row to nearly nothing in the last.
struct ReflectionRamp {
    /// Rows of pixels.
    let height: Int
    /// What all rows are multiplied by.
    let alpha: Double

    /// What row `y` is multiplied by.
    func factor(_ y: Int) -> Double { alpha * (1 - (Double(y) + 0.5) / Double(height)) }

    /// How many rows of pixels the reflection of a picture of `height` rows has.
    /// - Throws: `invalidParameter` for a scale that isn't above 0, or makes no sense.
    static func height(of height: Int, scale: Double, in context: EffectContext) throws(ImageError) -> Int {
        guard scale > 0 else {
            throw ImageError(.invalidParameter, "a reflection's scale of \(scale) leaves nothing to be seen")
        }
        let units = Double(height) / context.pixelsPerUnit * scale
        // A hair above a whole number is what products of fractions come out at, and asks for no further row.
        let whole = max(1, (units * (1 - 1e-12)).rounded(.up))
        return max(1, try context.pixels(whole, "a reflection's height").snapped)
    }
}
