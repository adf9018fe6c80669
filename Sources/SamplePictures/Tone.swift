internal import Raster

/// Functions for generating images, made of operations that every machine rounds identically.
enum Tone {
    /// 0 below `a`, 1 above `b`, with a smooth transition between.
    @inline(__always)
    static func rise(_ x: Float, _ a: Float, _ b: Float) -> Float {
        let t = clamp((x - a) / (b - a))
        return t * t * (3 - 2 * t)
    }

    @inline(__always)
    static func clamp(_ x: Float) -> Float { x < 0 ? 0 : (x > 1 ? 1 : x) }

    @inline(__always)
    static func mix(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ t: Float) -> SIMD3<Float> { a + (b - a) * t }

    @inline(__always)
    static func dot(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

    @inline(__always)
    static func normalized(_ v: SIMD3<Float>) -> SIMD3<Float> { v * (1 / dot(v, v).squareRoot()) }

    /// Sine with an error below 0.001: Bhaskara's parabola with one correction.
    @inline(__always)
    static func sine(_ radians: Float) -> Float {
        let turns = radians * (1 / (2 * Float.pi))
        let t = turns - turns.rounded(.down) - 0.5
        let parabola = 16 * t * (abs(t) - 0.5)
        return 0.225 * (parabola * abs(parabola) - parabola) + parabola
    }

    @inline(__always)
    static func cosine(_ radians: Float) -> Float { sine(radians + Float.pi / 2) }

    /// Rounds a value to a byte, clamped to 0...255.
    @inline(__always)
    static func byte(_ value: Float) -> UInt8 {
        UInt8(value < 0 ? 0 : (value > 255 ? 255 : value + 0.5 > 255 ? 255 : value + 0.5))
    }

    /// Converts linear light, 0 to 1 a channel, to a pixel by its square root: close to sRGB's curve, and identical on
    /// every machine.
    @inline(__always)
    static func pixel(_ light: SIMD3<Float>, alpha: Float = 1, grain: Float = 0) -> RGBA8 {
        RGBA8(
            byte(max(light.x, 0).squareRoot() * 255 + grain), byte(max(light.y, 0).squareRoot() * 255 + grain),
            byte(max(light.z, 0).squareRoot() * 255 + grain), byte(alpha * 255))
    }
}
