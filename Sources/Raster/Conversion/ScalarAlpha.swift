/// The arithmetic of alpha, one row at a time, in plain Swift: it runs on processors without vector kernels, and the
/// kernels are tested against it.
///
/// Everything is rounded to the nearest value, exactly. Below, 1 stands for a channel's largest value, m.
package enum ScalarAlpha {
    /// Each colour c becomes c × a: (c × a + m/2) / m.
    package static func premultiply<P: RGBAPixel>(_ row: inout MutableSpan<P>) {
        for x in row.indices {
            var pixel = row[x]
            pixel.red = product(pixel.red, pixel.alpha)
            pixel.green = product(pixel.green, pixel.alpha)
            pixel.blue = product(pixel.blue, pixel.alpha)
            row[x] = pixel
        }
    }

    /// Each colour c becomes c / a, at most 1: (c × m + a/2) / a. Where alpha is 0 all become 0.
    package static func unpremultiply<P: RGBAPixel>(_ row: inout MutableSpan<P>) {
        for x in row.indices {
            var pixel = row[x]
            if pixel.alpha == .max { continue }
            pixel.red = quotient(pixel.red, pixel.alpha)
            pixel.green = quotient(pixel.green, pixel.alpha)
            pixel.blue = quotient(pixel.blue, pixel.alpha)
            row[x] = pixel
        }
    }

    /// Each straight colour c becomes c × a + b × (1 - a) over the background's b: (c × a + b × (m - a) + m/2) / m.
    package static func flattenStraight<P: RGBAPixel>(_ row: inout MutableSpan<P>, onto background: P) {
        for x in row.indices {
            let pixel = row[x]
            row[x] = P(
                mix(pixel.red, background.red, pixel.alpha), mix(pixel.green, background.green, pixel.alpha),
                mix(pixel.blue, background.blue, pixel.alpha), .max)
        }
    }

    /// Each premultiplied colour c becomes c + b × (1 - a), at most 1: c + (b × (m - a) + m/2) / m.
    package static func flattenPremultiplied<P: RGBAPixel>(_ row: inout MutableSpan<P>, onto background: P) {
        for x in row.indices {
            let pixel = row[x]
            let rest = P.Channel.max - pixel.alpha
            row[x] = P(
                sum(pixel.red, product(background.red, rest)), sum(pixel.green, product(background.green, rest)),
                sum(pixel.blue, product(background.blue, rest)), .max)
        }
    }

    // No sum below exceeds 65535 × 65535 + 32767, which 32 bits hold.

    @inline(__always) private static func product<C: FixedWidthInteger>(_ a: C, _ b: C) -> C {
        let most = wide(C.max)
        return C(truncatingIfNeeded: (wide(a) &* wide(b) &+ most / 2) / most)
    }

    @inline(__always) private static func quotient<C: FixedWidthInteger>(_ value: C, _ alpha: C) -> C {
        guard alpha > 0 else { return 0 }
        let most = wide(C.max)
        return C(truncatingIfNeeded: min(most, (wide(value) &* most &+ wide(alpha) / 2) / wide(alpha)))
    }

    @inline(__always) private static func mix<C: FixedWidthInteger>(_ a: C, _ b: C, _ alpha: C) -> C {
        let most = wide(C.max)
        let weighted = wide(a) &* wide(alpha) &+ wide(b) &* (most &- wide(alpha))
        return C(truncatingIfNeeded: (weighted &+ most / 2) / most)
    }

    @inline(__always) private static func sum<C: FixedWidthInteger>(_ a: C, _ b: C) -> C {
        C(truncatingIfNeeded: min(wide(C.max), wide(a) &+ wide(b)))
    }

    @inline(__always) private static func wide<C: FixedWidthInteger>(_ value: C) -> UInt32 {
        UInt32(truncatingIfNeeded: value)
    }
}
