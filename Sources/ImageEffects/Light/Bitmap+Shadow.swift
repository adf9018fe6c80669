internal import Raster

extension Bitmap {
    /// The picture over its shadow of `color`.
    func shadowed(by color: RGBA8, _ layout: ShadowLayout) throws(ImageError) -> Bitmap {
        var info = info
        info.size = layout.canvas
        info.alpha = .premultiplied
        var result = try MutableBitmap(uninitialized: info)
        let blur = FloatBlur(
            sigma: max(layout.sigma, Self.smallestSigma), size: size, window: layout.window, channels: .alpha,
            edges: .transparent)
        try blur.draw(self, into: &result) { alphas, y, rows, index in
            if rows.format == .rgba16 {
                draw(alphas, color, layout, y: y, to: rows.row(index, as: RGBA16.self))
            } else {
                draw(alphas, color, layout, y: y, to: rows.row(index, as: RGBA8.self))
            }
        }
        return result.freeze()
    }

    /// Draws row `y` of the canvas: the shadow, whose blurred alphas are given, and the picture over it.
    private func draw<P: RGBAPixel>(
        _ alphas: UnsafePointer<Float>, _ color: RGBA8, _ layout: ShadowLayout, y: Int,
        to target: consuming MutableSpan<P>
    ) {
        let largest = Float(P.largest)
        let alpha = Float(color.alpha) / 255
        let straight = SIMD4<Float>(Float(color.red), Float(color.green), Float(color.blue), 255)
        let ink = straight * (alpha / 255)
        for x in target.indices {
            target[x] = P(rounding: ink * max(0, min(largest, alphas[x])))
        }
        let place = layout.picture
        guard y >= place.y, y < place.y + place.height else { return }
        let source = rows.row(y - place.y, as: P.self)
        for x in source.indices {
            let shadow = ink * max(0, min(largest, alphas[place.x + x]))
            let pixel = SIMD4<Float>(source[x].channels)
            target[place.x + x] = P(rounding: pixel + shadow * (1 - pixel.w / largest))
        }
    }
}

extension RGBAPixel {
    /// The nearest pixel, no channel above `largest`, no colour above alpha.
    @inline(__always) init(rounding values: SIMD4<Float>) {
        var channels = SIMD4<UInt32>()
        channels.w = min(Self.largest, UInt32(values.w + 0.5))
        for channel in 0..<3 { channels[channel] = min(channels.w, UInt32(values[channel] + 0.5)) }
        self.init(channels: channels)
    }
}
