internal import Raster

extension RGBA8 {
    /// The channels as numbers up to 255.
    @inline(__always) var levels: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), Float(alpha)) }

    /// The nearest pixel to channels from 0 to 255.
    @inline(__always) init(levels: SIMD4<Float>) {
        let p = levels + Float.wholeNumbers
        self.init(
            UInt8(truncatingIfNeeded: p.x.bitPattern), UInt8(truncatingIfNeeded: p.y.bitPattern),
            UInt8(truncatingIfNeeded: p.z.bitPattern), UInt8(truncatingIfNeeded: p.w.bitPattern))
    }
}

extension RGBA16 {
    /// The channels as numbers up to 65535.
    @inline(__always) var levels: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), Float(alpha)) }

    /// The nearest pixel to channels from 0 to 65535.
    @inline(__always) init(levels: SIMD4<Float>) {
        let p = levels + Float.wholeNumbers
        self.init(
            UInt16(truncatingIfNeeded: p.x.bitPattern), UInt16(truncatingIfNeeded: p.y.bitPattern),
            UInt16(truncatingIfNeeded: p.z.bitPattern), UInt16(truncatingIfNeeded: p.w.bitPattern))
    }
}

extension Float {
    /// 2²³: what is added to it loses its fraction, rounded, and is the sum's lowest bits. Vectors have nothing faster
    /// that doesn't look out for numbers too large.
    fileprivate static var wholeNumbers: Float { 8_388_608 }
}

extension SIMD4<Float> {
    /// No channel below 0 or above `largest`.
    @inline(__always) func limited(to largest: Float) -> Self {
        // The library's own clamping of vectors goes lane by lane.
        let positive = replacing(with: 0, where: self .< 0)
        return positive.replacing(with: largest, where: positive .> largest)
    }
}
