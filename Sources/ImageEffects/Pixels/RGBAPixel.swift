internal import Raster

/// An RGBA pixel of either depth.
protocol RGBAPixel: Pixel {
    /// The channel value for 1.
    static var largest: UInt32 { get }
    /// Red, green, blue and alpha.
    var channels: SIMD4<UInt32> { get }
    /// A pixel of channels that are at most `largest`.
    init(channels: SIMD4<UInt32>)
    /// The channels as floating point numbers up to `largest`.
    var levels: SIMD4<Float> { get }
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

    @inline(__always) var levels: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), Float(alpha)) }
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

    @inline(__always) var levels: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), Float(alpha)) }
}

extension RGBAPixel {
    /// The nearest pixel to channel values from 0 to `largest`.
    @inline(__always) init(levels: SIMD4<Float>) { self.init(channels: levels.nearest) }

    /// The nearest pixel, with no channel above `largest` and no colour above alpha.
    @inline(__always) init(rounding values: SIMD4<Float>) {
        var channels = SIMD4<UInt32>()
        channels.w = min(Self.largest, UInt32(values.w + 0.5))
        for channel in 0..<3 { channels[channel] = min(channels.w, UInt32(values[channel] + 0.5)) }
        self.init(channels: channels)
    }
}

extension SIMD4<Float> {
    /// The nearest integers, in the low 16 bits. Adding 2²³ rounds a number and leaves it in the sum's lowest bits,
    /// faster than vector conversions that check for overflow.
    @inline(__always) fileprivate var nearest: SIMD4<UInt32> {
        let sum = self + 8_388_608
        return SIMD4<UInt32>(sum.x.bitPattern, sum.y.bitPattern, sum.z.bitPattern, sum.w.bitPattern)
    }

    /// The channels clamped to 0…`largest`.
    @inline(__always) func limited(to largest: Float) -> Self {
        // The standard library's clamping of vectors works lane by lane.
        let positive = replacing(with: 0, where: self .< 0)
        return positive.replacing(with: largest, where: positive .> largest)
    }
}
