package import Raster

/// Blend modes other than the plain one, a row at a time: W3C's Compositing and Blending Level 1, section 9.1.
package enum PixelBlending {
    /// Lays a row, its alpha multiplied by `opacity`, over the target's pixels from `first` on.
    package static func lay(
        _ source: Span<RGBA8>, opacity: Float, mode: BlendMode, over target: inout MutableSpan<RGBA8>, at first: Int
    ) {
        for x in 0..<min(source.count, target.count - first) {
            let (s, b) = (source[x].unit, target[first + x].unit)
            target[first + x] = RGBA8(unit: laid(s, opacity, over: b, mode))
        }
    }

    /// Lays a row, its alpha multiplied by `opacity`, over the target's pixels from `first` on.
    package static func lay(
        _ source: Span<RGBA16>, opacity: Float, mode: BlendMode, over target: inout MutableSpan<RGBA16>, at first: Int
    ) {
        for x in 0..<min(source.count, target.count - first) {
            let (s, b) = (source[x].unit, target[first + x].unit)
            target[first + x] = RGBA16(unit: laid(s, opacity, over: b, mode))
        }
    }

    /// Lays a straight colour over each pixel, within what there is of it.
    package static func tint(
        _ source: Span<RGBA8>, with color: RGBA8, mode: BlendMode, to target: inout MutableSpan<RGBA8>
    ) {
        let unit = color.unit
        for x in 0..<min(source.count, target.count) {
            target[x] = RGBA8(unit: tinted(source[x].unit, unit, mode))
        }
    }

    /// Lays a straight colour over each pixel, within what there is of it.
    package static func tint(
        _ source: Span<RGBA16>, with color: RGBA8, mode: BlendMode, to target: inout MutableSpan<RGBA16>
    ) {
        let unit = color.unit
        for x in 0..<min(source.count, target.count) {
            target[x] = RGBA16(unit: tinted(source[x].unit, unit, mode))
        }
    }

    /// (1 - αb) αs Cs + αs αb B(Cb, Cs) + (1 - αs) αb Cb, alpha αs + αb - αs αb.
    @inline(__always) private static func laid(
        _ upper: SIMD4<Float>, _ opacity: Float, over lower: SIMD4<Float>, _ mode: BlendMode
    ) -> SIMD4<Float> {
        let s = upper * opacity
        let blended = mode.blend(straight(lower), straight(upper))
        var result = s * (1 - lower.w) + lower * (1 - s.w) + blended * (s.w * lower.w)
        result.w = s.w + lower.w - s.w * lower.w
        return result.limited(to: min(1, result.w))
    }

    /// αb ((1 - αs) Cb + αs B(Cb, Cs)), alpha αb.
    @inline(__always) private static func tinted(
        _ lower: SIMD4<Float>, _ color: SIMD4<Float>, _ mode: BlendMode
    ) -> SIMD4<Float> {
        var result = lower * (1 - color.w) + mode.blend(straight(lower), color) * (color.w * lower.w)
        result.w = lower.w
        return result.limited(to: lower.w)
    }

    @inline(__always) private static func straight(_ p: SIMD4<Float>) -> SIMD4<Float> { p.w > 0 ? p / p.w : .zero }
}

extension BlendMode {
    /// B(Cb, Cs), channel by channel, of straight colours.
    @inline(__always) fileprivate func blend(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        switch self {
        case .normal: s
        case .multiply: b * s
        case .screen: b + s - b * s
        case .overlay: Self.hardLight(s, b)
        case .darken: b.replacing(with: s, where: s .< b)
        case .lighten: b.replacing(with: s, where: s .> b)
        case .colorDodge: Self.colorDodge(b, s)
        case .colorBurn: 1 - Self.colorDodge(1 - b, 1 - s)
        case .hardLight: Self.hardLight(b, s)
        case .softLight: Self.softLight(b, s)
        case .difference: (b - s).replacing(with: s - b, where: s .> b)
        case .exclusion: b + s - 2 * b * s
        }
    }

    @inline(__always) private static func hardLight(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        let double = 2 * s
        let screen = double - 1
        return (b * double).replacing(with: b + screen - b * screen, where: s .> 0.5)
    }

    /// min(1, Cb / (1 - Cs)), 0 where Cb is. What divides by 0 is at least 1, or not a number where Cb is 0.
    @inline(__always) private static func colorDodge(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        let quotient = b / (1 - s)
        return quotient.replacing(with: 1, where: quotient .> 1).replacing(with: 0, where: b .<= 0)
    }

    @inline(__always) private static func softLight(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        let root = SIMD4<Float>(b.x.squareRoot(), b.y.squareRoot(), b.z.squareRoot(), 0)
        let curve = root.replacing(with: ((16 * b - 12) * b + 4) * b, where: b .<= 0.25)
        let towards = (b * (1 - b)).replacing(with: curve - b, where: s .> 0.5)
        return b + (2 * s - 1) * towards
    }
}
