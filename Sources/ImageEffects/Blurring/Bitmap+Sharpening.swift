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
                Self.sharpen(
                    self.rows.row(y, as: RGBA8.self), blurred, amount: amount, isOpaque: alpha == .none,
                    to: rows.row(index, as: RGBA8.self))
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

    /// Sharpens a row, whose blurred values have 6 bits after the point.
    private static func sharpen(
        _ source: Span<RGBA8>, _ blurred: UnsafePointer<Int16>, amount: Float, isOpaque: Bool,
        to target: consuming MutableSpan<RGBA8>
    ) {
        for x in source.indices {
            let pixel = source[x]
            let values = SIMD4<Float>(Float(pixel.red), Float(pixel.green), Float(pixel.blue), Float(pixel.alpha))
            let blur = blurred + 4 * x
            var around = SIMD4<Float>(Float(blur[0]), Float(blur[1]), Float(blur[2]), Float(blur[3]))
            // The blur with the pixel's own alpha.
            around *= isOpaque || blur[3] == 0 ? 1 / 64 : values.w / around.w
            let sharp = (values + (values - around) * amount).limited(to: values.w) + 0.5
            target[x] = RGBA8(
                UInt8(truncatingIfNeeded: Int32(sharp.x)), UInt8(truncatingIfNeeded: Int32(sharp.y)),
                UInt8(truncatingIfNeeded: Int32(sharp.z)), pixel.alpha)
        }
    }
}
