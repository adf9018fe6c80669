internal import Platform
internal import Raster

/// A conversion to sRGB from RGB described by three tone curves and a matrix.
///
/// That covers nearly all profiles of cameras and screens (ICC.1, "Three-component matrix-based profiles"), and PNG's
/// gAMA and cHRM. It computes in single precision: of a few hundred bytes, one is rounded differently from the exact
/// result. lcms2's conversion of bytes is a fifth as fast, and is off by several levels where curves are steep.
struct MatrixShaper: Sendable {
    /// For 8 bits: what each value of red, then of green and of blue, adds to sRGB's linear red, green and blue.
    private let parts: [SIMD4<Float>]
    /// For 16 bits, where `parts` would be too large: the linear value of each value of red, then of green and of blue.
    private let linear: [Float]
    /// The contributions of full red, green and blue.
    private let columns: [SIMD4<Float>]
    /// sRGB's values for evenly spaced linear values.
    private let bytes: [UInt8]
    private let words: [UInt16]

    /// The size of `bytes`: a step is 0.2 of a value where the curve is steepest.
    static let byteSteps = 1 << 14
    /// The size of `words`: a step is 0.05 of an 8-bit value where the curve is steepest.
    static let wordSteps = 1 << 16

    /// Creates a conversion of values of 8 or 16 bits from a profile's primaries; nil if those aren't finite.
    init?(_ primaries: [(xyz: SIMD3<Double>, curve: (Float) -> Float)], bits: Int) {
        let matrix = primaries.map { Self.linearSRGB($0.xyz) }
        guard matrix.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else { return nil }
        columns = matrix.map { SIMD4(Float($0.x), Float($0.y), Float($0.z), 0) }
        let maximum = bits == 8 ? 255 : 65535
        var (parts, linear): ([SIMD4<Float>], [Float]) = ([], [])
        for (primary, column) in zip(primaries, columns) {
            for value in 0...maximum {
                let light = primary.curve(Float(value) / Float(maximum))
                let bounded = light.isFinite ? min(1, max(0, light)) : 0
                if bits == 8 { parts.append(column * bounded) } else { linear.append(bounded) }
            }
        }
        self.parts = parts
        self.linear = linear
        bytes = bits == 8 ? Self.encodedBytes : []
        words = bits == 16 ? Self.encodedWords : []
    }

    /// sRGB's values of 8 bits for `byteSteps` evenly spaced linear values.
    static let encodedBytes = (0..<byteSteps).map { step in
        UInt8((TransferCurve.stored(light: Double(step) / Double(byteSteps - 1)) * 255).rounded())
    }

    /// sRGB's values of 16 bits for `wordSteps` evenly spaced linear values.
    static let encodedWords = (0..<wordSteps).map { step in
        UInt16((TransferCurve.stored(light: Double(step) / Double(wordSteps - 1)) * 65535).rounded())
    }

    /// Converts XYZ under D50 to sRGB's linear values, with the inverse of the primaries in sRGB's ICC profile (adapted
    /// with Bradford's matrix, so that white becomes 1, 1, 1).
    private static func linearSRGB(_ xyz: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(
            3.1341359 * xyz.x - 1.6173862 * xyz.y - 0.4906619 * xyz.z,
            -0.9787955 * xyz.x + 1.9162544 * xyz.y + 0.0334427 * xyz.z,
            0.0719554 * xyz.x - 0.2289769 * xyz.y + 1.4053860 * xyz.z)
    }

    /// Converts rows of RGBA in place. Alpha doesn't change.
    func convert(_ rows: inout MutablePixelRows) {
        for y in 0..<rows.count {
            if rows.format == .rgba8 {
                Self.convert(rows.row(y, as: RGBA8.self), parts.span, bytes.span)
            } else {
                Self.convert(rows.row(y, as: RGBA16.self), linear.span, columns, words.span)
            }
        }
    }

    /// Returns `light` × (`steps` - 1), rounded and clamped to 0...`steps` - 1.
    @inline(__always)
    static func index(_ light: SIMD4<Float>, steps: Int) -> SIMD4<UInt32> {
        let last = SIMD4<Float>(repeating: Float(steps - 1))
        var scaled = light * last
        scaled = scaled.replacing(with: 0, where: scaled .< 0)
        scaled = scaled.replacing(with: last, where: scaled .> last)
        // A float of 2²³ has no fraction bits, so the sum's low bits are the rounded number.
        let sum = scaled + SIMD4<Float>(repeating: 8_388_608)
        return unsafeBitCast(sum, to: SIMD4<UInt32>.self) & SIMD4<UInt32>(repeating: UInt32(steps - 1))
    }

