import Foundation
import ImageFormats
package import Raster

/// Tone mapping in double precision by the formulas of ITU-R BT.2100, BT.2390 and BT.2408, written from those texts.
package enum ToneMapping {
    package typealias Chromaticities = ColorProfile.Chromaticities

    /// Primaries by their code (ITU-T H.273): 1 for BT.709, 9 for BT.2020, 12 for Display P3.
    package static func primaries(_ code: UInt8) -> Chromaticities {
        let values: [Double] =
            switch code {
            case 9: [0.708, 0.292, 0.17, 0.797, 0.131, 0.046]
            case 12: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06]
            default: [0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
            }
        return Chromaticities(
            white: .init(x: 0.3127, y: 0.329), red: .init(x: values[0], y: values[1]),
            green: .init(x: values[2], y: values[3]), blue: .init(x: values[4], y: values[5]))
    }

    /// Candela per square metre of a value of PQ (BT.2100, table 4).
    package static func pqLight(_ value: Double) -> Double {
        let power = pow(value, 32.0 / 2523)
        return 10000 * pow(max(0, power - 107.0 / 128) / (2413.0 / 128 - 2392.0 / 128 * power), 16384.0 / 2610)
    }

    /// The value of PQ for candela per square metre.
    package static func pqValue(_ light: Double) -> Double {
        let power = pow(max(0, light) / 10000, 2610.0 / 16384)
        return pow((107.0 / 128 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
    }

    /// The light of the scene, 0 to 1, of a value of HLG (BT.2100, table 5).
    package static func hlgScene(_ value: Double) -> Double {
        let a = 0.17883277
        let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
        return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
    }

    /// Candela per square metre of a grey value.
    package static func grayLight(_ value: Double, transfer: UInt8) -> Double {
        transfer == 16 ? pqLight(value) : 1000 * pow(hlgScene(value), 1.2)
    }

    /// The EETF of BT.2390 for black at 0.
    package static func compressed(_ value: Double, from source: Double, to target: Double) -> Double {
        let white = pqValue(source)
        let maximum = pqValue(target) / white
        let input = min(1, value / white)
        let knee = 1.5 * maximum - 0.5
        guard maximum < 1, input > knee else { return input * white }
        let t = (input - knee) / (1 - knee)
        let spline =
            (2 * pow(t, 3) - 3 * pow(t, 2) + 1) * knee + (pow(t, 3) - 2 * pow(t, 2) + t) * (1 - knee)
            + (-2 * pow(t, 3) + 3 * pow(t, 2)) * maximum
        return spline * white
    }

    private static func product(_ rows: [[Double]], _ color: [Double]) -> [Double] {
        rows.map { row in zip(row, color).reduce(0) { $0 + $1.0 * $1.1 } / 4096 }
    }

    private static let responses: [[Double]] = [[1688, 2146, 262], [683, 2951, 462], [99, 309, 3688]]
    private static let differences: [[Double]] = [[2048, 2048, 0], [6610, -13613, 7003], [17933, -17390, -543]]

    private static func columns(_ rows: [[Double]]) -> [[Double]] {
        (0..<3).map { column in rows.map { $0[column] / 4096 } }
    }

    /// I, Ct, Cp of light in BT.2020's primaries in candela per square metre.
    package static func ictcp(_ light: [Double]) -> [Double] {
        product(differences, product(responses, light).map(pqValue))
    }

    private static func light(ictcp: [Double]) -> [Double] {
        let values = ColorMath.solve(columns(differences), ictcp)
        return ColorMath.solve(columns(responses), values.map { pqLight(min(1, max(0, $0))) })
    }

    /// Light in one set of primaries for light in another.
    package static func converted(_ light: [Double], from source: UInt8, to target: UInt8) -> [Double] {
        ColorMath.solve(
            ColorMath.primaries(primaries(target)), ColorMath.sum(ColorMath.primaries(primaries(source)), light))
    }

    /// Light in BT.2020's primaries in candela per square metre, of values of PQ or HLG from 0 to 1.
    package static func displayLight(_ values: [Double], primaries: UInt8, transfer: UInt8) -> [Double] {
        guard transfer == 18 else { return converted(values.map(pqLight), from: primaries, to: 9) }
        let scene = converted(values.map(hlgScene), from: primaries, to: 9)
        let luminance = max(0, 0.2627 * scene[0] + 0.678 * scene[1] + 0.0593 * scene[2])
        return scene.map { 1000 * $0 * pow(luminance, 0.2) }
    }

    /// Linear light in sRGB's primaries, 0 to 1, of values of PQ or HLG whose content reaches `peak`.
    package static func standard(_ values: [Double], primaries: UInt8, transfer: UInt8, peak: Double) -> [Double] {
        let stored = ictcp(displayLight(values, primaries: primaries, transfer: transfer))
        let intensity = compressed(stored[0], from: peak, to: 203)
        let ratio = stored[0] > 0 ? intensity / stored[0] : 0
        func result(_ chroma: Double) -> [Double] {
            let appearance = [intensity, stored[1] * ratio * chroma, stored[2] * ratio * chroma]
            return converted(light(ictcp: appearance), from: 9, to: 1).map { $0 / 203 }
        }
        func isInside(_ color: [Double]) -> Bool { color.allSatisfy { (-0.0005...1.0005).contains($0) } }
        var (inside, outside) = (0.0, 1.0)
        if isInside(result(1)) { return result(1).map { min(1, max(0, $0)) } }
        for _ in 0..<40 {
            let middle = (inside + outside) / 2
            if isInside(result(middle)) { inside = middle } else { outside = middle }
        }
        return result(inside).map { min(1, max(0, $0)) }
    }

    /// The difference of two colours' hues in ICtCp, in degrees.
    package static func hueDifference(_ a: [Double], _ b: [Double]) -> Double {
        let (first, second) = (ictcp(a), ictcp(b))
        let difference = atan2(first[2], first[1]) - atan2(second[2], second[1])
        return abs(atan2(sin(difference), cos(difference))) * 180 / .pi
    }

    /// A PNG file of `bitmap` whose values mean what the code points say, with MaxCLL if there is a peak, and with the peak
    /// of the mastering display.
    package static func png(
        _ bitmap: Bitmap, primaries: UInt8, transfer: UInt8, peak: Int? = nil, displayPeak: Int? = nil
    ) throws -> [UInt8] {
        let options = EncodingOptions(png: EncodingOptions.PNG(reducesColors: false))
        let png = try ImageDestination(format: .png, options: options).encode(bitmap)
        var chunks = chunk("cICP", [primaries, transfer, 0, 1])
        if let peak { chunks += chunk("cLLI", number(peak * 10000) + number(0)) }
        if let displayPeak {
            chunks += chunk("mDCV", [UInt8](repeating: 0, count: 16) + number(displayPeak * 10000) + number(0))
        }
        // The signature and IHDR take 33 bytes.
        return Array(png[..<33]) + chunks + Array(png[33...])
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        // A chunk's checksum is of its name and its data.
        let body = Array(name.utf8) + data
        var checksum: UInt32 = 0xFFFF_FFFF
        for byte in body {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
        }
        return number(data.count) + body + number(Int(~checksum))
    }

    /// Pixels of sixteen bits in one row.
    package static func row(_ colors: [[Double]]) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            uninitialized: BitmapInfo(size: PixelSize(width: colors.count, height: 1), format: .rgba16))
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: RGBA16.self)
        func word(_ value: Double) -> UInt16 { UInt16((min(1, max(0, value)) * 65535).rounded()) }
        for x in colors.indices { row[x] = RGBA16(word(colors[x][0]), word(colors[x][1]), word(colors[x][2]), 65535) }
        return bitmap.freeze()
    }
}
