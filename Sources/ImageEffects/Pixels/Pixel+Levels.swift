internal import Raster

extension RGBA8 {
    /// The channels as numbers up to 255.
    @inline(__always) var levels: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), Float(alpha)) }

    /// The nearest pixel to channels from 0 to 255.
    @inline(__always) init(levels: SIMD4<Float>) {
        let p = levels + 0.5
        self.init(
            UInt8(truncatingIfNeeded: Int32(p.x)), UInt8(truncatingIfNeeded: Int32(p.y)),
            UInt8(truncatingIfNeeded: Int32(p.z)), UInt8(truncatingIfNeeded: Int32(p.w)))
    }
}

extension RGBA16 {
    /// The channels as numbers up to 65535.
    @inline(__always) var levels: SIMD4<Float> { SIMD4(Float(red), Float(green), Float(blue), Float(alpha)) }

    /// The nearest pixel to channels from 0 to 65535.
    @inline(__always) init(levels: SIMD4<Float>) {
        let p = levels + 0.5
        self.init(
            UInt16(truncatingIfNeeded: Int32(p.x)), UInt16(truncatingIfNeeded: Int32(p.y)),
            UInt16(truncatingIfNeeded: Int32(p.z)), UInt16(truncatingIfNeeded: Int32(p.w)))
    }
}

extension SIMD4<Float> {
    /// No channel below 0 or above `largest`.
    @inline(__always) func limited(to largest: Float) -> Self {
        // The library's own clamping of vectors goes lane by lane.
        let positive = replacing(with: 0, where: self .< 0)
        return positive.replacing(with: largest, where: positive .> largest)
    }
}