    private static func convert(_ row: consuming MutableSpan<RGBA8>, _ parts: Span<SIMD4<Float>>, _ bytes: Span<UInt8>)
    {
        precondition(parts.count == 768 && bytes.count == byteSteps)
        for x in 0..<row.count {
            let pixel = row[x]
            let light = parts[Int(pixel.red)] + parts[256 + Int(pixel.green)] + parts[512 + Int(pixel.blue)]
            let index = index(light, steps: byteSteps)
            row[x] = RGBA8(bytes[Int(index.x)], bytes[Int(index.y)], bytes[Int(index.z)], pixel.alpha)
        }
    }

    private static func convert(
        _ row: consuming MutableSpan<RGBA16>, _ linear: Span<Float>, _ columns: [SIMD4<Float>], _ words: Span<UInt16>
    ) {
        precondition(linear.count == 3 * 65536 && words.count == wordSteps)
        let (red, green, blue) = (columns[0], columns[1], columns[2])
        for x in 0..<row.count {
            let pixel = row[x]
            let light =
                red * linear[Int(pixel.red)] + green * linear[65536 + Int(pixel.green)]
                + blue * linear[131072 + Int(pixel.blue)]
            let index = index(light, steps: wordSteps)
            row[x] = RGBA16(words[Int(index.x)], words[Int(index.y)], words[Int(index.z)], pixel.alpha)
        }
    }
}

/// A conversion to sRGB with one table for all channels.
struct ToneTable: Hashable {
    /// The results for 8-bit values; empty if rows have 16 bits.
    let bytes: [UInt8]
    /// The results for 16-bit values; empty if rows have 8 bits.
    let words: [UInt16]

    /// Creates a table of `result`, which maps 0…1 to 0…1, for values of `bits` bits.
    init(bits: Int, _ result: (Double) -> Double) {
        func scaled(_ value: Int, _ maximum: Int) -> Double {
            let result = result(Double(value) / Double(maximum)) * Double(maximum)
            return min(Double(maximum), max(0, result.rounded()))
        }
        bytes = bits == 8 ? (0...255).map { UInt8(scaled($0, 255)) } : []
        words = bits == 16 ? (0...65535).map { UInt16(scaled($0, 65535)) } : []
    }

    /// Creates a table of the results of `transform`, which must be for 16-bit grey.
    init(bits: Int, _ transform: ICCTransform) {
        var values = bits == 8 ? (0...255).map { UInt16($0 * 257) } : (0...65535).map { UInt16($0) }
        values.withUnsafeMutableBytes { bytes in
            // lcms2 can convert in place if both sides have the same layout.
            transform.convert(bytes.baseAddress!, to: bytes.baseAddress!, count: bytes.count / 2)
        }
        bytes = bits == 8 ? values.map { UInt8((Int($0) * 255 + 32767) / 65535) } : []
        words = bits == 16 ? values : []
    }

    /// Creates a table from values that are linear light raised to `gamma` to sRGB.
    init(bits: Int, gamma: Double) {
        self.init(bits: bits) { TransferCurve.stored(light: pow($0, 1 / gamma)) }
    }

    /// Whether every result is within `tolerance`, a fraction of the full range, of its value.
    func isIdentity(within tolerance: Double) -> Bool {
        bytes.indices.allSatisfy { abs(Int(bytes[$0]) - $0) <= Int(tolerance * 255) }
            && words.indices.allSatisfy { abs(Int(words[$0]) - $0) <= Int(tolerance * 65535) }
    }

    /// Converts rows in place. Alpha doesn't change.
    func convert(_ rows: inout MutablePixelRows) {
        for y in 0..<rows.count {
            switch rows.format {
            case .gray8: Self.convert(rows.row(y, as: Gray8.self), bytes.span)
            case .gray16: Self.convert(rows.row(y, as: Gray16.self), words.span)
            case .rgba8: Self.convert(rows.row(y, as: RGBA8.self), bytes.span)
            case .rgba16: Self.convert(rows.row(y, as: RGBA16.self), words.span)
            }
        }
    }

    private static func convert(_ row: consuming MutableSpan<Gray8>, _ table: Span<UInt8>) {
        for x in 0..<row.count { row[x] = Gray8(table[Int(row[x].value)]) }
    }

    private static func convert(_ row: consuming MutableSpan<Gray16>, _ table: Span<UInt16>) {
        for x in 0..<row.count { row[x] = Gray16(table[Int(row[x].value)]) }
    }

    private static func convert(_ row: consuming MutableSpan<RGBA8>, _ table: Span<UInt8>) {
        for x in 0..<row.count {
            let pixel = row[x]
            row[x] = RGBA8(table[Int(pixel.red)], table[Int(pixel.green)], table[Int(pixel.blue)], pixel.alpha)
        }
    }

    private static func convert(_ row: consuming MutableSpan<RGBA16>, _ table: Span<UInt16>) {
        for x in 0..<row.count {
            let pixel = row[x]
            row[x] = RGBA16(table[Int(pixel.red)], table[Int(pixel.green)], table[Int(pixel.blue)], pixel.alpha)
        }
    }
}
