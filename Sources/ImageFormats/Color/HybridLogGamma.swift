internal import Platform

/// The transfer function HLG (ITU-R BT.2100, table 5), for a display whose peak is 1000 candela per square metre.
package enum HybridLogGamma {
    /// The display's nominal peak in candela per square metre, for which the system's gamma is 1.2.
    package static let peak = 1000.0
    /// The exponent of the system, from the luminance of the scene to that of the display.
    package static let systemGamma = 1.2

    private static let a = 0.17883277
    private static let b = 0.28466892
    private static let c = 0.55991073

    /// The light of the scene for a value from 0 to 1; 1 is the peak.
    package static func sceneLight(_ value: Double) -> Double {
        value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
    }

    /// The value for the light of the scene from 0 to 1: the inverse of `sceneLight(_:)`.
    package static func value(sceneLight light: Double) -> Double {
        light <= 1.0 / 12 ? (3 * light).squareRoot() : a * log(12 * light - b) + c
    }

    /// The light of the display for a grey of `value`; 1 is the peak.
    package static func displayLight(_ value: Double) -> Double { pow(sceneLight(value), systemGamma) }
}
