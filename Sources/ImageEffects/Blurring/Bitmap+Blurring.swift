internal import Raster

extension Bitmap {
    /// Below this the nearest neighbours would count for less than 1 in 3000.
    static let smallestSigma = 0.25

    /// The picture blurred by a Gaussian of `sigma` pixels, its edges repeated.
    func blurred(sigma: Double, isLinear: Bool) throws(ImageError) -> Bitmap {
        guard sigma >= Self.smallestSigma else { return self }
        var result = try MutableBitmap(uninitialized: info)
        let alpha = alpha
        let blur = FloatBlur(sigma: sigma, size: size, window: PixelRect(size), isLinear: isLinear)
        try blur.draw(self, into: &result) { values, _, rows, index in
            if rows.format == .rgba16 {
                var row = rows.row(index, as: RGBA16.self)
                FloatRows.finish(values, to: &row, alpha: alpha, isLinear: isLinear)
            } else {
                var row = rows.row(index, as: RGBA8.self)
                FloatRows.finish(values, to: &row, alpha: alpha, isLinear: isLinear)
            }
        }
        return result.freeze()
    }
}
