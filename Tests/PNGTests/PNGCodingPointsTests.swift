import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// What a cICP chunk (PNG, third edition) makes of the values, by the formulas of ITU-T H.273, ITU-R BT.2100 and
/// SMPTE EG 432-1.
@Suite("PNG: coding-independent code points")
struct PNGCodingPointsTests {
    private typealias Chromaticities = ColorProfile.Chromaticities
    private typealias Point = ColorProfile.Chromaticities.Point

    private static let white = Point(x: 0.3127, y: 0.329)
    private static let wide = Chromaticities(
        white: white, red: Point(x: 0.708, y: 0.292), green: Point(x: 0.17, y: 0.797), blue: Point(x: 0.131, y: 0.046))
    private static let display = Chromaticities(
        white: white, red: Point(x: 0.68, y: 0.32), green: Point(x: 0.265, y: 0.69), blue: Point(x: 0.15, y: 0.06))
    private static let standard = Chromaticities(
        white: white, red: Point(x: 0.64, y: 0.33), green: Point(x: 0.3, y: 0.6), blue: Point(x: 0.15, y: 0.06))

    /// Light of a value, 1 being white.
    private static func light(_ value: Double, _ transfer: UInt8) -> Double {
        switch transfer {
        case 17: return min(1, pow(value, 2.6) * 52.37 / 48)
        case 8: return value
        default: return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
    }

    /// sRGB values, 0…1.
    private static func expected(_ stored: [Double], _ points: Chromaticities, _ codes: [UInt8], bits: Int) -> [Double]
    {
        let values = stored.map { stored -> Double in
            let largest = Double(1 << bits - 1)
            let unit = Double(1 << (bits - 8))
            let value = codes[3] == 1 ? stored : (stored * largest - 16 * unit) / (219 * unit)
            return min(1, max(0, value))
        }
        if codes[1] == 16 || codes[1] == 18 {
            let peak = codes[1] == 16 ? 10000.0 : 1000
            guard values.count == 3 else {
                return values.map { value in
                    let light = ToneMapping.pqValue(ToneMapping.grayLight(value, transfer: codes[1]))
                    let compressed = ToneMapping.compressed(light, from: peak, to: 203)
                    return ColorMath.encoded(ToneMapping.pqLight(compressed) / 203)
                }
            }
            return ToneMapping.standard(values, primaries: codes[0], transfer: codes[1], peak: peak)
                .map(ColorMath.encoded)
        }
        let light = values.map { Self.light($0, codes[1]) }
        guard light.count == 3 else { return light.map(ColorMath.encoded) }
        // All of them have the same white, so no adaptation comes between.
        let xyz = ColorMath.sum(ColorMath.primaries(points), light)
        return ColorMath.solve(ColorMath.primaries(standard), xyz).map(ColorMath.encoded)
    }

    @Test(
        "Values are converted by primaries, curve and range",
        arguments: [
            [9, 16, 0, 1], [9, 18, 0, 1], [12, 13, 0, 1], [12, 16, 0, 1], [1, 13, 0, 0], [9, 16, 0, 0], [1, 8, 0, 1],
            [12, 1, 0, 1], [12, 17, 0, 1],
        ] as [[UInt8]], [(2, 8), (2, 16), (0, 8), (0, 16), (6, 16)])
    func colors(codes: [UInt8], kind: (colorType: Int, bits: Int)) throws {
        var fixture = PNGFixture(40, 30, colorType: kind.colorType, bitDepth: kind.bits)
        // What readers without cICP go by says something else.
        fixture.chunks = [("cICP", codes), ("sRGB", [0]), ("gAMA", PNGFixture.number(100_000))]
        let decoded = try ImageSource.decode(fixture.bytes, options: DecodingOptions(maximumBitsPerChannel: 16))
        #expect(decoded.error == nil)
        let points = [1: Self.standard, 9: Self.wide, 12: Self.display][codes[0]]!
        let largest = decoded.bitmap.format.bitsPerChannel == 8 ? 255.0 : 65535
        let samples = decoded.bitmap.storedSamples
        let isGray = kind.colorType == 0
        let channels = isGray ? 1 : 3
        let stride = decoded.bitmap.format.isGray ? 1 : 4
        var worst = 0.0
        for pixel in 0..<(40 * 30) {
            let stored = fixture.expected[(4 * pixel)..<(4 * pixel + channels)].map { Double($0) / 65535 }
            let wanted = Self.expected(stored, points, codes, bits: kind.bits)
            for channel in 0..<channels {
                let reached = Double(samples[stride * pixel + channel]) / largest
                worst = max(worst, abs(reached - wanted[channel]) * 255)
            }
        }
        // Rounding to eight bits is half a step. Curves are sampled, and steep near black.
        #expect(worst <= (largest == 255 ? 0.9 : 0.6), "\(worst)")
    }

    @Test("PQ greys follow AVIF's rule for any primaries")
    func gray() throws {
        var profiles: Set<ColorProfile> = []
        for primaries: UInt8 in [1, 9, 12] {
            var fixture = PNGFixture(4, 4, colorType: 0, bitDepth: 8)
            fixture.chunks = [("cICP", [primaries, 16, 0, 1])]
            profiles.insert(try ImageSource.header(of: fixture.bytes).profile)
        }
        #expect(profiles.count == 1 && profiles.first != .sRGB)
    }
}
