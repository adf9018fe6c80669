internal import Raster

/// Draws rows of a canvas: a shadow whose blurred alphas are known, and the picture over it.
struct ShadowBrush: Sendable {
    let layout: ShadowLayout
    /// The colour, premultiplied, 0…1.
    private let color: SIMD4<Float>
    /// The same with 15 bits after the point.
    private let ink: SIMD4<Int16>

    init(_ color: RGBA8, _ layout: ShadowLayout) {
        self.layout = layout
        let straight = SIMD4<Float>(Float(color.red), Float(color.green), Float(color.blue), 255) / 255
        self.color = straight * (Float(color.alpha) / 255)
        var ink = SIMD4<Int16>()
        for channel in 0..<4 { ink[channel] = Int16(min(32767, (self.color[channel] * 32768).rounded())) }
        self.ink = ink
    }

    /// Draws row `y` of 16 bits; alphas are 0…65535. None is needed where an opaque picture hides the shadow.
    func draw(_ alphas: UnsafePointer<Float>, y: Int, of picture: Bitmap, to target: consuming MutableSpan<RGBA16>) {
        let place = layout.picture
        guard y >= place.y, y < place.y + place.height else {
            for x in target.indices { target[x] = RGBA16(rounding: color * max(0, min(65535, alphas[x]))) }
            return
        }
        for x in 0..<place.x { target[x] = RGBA16(rounding: color * max(0, min(65535, alphas[x]))) }
        for x in place.x + place.width..<target.count {
            target[x] = RGBA16(rounding: color * max(0, min(65535, alphas[x])))
        }
        let source = picture.rows.row(y - place.y, as: RGBA16.self)
        for x in source.indices {
            let pixel = source[x]
            guard pixel.alpha < 65535 else {
                target[place.x + x] = pixel
                continue
            }
            let values = SIMD4<Float>(Float(pixel.red), Float(pixel.green), Float(pixel.blue), Float(pixel.alpha))
            let shadow = color * max(0, min(65535, alphas[place.x + x]))
            target[place.x + x] = RGBA16(rounding: values + shadow * (1 - values.w / 65535))
        }
    }

    /// Draws row `y` of 8 bits; alphas have 6 bits after the point. None is needed where an opaque picture hides the
    /// shadow.
    func draw(_ alphas: UnsafePointer<Int16>, y: Int, of picture: Bitmap, to target: consuming MutableSpan<RGBA8>) {
        let place = layout.picture
        let count = target.count
        target.withUnsafeMutableBufferPointer { target in
            // The canvas's row is as long as the alphas are many, and the picture's lies within.
            let target = target.baseAddress!
            guard y >= place.y, y < place.y + place.height else {
                return BlurKernels.drawShadow(alphas, ink: ink, under: nil, to: target, count: count)
            }
            let end = place.x + place.width
            BlurKernels.drawShadow(alphas, ink: ink, under: nil, to: target, count: place.x)
            BlurKernels.drawShadow(alphas + end, ink: ink, under: nil, to: target + end, count: count - end)
            picture.rows.row(y - place.y, as: RGBA8.self).withUnsafeBufferPointer { source in
                BlurKernels.drawShadow(
                    alphas + place.x, ink: ink, under: source.baseAddress!, to: target + place.x, count: place.width)
            }
        }
    }
}
