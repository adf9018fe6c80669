#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The transfer curve of sRGB (IEC 61966-2-1), between stored values and light, both 0…1.
package enum TransferCurve {
    /// Light for each stored value of 16 bits.
    static let light: [Float] = (0...65535).map { Float(light(stored: Double($0) / 65535)) }

    /// The stored byte for each amount of light of 16 bits: 20 steps to a byte where the curve is steepest.
    static let bytes: [UInt8] = (0...65535).map { UInt8((stored(light: Double($0) / 65535) * 255).rounded()) }

    /// The light of a stored value.
    package static func light(stored value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// The stored value of an amount of light.
    package static func stored(light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
