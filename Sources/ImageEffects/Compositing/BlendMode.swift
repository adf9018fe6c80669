internal import Raster

/// How the colours of two images combine where they overlap: the separable modes of W3C's Compositing and Blending
/// Level 1, section 9.1.
public enum BlendMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// The upper colour.
    case normal
    /// The product of both colours: at least as dark as either.
    case multiply
    /// The complement of the product of the complements: no channel is darker than in either colour.
    case screen
    /// `multiply` or `screen`, depending on the lower colour.
    case overlay
    /// The darker colour, channel by channel.
    case darken
    /// The lighter colour, channel by channel.
    case lighten
    /// The lower colour made lighter to reflect the upper.
    case colorDodge
    /// The lower colour made darker to reflect the upper.
    case colorBurn
    /// `multiply` or `screen`, depending on the upper colour.
    case hardLight
    /// `hardLight` with less contrast.
    case softLight
    /// The absolute difference.
    case difference
    /// As `difference`, with less contrast.
    case exclusion
}

/// Blend modes other than `normal`, a row at a time, opaque or premultiplied: W3C's Compositing and Blending Level 1,
/// section 9.1.
///
/// Channels are computed in their integer scale, so that even small differences are exact.
enum PixelBlending {
    /// Lays a row, its alpha multiplied by `opacity`, over the target's pixels from `first` on.
    static func lay<P: RGBAPixel>(
        _ source: Span<P>, opacity: Float, mode: BlendMode, over target: inout MutableSpan<P>, at first: Int
    ) {
        for x in 0..<min(source.count, target.count - first) {
            let (s, b) = (source[x].levels, target[first + x].levels)
            target[first + x] = P(levels: laid(s, opacity, over: b, mode, largest: Float(P.largest)))
        }
    }

    /// Lays a straight colour over each pixel within its alpha.
    static func tint<P: RGBAPixel>(
        _ source: Span<P>, with color: RGBA8, mode: BlendMode, to target: inout MutableSpan<P>
    ) {
        let largest = Float(P.largest)
        let levels = color.levels * (largest / 255)
        for x in 0..<min(source.count, target.count) {
            target[x] = P(levels: tinted(source[x].levels, levels, mode, largest: largest))
        }
    }

    /// (1 - αb) αs Cs + αs αb B(Cb, Cs) + (1 - αs) αb Cb, alpha αs + αb - αs αb.
    @inline(__always) private static func laid(
        _ upper: SIMD4<Float>, _ opacity: Float, over lower: SIMD4<Float>, _ mode: BlendMode, largest: Float
    ) -> SIMD4<Float> {
        let s = upper * opacity
        let blended = mode.blend(lower, upper) * opacity
        var result = (s * (largest - lower.w) + lower * (largest - s.w) + blended) * (1 / largest)
        result.w = s.w + lower.w - s.w * lower.w * (1 / largest)
        return result.limited(to: min(largest, result.w))
    }

    /// αb ((1 - αs) Cb + αs B(Cb, Cs)), alpha αb.
    @inline(__always) private static func tinted(
        _ lower: SIMD4<Float>, _ color: SIMD4<Float>, _ mode: BlendMode, largest: Float
    ) -> SIMD4<Float> {
        var opaque = color
        opaque.w = largest
        let share = color.w / largest
        var result = lower * (1 - share) + mode.blend(lower, opaque) * (share / largest)
        result.w = lower.w
        return result.limited(to: lower.w)
    }
}

extension BlendMode {
    /// αs αb B(Cb, Cs) of premultiplied pixels, channel by channel; the result's alpha is meaningless.
    @inline(__always) fileprivate func blend(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        // Each colour where the other pixel covers it.
        let (upper, lower) = (s * b.w, b * s.w)
        return switch self {
        case .normal: upper
        case .multiply: b * s
        case .screen: upper + lower - b * s
        case .overlay: Self.hardLight(s, b)
        case .darken: upper.replacing(with: lower, where: lower .< upper)
        case .lighten: upper.replacing(with: lower, where: lower .> upper)
        case .colorDodge: Self.colorDodge(b, s)
        case .colorBurn: Self.colorBurn(b, s)
        case .hardLight: Self.hardLight(b, s)
        case .softLight: Self.softLight(b, s)
        case .difference: (upper - lower).replacing(with: lower - upper, where: lower .> upper)
        case .exclusion: upper + lower - 2 * b * s
        }
    }

    @inline(__always) private static func hardLight(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        let screen = b.w * s.w - 2 * (b.w - b) * (s.w - s)
        return (2 * b * s).replacing(with: screen, where: 2 * s .> SIMD4(repeating: s.w))
    }

    /// B is min(1, Cb / (1 - Cs)), or 0 if Cb is 0.
    @inline(__always) private static func colorDodge(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        // Division by 0 gives infinity or NaN, neither of which is less than the limit.
        let (quotient, most) = (b * s.w / (s.w - s), SIMD4(repeating: b.w))
        let limited = most.replacing(with: quotient, where: quotient .< most)
        return limited.replacing(with: 0, where: b .<= 0) * s.w
    }

    /// B is 1 - min(1, (1 - Cb) / Cs), or 1 if Cb is 1.
    @inline(__always) private static func colorBurn(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        let lack = b.w - b
        let (quotient, most) = (lack * s.w / s, SIMD4(repeating: b.w))
        let limited = most.replacing(with: quotient, where: quotient .< most)
        return (b.w - limited.replacing(with: 0, where: lack .<= 0)) * s.w
    }

    @inline(__always) private static func softLight(_ b: SIMD4<Float>, _ s: SIMD4<Float>) -> SIMD4<Float> {
        let straight = b.w > 0 ? b / b.w : .zero
        let root = SIMD4<Float>(
            straight.x.squareRoot(), straight.y.squareRoot(), straight.z.squareRoot(), straight.w)
        let curve = root.replacing(with: ((16 * straight - 12) * straight + 4) * straight, where: straight .<= 0.25)
        let excess = 2 * s - s.w
        return b * s.w + excess * (b * (1 - straight)).replacing(with: b.w * curve - b, where: excess .> 0)
    }
}
