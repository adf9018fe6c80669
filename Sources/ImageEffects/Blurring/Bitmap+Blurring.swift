internal import Raster

extension Bitmap {
    /// Below this the nearest neighbours would count for less than 1 in 3000.
    static let smallestSigma = 0.25

    /// The picture blurred by a Gaussian of `sigma` pixels, its edges repeated.
    func blurred(sigma: Double, isLinear: Bool) throws(ImageError) -> Bitmap {
        guard sigma >= Self.smallestSigma else { return self }
        var result = try MutableBitmap(uninitialized: info)
        guard format == .rgba16 || isLinear else {
            try FixedBlur(sigma: sigma, size: size, window: PixelRect(size)).draw(self, into: &result)
            return result.freeze()
        }
        let alpha = alpha
        let blur = FloatBlur(sigma: sigma, size: size, window: PixelRect(size), isLinear: isLinear)
        try blur.draw(self, into: &result) { values, _, rows, index in
            rows.finish(values, to: index, alpha: alpha, isLinear: isLinear)
        }
        return result.freeze()
    }
}

extension MutablePixelRows {
    /// Makes pixels of a row of premultiplied floating point numbers.
    mutating func finish(_ values: UnsafePointer<Float>, to y: Int, alpha: AlphaMode, isLinear: Bool) {
        if format == .rgba16 {
            var row = row(y, as: RGBA16.self)
            FloatRows.finish(values, to: &row, alpha: alpha, isLinear: isLinear)
        } else {
            var row = row(y, as: RGBA8.self)
            FloatRows.finish(values, to: &row, alpha: alpha, isLinear: isLinear)
        }
    }
}
