import ImageEffects
import Raster

/// Compositing and colours in double precision, as the formulas stand in the specifications.
extension ReferencePicture {
    /// Each pixel on its own.
    func mapped(_ pixel: (SIMD4<Double>) -> SIMD4<Double>) -> ReferencePicture {
        ReferencePicture(width: width, height: height) { x, y in pixel(self[x, y]) }
    }

    func scaled(by factor: Double) -> ReferencePicture { mapped { $0 * factor } }

    /// `mask` tells by column and row what is kept.
    func masked(_ mask: (Int, Int) -> Double) -> ReferencePicture {
        ReferencePicture(width: width, height: height) { x, y in self[x, y] * mask(x, y) }
    }

    func flattened(on color: RGBA8) -> ReferencePicture {
        let lower = Self.premultiplied(color)
        return mapped { $0 + lower * (1 - $0.w) }
    }

    /// `upper` over this one with its top left corner at (`left`, `top`).
    func laidUnder(_ upper: ReferencePicture, _ left: Int, _ top: Int, opacity: Double, _ mode: BlendMode)
        -> ReferencePicture
    {
        ReferencePicture(width: width, height: height) { x, y in
            let (b, s) = (self[x, y], upper.orTransparent(x - left, y - top) * opacity)
            var result = SIMD4<Double>(0, 0, 0, s.w + b.w * (1 - s.w))
            for channel in 0..<3 {
                let (cb, cs) = (b.w > 0 ? b[channel] / b.w : 0, s.w > 0 ? s[channel] / s.w : 0)
                let blended = Self.blend(cb, cs, mode)
                result[channel] = (1 - b.w) * s.w * cs + (1 - s.w) * b.w * cb + s.w * b.w * blended
            }
            return result
        }
    }

    func tinted(_ color: RGBA8, _ mode: BlendMode) -> ReferencePicture {
        let source = SIMD4(Double(color.red), Double(color.green), Double(color.blue), Double(color.alpha)) / 255
        return mapped { b in
            var result = b
            for channel in 0..<3 {
                let cb = b.w > 0 ? b[channel] / b.w : 0
                result[channel] = b.w * ((1 - source.w) * cb + source.w * Self.blend(cb, source[channel], mode))
            }
            return result
        }
    }

    /// `rows` are the four rows of five of a colour matrix.
    func transformed(by rows: [Double]) -> ReferencePicture {
        mapped { p in
            let straight = p.w > 0 ? p / p.w : SIMD4<Double>(0, 0, 0, 0)
            let given = [straight.x, straight.y, straight.z, p.w, 1]
            let sums = (0..<4).map { row in
                min(1, max(0, (0..<5).reduce(0) { $0 + rows[5 * row + $1] * given[$1] }))
            }
            return SIMD4(sums[0] * sums[3], sums[1] * sums[3], sums[2] * sums[3], sums[3])
        }
    }

    /// `count` rows of the reflection.
    func reflected(_ count: Int) -> ReferencePicture {
        ReferencePicture(width: width, height: count) { x, y in
            orTransparent(x, height - 1 - y) * (1 - (Double(y) + 0.5) / Double(count))
        }
    }

    /// With `count` rows of reflection, `gap` rows below.
    func withReflection(_ count: Int, gap: Int, alpha: Double) -> ReferencePicture {
        let reflection = reflected(count)
        return ReferencePicture(width: width, height: height + 2 * (count + gap)) { x, y in
            let upper = orTransparent(x, y - count - gap)
            let lower = reflection.orTransparent(x, y - count - height - 2 * gap) * alpha
            return upper + lower * (1 - upper.w)
        }
    }

    static func premultiplied(_ color: RGBA8) -> SIMD4<Double> {
        let alpha = Double(color.alpha) / 255
        return SIMD4(
            Double(color.red) / 255 * alpha, Double(color.green) / 255 * alpha, Double(color.blue) / 255 * alpha, alpha)
    }

    /// B(Cb, Cs) of W3C's Compositing and Blending Level 1, section 9.1.
    static func blend(_ cb: Double, _ cs: Double, _ mode: BlendMode) -> Double {
        switch mode {
        case .normal: return cs
        case .multiply: return cb * cs
        case .screen: return cb + cs - cb * cs
        case .overlay: return blend(cs, cb, .hardLight)
        case .darken: return min(cb, cs)
        case .lighten: return max(cb, cs)
        case .colorDodge: return cb == 0 ? 0 : cs == 1 ? 1 : min(1, cb / (1 - cs))
        case .colorBurn: return cb == 1 ? 1 : cs == 0 ? 0 : 1 - min(1, (1 - cb) / cs)
        case .hardLight: return cs <= 0.5 ? cb * 2 * cs : blend(cb, 2 * cs - 1, .screen)
        case .softLight:
            let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
            return cs <= 0.5 ? cb - (1 - 2 * cs) * cb * (1 - cb) : cb + (2 * cs - 1) * (d - cb)
        case .difference: return abs(cb - cs)
        case .exclusion: return cb + cs - 2 * cb * cs
        }
    }
}
