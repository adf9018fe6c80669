package import Raster

/// The arithmetic of compositing, one row at a time, in plain Swift: for 16 bits, for processors without vector
/// kernels, and as the reference that the kernels match bit for bit.
///
/// Pixels are opaque or premultiplied. A product of two channels is rounded to the nearest value, exactly. A factor is
/// a fraction of 16 or 32 bits, which makes an error of less than 1/250 of a step before rounding.
package enum ScalarCompositing {
    /// `factor`, 0 to 1, in units of 1/65536. The largest, 65535, leaves every byte unchanged.
    package static func factor16(_ factor: Double) -> UInt16 {
        UInt16(min(65535, max(0, (factor * 65536).rounded())))
    }

    /// `factor`, 0 to 1, in units of 2⁻³².
    package static func factor32(_ factor: Double) -> UInt64 {
        UInt64(min(4_294_967_296, max(0, (factor * 4_294_967_296).rounded())))
    }

    // MARK: 8 bits

    /// Each channel c becomes (c × factor + 32768) / 65536.
    package static func scale(_ source: Span<RGBA8>, by factor: UInt16, to target: inout MutableSpan<RGBA8>) {
        for x in 0..<min(source.count, target.count) { target[x] = scaled(source[x], factor) }
    }

    /// Each channel c becomes (c × m + 127) / 255, or the same with 255 - m.
    package static func mask(
        _ source: Span<RGBA8>, by mask: Span<Gray8>, isInverted: Bool, to target: inout MutableSpan<RGBA8>
    ) {
        let flip: UInt8 = isInverted ? 255 : 0
        for x in 0..<min(source.count, mask.count, target.count) {
            let (p, m) = (source[x], UInt32(mask[x].value ^ flip))
            target[x] = RGBA8(product(p.red, m), product(p.green, m), product(p.blue, m), product(p.alpha, m))
        }
    }

    /// Makes alpha an opaque grey.
    package static func showAlpha(of source: Span<RGBA8>, to target: inout MutableSpan<RGBA8>) {
        for x in 0..<min(source.count, target.count) {
            let alpha = source[x].alpha
            target[x] = RGBA8(alpha, alpha, alpha)
        }
    }

    /// Each channel c becomes c + (b × (255 - a) + 127) / 255.
    package static func lay(_ source: Span<RGBA8>, on background: RGBA8, to target: inout MutableSpan<RGBA8>) {
        for x in 0..<min(source.count, target.count) { target[x] = laid(source[x], over: background) }
    }

    /// Each channel c, multiplied as by `scale`, becomes c + (b × (255 - a) + 127) / 255 over the target's b.
    package static func lay(
        _ source: Span<RGBA8>, by factor: UInt16, over target: inout MutableSpan<RGBA8>, at first: Int
    ) {
        for x in 0..<min(source.count, target.count - first) {
            target[first + x] = laid(scaled(source[x], factor), over: target[first + x])
        }
    }

    /// Each colour becomes the sum of red, green, blue and alpha by `weights`, clamped to 0…alpha; alpha is unchanged.
    package static func transform(
        _ source: Span<RGBA8>, by weights: FixedMatrix, to target: inout MutableSpan<RGBA8>
    ) {
        for x in 0..<min(source.count, target.count) {
            let p = source[x]
            target[x] = RGBA8(
                weights.sum(p, row: 0), weights.sum(p, row: 4), weights.sum(p, row: 8), p.alpha)
        }
    }

    @inline(__always) private static func scaled(_ p: RGBA8, _ factor: UInt16) -> RGBA8 {
        func scaled(_ value: UInt8) -> UInt8 {
            UInt8(truncatingIfNeeded: (UInt32(value) &* UInt32(factor) &+ 32768) >> 16)
        }
        return RGBA8(scaled(p.red), scaled(p.green), scaled(p.blue), scaled(p.alpha))
    }

    @inline(__always) private static func laid(_ p: RGBA8, over b: RGBA8) -> RGBA8 {
        let rest = 255 - UInt32(p.alpha)
        return RGBA8(
            added(p.red, product(b.red, rest)), added(p.green, product(b.green, rest)),
            added(p.blue, product(b.blue, rest)), added(p.alpha, product(b.alpha, rest)))
    }

    @inline(__always) private static func product(_ value: UInt8, _ factor: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt32(value) &* factor &+ 127) / 255)
    }

    // Premultiplied pixels never reach the limit.
    @inline(__always) private static func added(_ a: UInt8, _ b: UInt8) -> UInt8 {
        let sum = UInt32(a) &+ UInt32(b)
        return UInt8(truncatingIfNeeded: min(255, sum))
    }

    // MARK: 16 bits

    /// Each channel c becomes (c × factor + 2³¹) / 2³².
    package static func scale(_ source: Span<RGBA16>, by factor: UInt64, to target: inout MutableSpan<RGBA16>) {
        for x in 0..<min(source.count, target.count) { target[x] = scaled(source[x], factor) }
    }

    /// Each channel c becomes (c × m + 32767) / 65535, or the same with 65535 - m.
    package static func mask(
        _ source: Span<RGBA16>, by mask: Span<Gray16>, isInverted: Bool, to target: inout MutableSpan<RGBA16>
    ) {
        let flip: UInt16 = isInverted ? 65535 : 0
        for x in 0..<min(source.count, mask.count, target.count) {
            let (p, m) = (source[x], UInt32(mask[x].value ^ flip))
            target[x] = RGBA16(product(p.red, m), product(p.green, m), product(p.blue, m), product(p.alpha, m))
        }
    }

    /// Makes alpha an opaque grey.
    package static func showAlpha(of source: Span<RGBA16>, to target: inout MutableSpan<RGBA16>) {
        for x in 0..<min(source.count, target.count) {
            let alpha = source[x].alpha
            target[x] = RGBA16(alpha, alpha, alpha)
        }
    }

    /// Each channel c becomes c + (b × (65535 - a) + 32767) / 65535.
    package static func lay(_ source: Span<RGBA16>, on background: RGBA16, to target: inout MutableSpan<RGBA16>) {
        for x in 0..<min(source.count, target.count) { target[x] = laid(source[x], over: background) }
    }

    /// Each channel c, multiplied as by `scale`, becomes c + (b × (65535 - a) + 32767) / 65535 over the target's b.
    package static func lay(
        _ source: Span<RGBA16>, by factor: UInt64, over target: inout MutableSpan<RGBA16>, at first: Int
    ) {
        for x in 0..<min(source.count, target.count - first) {
            target[first + x] = laid(scaled(source[x], factor), over: target[first + x])
        }
    }

    @inline(__always) private static func scaled(_ p: RGBA16, _ factor: UInt64) -> RGBA16 {
        func scaled(_ value: UInt16) -> UInt16 {
            UInt16(truncatingIfNeeded: (UInt64(value) &* factor &+ 0x8000_0000) >> 32)
        }
        return RGBA16(scaled(p.red), scaled(p.green), scaled(p.blue), scaled(p.alpha))
    }

    @inline(__always) private static func laid(_ p: RGBA16, over b: RGBA16) -> RGBA16 {
        let rest = 65535 - UInt32(p.alpha)
        return RGBA16(
            added(p.red, product(b.red, rest)), added(p.green, product(b.green, rest)),
            added(p.blue, product(b.blue, rest)), added(p.alpha, product(b.alpha, rest)))
    }

    @inline(__always) private static func product(_ value: UInt16, _ factor: UInt32) -> UInt16 {
        // (value × factor + 32767) / 65535 without a division, exact for all products; no sum exceeds 32 bits.
        let raised = UInt32(value) &* factor &+ 32768
        return UInt16(truncatingIfNeeded: (raised &+ (raised >> 16)) >> 16)
    }

    @inline(__always) private static func added(_ a: UInt16, _ b: UInt16) -> UInt16 {
        let sum = UInt32(a) &+ UInt32(b)
        return UInt16(truncatingIfNeeded: min(65535, sum))
    }
}
