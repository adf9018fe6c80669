/// Changes of pixel format, one row at a time.
///
/// 16 → 8 bits rounds, (v × 255 + 32767) / 65535; 8 → 16 bits is v × 257; grey to rgba repeats the value and is opaque;
/// rgba to grey is Y of Rec. 601, 0.299 R + 0.587 G + 0.114 B of the stored values, as JPEG has it (JFIF 1.02), rounded,
/// with weights of 16 bits: (19595 R + 38470 G + 7471 B + 32768) / 65536. Alpha isn't looked at on the way to grey.
package enum ScalarConversion {
    /// v × 257.
    package static func convert(_ source: Span<Gray8>, to target: inout MutableSpan<Gray16>) {
        for x in 0..<min(source.count, target.count) { target[x] = Gray16(widened(source[x].value)) }
    }

    /// The value three times, opaque.
    package static func convert(_ source: Span<Gray8>, to target: inout MutableSpan<RGBA8>) {
        for x in 0..<min(source.count, target.count) {
            let value = source[x].value
            target[x] = RGBA8(value, value, value)
        }
    }

    /// v × 257 three times, opaque.
    package static func convert(_ source: Span<Gray8>, to target: inout MutableSpan<RGBA16>) {
        for x in 0..<min(source.count, target.count) {
            let value = widened(source[x].value)
            target[x] = RGBA16(value, value, value)
        }
    }

    /// (v × 255 + 32767) / 65535.
    package static func convert(_ source: Span<Gray16>, to target: inout MutableSpan<Gray8>) {
        for x in 0..<min(source.count, target.count) { target[x] = Gray8(narrowed(source[x].value)) }
    }

    /// (v × 255 + 32767) / 65535 three times, opaque.
    package static func convert(_ source: Span<Gray16>, to target: inout MutableSpan<RGBA8>) {
        for x in 0..<min(source.count, target.count) {
            let value = narrowed(source[x].value)
            target[x] = RGBA8(value, value, value)
        }
    }

    /// The value three times, opaque.
    package static func convert(_ source: Span<Gray16>, to target: inout MutableSpan<RGBA16>) {
        for x in 0..<min(source.count, target.count) {
            let value = source[x].value
            target[x] = RGBA16(value, value, value)
        }
    }

    /// Y of Rec. 601.
    package static func convert(_ source: Span<RGBA8>, to target: inout MutableSpan<Gray8>) {
        for x in 0..<min(source.count, target.count) {
            let pixel = source[x]
            let luma = luma(UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue))
            target[x] = Gray8(UInt8(truncatingIfNeeded: luma))
        }
    }

    /// Y of Rec. 601, of channels × 257.
    package static func convert(_ source: Span<RGBA8>, to target: inout MutableSpan<Gray16>) {
        for x in 0..<min(source.count, target.count) {
            let pixel = source[x]
            let luma = luma(UInt32(pixel.red) &* 257, UInt32(pixel.green) &* 257, UInt32(pixel.blue) &* 257)
            target[x] = Gray16(UInt16(truncatingIfNeeded: luma))
        }
    }

    /// v × 257 in every channel.
    package static func convert(_ source: Span<RGBA8>, to target: inout MutableSpan<RGBA16>) {
        for x in 0..<min(source.count, target.count) {
            let pixel = source[x]
            target[x] = RGBA16(
                widened(pixel.red), widened(pixel.green), widened(pixel.blue), widened(pixel.alpha))
        }
    }

    /// Y of Rec. 601, then (v × 255 + 32767) / 65535.
    package static func convert(_ source: Span<RGBA16>, to target: inout MutableSpan<Gray8>) {
        for x in 0..<min(source.count, target.count) {
            let pixel = source[x]
            let luma = luma(UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue))
            target[x] = Gray8(narrowed(UInt16(truncatingIfNeeded: luma)))
        }
    }

    /// Y of Rec. 601.
    package static func convert(_ source: Span<RGBA16>, to target: inout MutableSpan<Gray16>) {
        for x in 0..<min(source.count, target.count) {
            let pixel = source[x]
            let luma = luma(UInt32(pixel.red), UInt32(pixel.green), UInt32(pixel.blue))
            target[x] = Gray16(UInt16(truncatingIfNeeded: luma))
        }
    }

    /// (v × 255 + 32767) / 65535 in every channel.
    package static func convert(_ source: Span<RGBA16>, to target: inout MutableSpan<RGBA8>) {
        for x in 0..<min(source.count, target.count) {
            let pixel = source[x]
            target[x] = RGBA8(
                narrowed(pixel.red), narrowed(pixel.green), narrowed(pixel.blue), narrowed(pixel.alpha))
        }
    }

    @inline(__always) private static func widened(_ value: UInt8) -> UInt16 { UInt16(value) &* 257 }

    @inline(__always) private static func narrowed(_ value: UInt16) -> UInt8 {
        // The same without a division, for all 65536 values.
        UInt8(truncatingIfNeeded: (UInt32(value) &* 255 &+ 32895) >> 16)
    }

    // The weights' sum is 65536, so that no result exceeds the largest channel; 65535 × 65536 + 32768 fits 32 bits.
    @inline(__always) private static func luma(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
        (red &* 19595 &+ green &* 38470 &+ blue &* 7471 &+ 32768) >> 16
    }
}
