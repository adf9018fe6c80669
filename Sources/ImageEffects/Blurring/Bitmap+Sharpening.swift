internal import Raster

extension Bitmap {
    /// The picture with `amount` times its difference from its blur by `sigma` pixels.
    func sharpened(sigma: Double, amount: Double, isLinear: Bool) throws(ImageError) -> Bitmap {
        guard sigma >= Self.smallestSigma else { return self }
        var result = try MutableBitmap(uninitialized: info)
        let (alpha, amount) = (alpha, Float(amount))
        guard format == .rgba16 || isLinear else {
            try FixedBlur(sigma: sigma, size: size, window: PixelRect(size)).draw(self, into: &result) {
                blurred, y, rows, index in
                var target = rows.row(index, as: RGBA8.self)
                BlurKernels.sharpen(
                    self.rows.row(y, as: RGBA8.self), blurred, amount: amount, isOpaque: alpha == .none, to: &target)
            }
            return result.freeze()
        }
        let blur = FloatBlur(sigma: sigma, size: size, window: PixelRect(size), isLinear: isLinear)
        try blur.draw(self, into: &result) { blurred, y, rows, index in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 4 * width) { memory in
                // There is room for the row's 4 × width values, and as many are blurred.
                let values = memory.baseAddress!
                if rows.format == .rgba16 {
                    FloatRows.fill(values, from: self.rows.row(y, as: RGBA16.self), alpha: alpha, isLinear: isLinear)
                } else {
                    FloatRows.fill(values, from: self.rows.row(y, as: RGBA8.self), alpha: alpha, isLinear: isLinear)
                }
                for x in stride(from: 0, to: 4 * width, by: 4) {
                    let around = blurred[x + 3] > 0 ? values[x + 3] / blurred[x + 3] : 1
                    for channel in x..<x + 3 {
                        values[channel] += amount * (values[channel] - blurred[channel] * around)
                    }
                }
                rows.finish(values, to: index, alpha: alpha, isLinear: isLinear)
            }
        }
        return result.freeze()
    }
}
