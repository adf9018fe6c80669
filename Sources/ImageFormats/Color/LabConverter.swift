internal import Raster

/// Converts CIE L*a*b* under D50 to sRGB. Colours outside sRGB are clipped per channel.
enum LabConverter {
    /// The 16-bit sRGB value of 16-bit linear light.
    private static let encoded = ToneTable(bits: 16, TransferCurve.stored(light:))

    /// D50 XYZ to linear sRGB, adapted by Bradford's method: the inverse of the matrix whose columns are the primaries
    /// in an ICC profile of sRGB.
    private static let fromXYZ: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>) = (
        SIMD3(3.1338561, -0.9787684, 0.0719453), SIMD3(-1.6168667, 1.9161415, -0.2289914),
        SIMD3(-0.4906146, 0.0334540, 1.4052427)
    )

    /// Converts `count` pixels in three planes in place: L* as 0…65535 for 0…100, a* and b* as stored, to sRGB.
    /// - Parameter isOffset: Whether a* and b* are stored with 32768 (at 8 bits, 128) as 0 instead of signed.
    static func convert(
        _ l: inout [UInt16], _ a: inout [UInt16], _ b: inout [UInt16], count: Int,
        bits: Int, isOffset: Bool
    ) {
        let words = encoded.words
        let table = words.span
        for x in 0..<count {
            let lightness = lightness(l[x], bits: bits, isOffset: isOffset)
            let y = (lightness + 16) / 116
            let xyz = SIMD3(
                0.96422 * cube(y + difference(a[x], bits: bits, isOffset: isOffset) / 500), cube(y),
                0.82521 * cube(y - difference(b[x], bits: bits, isOffset: isOffset) / 200))
            let light = fromXYZ.0 * xyz.x + fromXYZ.1 * xyz.y + fromXYZ.2 * xyz.z
            let scaled = light.clamped(lowerBound: SIMD3(), upperBound: SIMD3(repeating: 1)) * 65535
            l[x] = table[Int(scaled.x.rounded())]
            a[x] = table[Int(scaled.y.rounded())]
            b[x] = table[Int(scaled.z.rounded())]
        }
    }

    /// Returns L* of a sample scaled to 16 bits. In ICC's 16-bit form FF00 is 100 (ICC.1:2001-04, annex A).
    private static func lightness(_ sample: UInt16, bits: Int, isOffset: Bool) -> Double {
        isOffset && bits == 16 ? min(100, Double(sample) * 100 / 65280) : Double(sample) * 100 / 65535
    }

    /// Returns a* or b*, -128…127, of a stored sample (TIFF 6.0, section 23).
    private static func difference(_ sample: UInt16, bits: Int, isOffset: Bool) -> Double {
        if bits == 8 {
            let byte = UInt8(truncatingIfNeeded: sample)
            return isOffset ? Double(byte) - 128 : Double(Int8(bitPattern: byte))
        }
        return (isOffset ? Double(sample) - 32768 : Double(Int16(bitPattern: sample))) / 256
    }

    /// The inverse of the function in CIE 15:2004, 8.2.1.
    private static func cube(_ value: Double) -> Double {
        value > 6.0 / 29 ? value * value * value : 3 * (6.0 / 29) * (6.0 / 29) * (value - 4.0 / 29)
    }
}
