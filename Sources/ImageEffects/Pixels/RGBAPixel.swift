internal import Raster

/// A pixel with red, green, blue and alpha of either depth.
protocol RGBAPixel: Pixel {
    /// What stands for 1.
    static var largest: UInt32 { get }
    /// Red, green, blue, alpha.
    var channels: SIMD4<UInt32> { get }
    /// A pixel of channels no larger than `largest`.
    init(channels: SIMD4<UInt32>)
}

extension RGBA8: RGBAPixel {
    static var largest: UInt32 { 255 }

    @inline(__always) var channels: SIMD4<UInt32> {
        SIMD4(UInt32(red), UInt32(green), UInt32(blue), UInt32(alpha))
    }

    @inline(__always) init(channels: SIMD4<UInt32>) {
        self.init(
            UInt8(truncatingIfNeeded: channels.x), UInt8(truncatingIfNeeded: channels.y),
            UInt8(truncatingIfNeeded: channels.z), UInt8(truncatingIfNeeded: channels.w))
    }
}

extension RGBA16: RGBAPixel {
    static var largest: UInt32 { 65535 }

    @inline(__always) var channels: SIMD4<UInt32> {
        SIMD4(UInt32(red), UInt32(green), UInt32(blue), UInt32(alpha))
    }

    @inline(__always) init(channels: SIMD4<UInt32>) {
        self.init(
            UInt16(truncatingIfNeeded: channels.x), UInt16(truncatingIfNeeded: channels.y),
            UInt16(truncatingIfNeeded: channels.z), UInt16(truncatingIfNeeded: channels.w))
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
