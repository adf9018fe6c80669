/// A pixel that converts to every format.
///
/// 16 → 8 bits rounds, (v × 255 + 32767) / 65535; 8 → 16 bits is v × 257; grey to rgba repeats the value and is opaque;
/// rgba to grey is Y of Rec. 601, 0.299 R + 0.587 G + 0.114 B of the stored values, as JPEG has it (JFIF 1.02), rounded,
/// with weights of 16 bits: (19595 R + 38470 G + 7471 B + 32768) / 65536. Conversion to grey ignores alpha.
protocol ConvertiblePixel: Pixel {
    var gray8: Gray8 { get }
    var gray16: Gray16 { get }
    var rgba8: RGBA8 { get }
    var rgba16: RGBA16 { get }
}

extension Gray8: ConvertiblePixel {
    @inline(__always) var gray8: Gray8 { self }
    @inline(__always) var gray16: Gray16 { Gray16(value.widened) }
    @inline(__always) var rgba8: RGBA8 { RGBA8(value, value, value) }
    @inline(__always) var rgba16: RGBA16 { gray16.rgba16 }
}

extension Gray16: ConvertiblePixel {
    @inline(__always) var gray8: Gray8 { Gray8(value.narrowed) }
    @inline(__always) var gray16: Gray16 { self }
    @inline(__always) var rgba8: RGBA8 { gray8.rgba8 }
    @inline(__always) var rgba16: RGBA16 { RGBA16(value, value, value) }
}

extension RGBA8: ConvertiblePixel {
    @inline(__always) var gray8: Gray8 {
        Gray8(UInt8(truncatingIfNeeded: luma(UInt32(red), UInt32(green), UInt32(blue))))
    }
    @inline(__always) var gray16: Gray16 { rgba16.gray16 }
    @inline(__always) var rgba8: RGBA8 { self }
    @inline(__always) var rgba16: RGBA16 { RGBA16(red.widened, green.widened, blue.widened, alpha.widened) }
}

extension RGBA16: ConvertiblePixel {
    @inline(__always) var gray8: Gray8 { gray16.gray8 }
    @inline(__always) var gray16: Gray16 {
        Gray16(UInt16(truncatingIfNeeded: luma(UInt32(red), UInt32(green), UInt32(blue))))
    }
    @inline(__always) var rgba8: RGBA8 { RGBA8(red.narrowed, green.narrowed, blue.narrowed, alpha.narrowed) }
    @inline(__always) var rgba16: RGBA16 { self }
}

// The weights' sum is 65536, so that no result exceeds the largest channel; 65535 × 65536 + 32768 fits 32 bits.
@inline(__always) private func luma(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
    (red &* 19595 &+ green &* 38470 &+ blue &* 7471 &+ 32768) >> 16
}
