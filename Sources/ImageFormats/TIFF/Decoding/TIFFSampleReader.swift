#if TIFF
internal import Raster

/// Converts samples of any width and number format to 16 bits, 0 for black and 65535 for white.
struct TIFFSampleReader {
    let format: TIFFPixelLayout.SampleFormat
    let bits: Int

    /// Reads `count` samples of `row`: the one at `first`, then every `step` samples.
    ///
    /// Samples of whole bytes are in native byte order; others are packed from the highest bit down. Traps if the row
    /// is too short.
    func read(_ row: RawSpan, first: Int, step: Int, count: Int, into target: inout MutableSpan<UInt16>) {
        switch (format, bits) {
        case (.unsigned, 8):
            for x in 0..<count { target[x] = UInt16(byte(row, first + x * step)) * 257 }
        case (.unsigned, 16):
            for x in 0..<count { target[x] = load(row, first + x * step, as: UInt16.self) }
        case (.unsigned, 1), (.unsigned, 2), (.unsigned, 4):
            let scale = UInt16(65535 / ((1 << bits) - 1))
            for x in 0..<count { target[x] = UInt16(packed(row, first + x * step)) * scale }
        case (.float, 16):
            for x in 0..<count {
                target[x] = Self.light(Self.half(load(row, first + x * step, as: UInt16.self)))
            }
        case (.float, 24):
            for x in 0..<count { target[x] = Self.light(Self.float24(triple(row, first + x * step))) }
        case (.float, 32):
            for x in 0..<count {
                target[x] = Self.light(Double(Float(bitPattern: load(row, first + x * step, as: UInt32.self))))
            }
        case (.float, _):
            for x in 0..<count {
                target[x] = Self.light(Double(bitPattern: load(row, first + x * step, as: UInt64.self)))
            }
        case (.unsigned, _):
            let most = Double(UInt64.max >> UInt64(64 - bits))
            for x in 0..<count { target[x] = Self.light(Double(integer(row, first + x * step)) / most) }
        case (.signed, _):
            let most = Double(UInt64.max >> UInt64(65 - bits))
            for x in 0..<count {
                let value = integer(row, first + x * step) << UInt64(64 - bits)
                target[x] = Self.light(Double(Int64(bitPattern: value) >> Int64(64 - bits)) / most)
            }
        }
    }

    /// Reads `count` unsigned samples of up to 16 bits without scaling; otherwise as `read(_:first:step:count:into:)`.
    func readIndices(_ row: RawSpan, first: Int, step: Int, count: Int, into target: inout MutableSpan<UInt16>) {
        for x in 0..<count { target[x] = UInt16(truncatingIfNeeded: integer(row, first + x * step)) }
    }

    // MARK: Stored values

    private func byte(_ row: RawSpan, _ index: Int) -> UInt8 { load(row, index, as: UInt8.self) }

    private func load<T: FixedWidthInteger & BitwiseCopyable>(_ row: RawSpan, _ index: Int, as type: T.Type) -> T {
        // Every bit pattern is a valid number, and the offset is checked.
        row.unsafeLoadUnaligned(fromByteOffset: index * MemoryLayout<T>.size, as: T.self)
    }

    /// Reads a 24-bit sample in native byte order.
    private func triple(_ row: RawSpan, _ index: Int) -> UInt32 {
        let bytes = (UInt32(byte(row, 3 * index)), UInt32(byte(row, 3 * index + 1)), UInt32(byte(row, 3 * index + 2)))
        #if _endian(little)
        return bytes.2 << 16 | bytes.1 << 8 | bytes.0
        #else
        return bytes.0 << 16 | bytes.1 << 8 | bytes.2
        #endif
    }

    /// Reads a sample of 1, 2 or 4 bits.
    private func packed(_ row: RawSpan, _ index: Int) -> UInt8 {
        let bit = index * bits
        return byte(row, bit >> 3) >> UInt8(8 - bits - bit & 7) & UInt8((1 << bits) - 1)
    }

    /// Reads an unsigned sample of any width.
    private func integer(_ row: RawSpan, _ index: Int) -> UInt64 {
        switch bits {
        case 8: return UInt64(byte(row, index))
        case 16: return UInt64(load(row, index, as: UInt16.self))
        case 24: return UInt64(triple(row, index))
        case 32: return UInt64(load(row, index, as: UInt32.self))
        case 64: return load(row, index, as: UInt64.self)
        default:
            let bit = index * bits
            var value: UInt64 = 0
            for place in (bit >> 3)...((bit + bits - 1) >> 3) { value = value << 8 | UInt64(byte(row, place)) }
            let below = 7 - (bit + bits - 1) & 7
            return value >> UInt64(below) & (1 << UInt64(bits) - 1)
        }
    }

    // MARK: Floating-point values

    /// Maps 0…1 to 0…65535; NaN becomes black.
    private static func light(_ value: Double) -> UInt16 {
        // Comparisons with NaN are false.
        guard value > 0 else { return 0 }
        return value >= 1 ? 65535 : UInt16((value * 65535).rounded())
    }

    /// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
    private static func half(_ bits: UInt16) -> Double {
        float(UInt32(bits), exponentBits: 5, fractionBits: 10)
    }

    /// The 24-bit format of TIFF Technical Note 3: 7 bits of exponent, 16 of fraction.
    private static func float24(_ bits: UInt32) -> Double { float(bits, exponentBits: 7, fractionBits: 16) }

    private static func float(_ bits: UInt32, exponentBits: UInt32, fractionBits: UInt32) -> Double {
        let fraction = Double(bits & (1 << fractionBits - 1)) / Double(1 << fractionBits)
        let most = Int(1 << exponentBits) - 1
        let exponent = Int(bits >> fractionBits) & most
        let bias = most / 2
        let magnitude: Double
        switch exponent {
        case 0: magnitude = Double(sign: .plus, exponent: 1 - bias, significand: fraction)
        case most: magnitude = fraction == 0 ? .infinity : .nan
        default: magnitude = Double(sign: .plus, exponent: exponent - bias, significand: 1 + fraction)
        }
        return bits >> (exponentBits + fractionBits) & 1 == 1 ? -magnitude : magnitude
    }
}
#endif
