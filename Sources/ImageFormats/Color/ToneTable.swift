internal import Raster
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A conversion to sRGB that treats every channel by itself and all alike: one result for each value.
struct ToneTable: Hashable {
    /// The results for 8-bit values.
    let bytes: [UInt8]
    /// The results for 16-bit values; empty when rows have 8 bits.
    let words: [UInt16]

    /// A table that gives `result` (0…1) for each value (0…1) of `bits` bits.
    init(bits: Int, _ result: (Double) -> Double) {
        func scaled(_ value: Int, _ maximum: Int) -> Double {
            let result = result(Double(value) / Double(maximum)) * Double(maximum)
            return min(Double(maximum), max(0, result.rounded()))
        }
        bytes = bits == 8 ? (0...255).map { UInt8(scaled($0, 255)) } : []
        words = bits == 16 ? (0...65535).map { UInt16(scaled($0, 65535)) } : []
    }

    /// What `transform`, of 16-bit grey, makes of each value of `bits` bits.
    init(bits: Int, _ transform: ICCTransform) {
        var values = bits == 8 ? (0...255).map { UInt16($0 * 257) } : (0...65535).map { UInt16($0) }
        values.withUnsafeMutableBytes { bytes in
            // In place is what lcms2 allows where both sides have the same layout.
            transform.convert(bytes.baseAddress!, to: bytes.baseAddress!, count: bytes.count / 2)
        }
        bytes = bits == 8 ? values.map { UInt8((Int($0) * 255 + 32767) / 65535) } : []
        words = bits == 16 ? values : []
    }

    /// From light raised to `gamma` to sRGB.
    init(bits: Int, gamma: Double) {
        self.init(bits: bits) { Self.encoded(pow($0, 1 / gamma)) }
    }

    /// sRGB's value for linear light (IEC 61966-2-1).
    static func encoded(_ light: Double) -> Double {
        light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    /// Whether no result is further from its value than `tolerance` of the whole range.
    func isIdentity(within tolerance: Double) -> Bool {
        bytes.indices.allSatisfy { abs(Int(bytes[$0]) - $0) <= Int(tolerance * 255) }
            && words.indices.allSatisfy { abs(Int(words[$0]) - $0) <= Int(tolerance * 65535) }
    }

    /// Replaces every grey or colour value. Alpha is left as it is.
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
