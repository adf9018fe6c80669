internal import Platform

/// The transfer function PQ (ITU-R BT.2100, table 4).
package enum PerceptualQuantizer {
    /// The luminance of diffuse white in candela per square metre (ITU-R BT.2408, 2.2).
    package static let white = 203.0
    /// The luminance of a value of 1 in candela per square metre.
    package static let peak = 10000.0

    /// The linear light of a value from 0 to 1; 1 is `peak`.
    package static func light(_ value: Double) -> Double {
        let power = pow(value, 1 / 78.84375)
        return pow(max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    }

    /// The value of linear light from 0 to 1, of which 1 is `peak`: the inverse of `light(_:)`.
    package static func value(_ light: Double) -> Double {
        let power = pow(light, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    /// The values of 16 bits for light that is a power of two times 1 + k / 1024, from 2^-28 to 1: the exponents and ten
    /// bits of the fraction of a `Float`.
    private static let words: [Float] = (0...(exponentCount << 10)).map { step in
        let (exponent, fraction) = (Double(step >> 10) - Double(exponentCount), Double(step & 1023) / 1024)
        return Float(value(exp2(exponent) * (1 + fraction)) * 65535)
    }
    private static let exponentCount = 28
    private static let firstPattern = (UInt32(127 - exponentCount)) << 23

    /// A table for `word(_:_:)`, for a loop to hold on to.
    static var table: [Float] { words }

    /// The 16-bit value of linear light relative to `peak`, accurate to one; clamped to 0 and 1.
    @inline(__always)
    static func word(_ light: Float, _ table: borrowing Span<Float>) -> UInt16 {
        UInt16(scaled(light, table).rounded())
    }

    /// The value of linear light relative to `peak`, from 0 to 1, accurate to 2^-17; clamped to 0 and 1.
    @inline(__always)
    static func value(_ light: Float, _ table: borrowing Span<Float>) -> Float { scaled(light, table) * (1 / 65535) }

    @inline(__always)
    private static func scaled(_ light: Float, _ table: borrowing Span<Float>) -> Float {
        // False for NaN, too.
        guard light > 0x1p-28 else { return 0 }
        guard light < 1 else { return 65535 }
        let offset = light.bitPattern &- firstPattern
        let index = Int(offset >> 13)
        let fraction = Float(offset & 0x1FFF) * 0x1p-13
        let low = table[index]
        return low + (table[index + 1] - low) * fraction
    }
}
