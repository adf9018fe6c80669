/// The arithmetic of alpha, one row at a time, in plain Swift: what runs where there are no vectors, and what the
/// vector kernels are held against.
///
/// Everything is rounded to the nearest value, exactly.
package enum ScalarAlpha {
    /// Each colour c becomes (c × a + 127) / 255.
    package static func premultiply(_ row: inout MutableSpan<RGBA8>) {
        for x in row.indices {
            var pixel = row[x]
            let alpha = UInt32(pixel.alpha)
            pixel.red = scaled(pixel.red, alpha)
            pixel.green = scaled(pixel.green, alpha)
            pixel.blue = scaled(pixel.blue, alpha)
            row[x] = pixel
        }
    }

    /// Each colour c becomes (c × a + 32767) / 65535.
    package static func premultiply(_ row: inout MutableSpan<RGBA16>) {
        for x in row.indices {
            var pixel = row[x]
            let alpha = UInt32(pixel.alpha)
            pixel.red = scaled(pixel.red, alpha)
            pixel.green = scaled(pixel.green, alpha)
            pixel.blue = scaled(pixel.blue, alpha)
            row[x] = pixel
        }
    }

    /// Each colour c becomes (c × 255 + a/2) / a, at most 255; where alpha is 0 all become 0.
    package static func unpremultiply(_ row: inout MutableSpan<RGBA8>) {
        for x in row.indices {
            var pixel = row[x]
            let alpha = UInt32(pixel.alpha)
            if alpha == 255 { continue }
            pixel.red = divided(pixel.red, alpha)
            pixel.green = divided(pixel.green, alpha)
            pixel.blue = divided(pixel.blue, alpha)
            row[x] = pixel
        }
    }

    /// Each colour c becomes (c × 65535 + a/2) / a, at most 65535; where alpha is 0 all become 0.
    package static func unpremultiply(_ row: inout MutableSpan<RGBA16>) {
        for x in row.indices {
            var pixel = row[x]
            let alpha = UInt32(pixel.alpha)
            if alpha == 65535 { continue }
            pixel.red = divided(pixel.red, alpha)
            pixel.green = divided(pixel.green, alpha)
            pixel.blue = divided(pixel.blue, alpha)
            row[x] = pixel
        }
    }

    /// Each straight colour c becomes (c × a + b × (255 - a) + 127) / 255 over the background's b.
    package static func flattenStraight(_ row: inout MutableSpan<RGBA8>, onto background: RGBA8) {
        for x in row.indices {
            let pixel = row[x]
            let (alpha, rest) = (UInt32(pixel.alpha), 255 - UInt32(pixel.alpha))
            row[x] = RGBA8(
                mixed(pixel.red, alpha, background.red, rest), mixed(pixel.green, alpha, background.green, rest),
                mixed(pixel.blue, alpha, background.blue, rest))
        }
    }

    /// Each straight colour c becomes (c × a + b × (65535 - a) + 32767) / 65535 over the background's b.
    package static func flattenStraight(_ row: inout MutableSpan<RGBA16>, onto background: RGBA16) {
        for x in row.indices {
            let pixel = row[x]
            let (alpha, rest) = (UInt32(pixel.alpha), 65535 - UInt32(pixel.alpha))
            row[x] = RGBA16(
                mixed(pixel.red, alpha, background.red, rest), mixed(pixel.green, alpha, background.green, rest),
                mixed(pixel.blue, alpha, background.blue, rest))
        }
    }

    /// Each premultiplied colour c becomes c + (b × (255 - a) + 127) / 255, at most 255.
    package static func flattenPremultiplied(_ row: inout MutableSpan<RGBA8>, onto background: RGBA8) {
        for x in row.indices {
            let pixel = row[x]
            let rest = 255 - UInt32(pixel.alpha)
            row[x] = RGBA8(
                added(pixel.red, scaled(background.red, rest)), added(pixel.green, scaled(background.green, rest)),
                added(pixel.blue, scaled(background.blue, rest)))
        }
    }

    /// Each premultiplied colour c becomes c + (b × (65535 - a) + 32767) / 65535, at most 65535.
    package static func flattenPremultiplied(_ row: inout MutableSpan<RGBA16>, onto background: RGBA16) {
        for x in row.indices {
            let pixel = row[x]
            let rest = 65535 - UInt32(pixel.alpha)
            row[x] = RGBA16(
                added(pixel.red, scaled(background.red, rest)), added(pixel.green, scaled(background.green, rest)),
                added(pixel.blue, scaled(background.blue, rest)))
        }
    }

    // No sum below exceeds 65535 × 65535 + 32767, which 32 bits hold.

    @inline(__always) private static func scaled(_ value: UInt8, _ alpha: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(value) &* alpha &+ 127) / 255)
    }

    @inline(__always) private static func scaled(_ value: UInt16, _ alpha: UInt32) -> UInt16 {
        UInt16(truncatingIfNeeded: (UInt32(value) &* alpha &+ 32767) / 65535)
    }

    @inline(__always) private static func divided(_ value: UInt8, _ alpha: UInt32) -> UInt8 {
        guard alpha > 0 else { return 0 }
        return UInt8(truncatingIfNeeded: min(255, (UInt32(value) &* 255 &+ alpha / 2) / alpha))
    }

    @inline(__always) private static func divided(_ value: UInt16, _ alpha: UInt32) -> UInt16 {
        guard alpha > 0 else { return 0 }
        return UInt16(truncatingIfNeeded: min(65535, (UInt32(value) &* 65535 &+ alpha / 2) / alpha))
    }

    @inline(__always) private static func mixed(_ a: UInt8, _ alpha: UInt32, _ b: UInt8, _ rest: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(a) &* alpha &+ UInt32(b) &* rest &+ 127) / 255)
    }

    @inline(__always) private static func mixed(_ a: UInt16, _ alpha: UInt32, _ b: UInt16, _ rest: UInt32) -> UInt16 {
        UInt16(truncatingIfNeeded: (UInt32(a) &* alpha &+ UInt32(b) &* rest &+ 32767) / 65535)
    }

    @inline(__always) private static func added(_ a: UInt8, _ b: UInt8) -> UInt8 {
        let sum = UInt32(a) &+ UInt32(b)
        return UInt8(truncatingIfNeeded: min(255, sum))
    }

    @inline(__always) private static func added(_ a: UInt16, _ b: UInt16) -> UInt16 {
        let sum = UInt32(a) &+ UInt32(b)
        return UInt16(truncatingIfNeeded: min(65535, sum))
    }
}
