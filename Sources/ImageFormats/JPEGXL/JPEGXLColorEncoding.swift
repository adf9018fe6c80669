#if JPEGXL
internal import Raster

/// The colour space of a JPEG XL image without an ICC profile (ISO/IEC 18181-1, E.2), as bits from the lowest on.
enum JPEGXLColorEncoding {
    /// The codes of primaries with the white point D65 (ISO/IEC 23091-2): sRGB, BT.2100 and Display P3.
    private static let codes: [(jpegXL: Int, video: Int)] = [(1, 1), (9, 9), (11, 12)]

    /// Reads the primaries and the transfer function; nil for grey, XYB, an ICC profile, and codes that aren't known.
    static func profile(_ bytes: [UInt8]) -> ColorProfile? {
        var bits = Bits(bytes)
        // The default is sRGB.
        if bits.read(1) == 1 { return .sRGB }
        guard bits.read(1) == 0, bits.readCode() == 0 else { return nil }
        let white: ColorProfile.Chromaticities.Point
        switch bits.readCode() {
        case 1: white = .init(x: 0.3127, y: 0.329)
        case 2: white = bits.readPoint()
        case 10: white = .init(x: 1 / 3, y: 1 / 3)
        case 11: white = .init(x: 0.314, y: 0.351)
        default: return nil
        }
        let chromaticities: ColorProfile.Chromaticities
        let primaries = bits.readCode()
        if primaries == 2 {
            chromaticities = .init(white: white, red: bits.readPoint(), green: bits.readPoint(), blue: bits.readPoint())
        } else {
            guard let code = codes.first(where: { $0.jpegXL == primaries }),
                let known = ColorProfile.Chromaticities(primaries: code.video)
            else { return nil }
            chromaticities = .init(white: white, red: known.red, green: known.green, blue: known.blue)
        }
        let hasGamma = bits.read(1) == 1
        let transfer = hasGamma ? 8 : bits.readCode()
        guard !bits.isExceeded else { return nil }
        return .coded(chromaticities, transfer: transfer, isGray: false)
    }

    /// Returns the bits for the primaries of `profile`; nil if they aren't sRGB's, Display P3's or BT.2020's.
    ///
    /// The transfer function is PQ or HLG, or else sRGB's: gains apply to linear light.
    static func bytes(_ profile: ColorProfile) -> [UInt8]? {
        guard profile != .sRGB else { return [1] }
        guard let space = LinearColorSpace(profile) else { return nil }
        let match = codes.first { code in
            guard
                let known = LinearColorSpace(.coded(primaries: code.video, transfer: 8, isGray: false))
            else { return false }
            return space.matrix(to: known).isNearlyIdentity
        }
        guard let match else { return nil }
        var bits = Bits([])
        // Neither default nor an ICC profile; RGB under D65.
        bits.write(0, 2)
        bits.writeCode(0)
        bits.writeCode(1)
        bits.writeCode(match.jpegXL)
        bits.write(0, 1)
        bits.writeCode((HighDynamicRangeSpace(profile)?.transfer.rawValue).map { Int($0) } ?? 13)
        // Relative colorimetric.
        bits.writeCode(1)
        return bits.bytes
    }
}

extension Matrix3 {
    /// Whether each element is within 0.003 of the identity's: adapted white points differ by less.
    fileprivate var isNearlyIdentity: Bool {
        let differences = [x - SIMD3(1, 0, 0), y - SIMD3(0, 1, 0), z - SIMD3(0, 0, 1)]
        return differences.allSatisfy { (-0.003...0.003).contains($0.min()) && (-0.003...0.003).contains($0.max()) }
    }
}

/// Bits of a JPEG XL header, from each byte's lowest on. Bits beyond the end are 0.
private struct Bits {
    private(set) var bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isExceeded: Bool { position > bytes.count * 8 }

    mutating func read(_ count: Int) -> Int {
        var value = 0
        for bit in 0..<count {
            if position / 8 < bytes.count { value |= Int(bytes[position / 8] >> UInt8(position % 8) & 1) << bit }
            position += 1
        }
        return value
    }

    mutating func write(_ value: Int, _ count: Int) {
        for bit in 0..<count {
            if position % 8 == 0 { bytes.append(0) }
            bytes[position / 8] |= UInt8(value >> bit & 1) << UInt8(position % 8)
            position += 1
        }
    }

    /// Reads an enumerated value: 0, 1, or 2 and 18 plus further bits.
    mutating func readCode() -> Int {
        switch read(2) {
        case 0: 0
        case 1: 1
        case 2: 2 + read(4)
        default: 18 + read(6)
        }
    }

    /// Writes an enumerated value below 82.
    mutating func writeCode(_ value: Int) {
        switch value {
        case 0, 1: write(value, 2)
        case 2..<18:
            write(2, 2)
            write(value - 2, 4)
        default:
            write(3, 2)
            write(value - 18, 6)
        }
    }

    /// Reads the coordinates of a colour, in millionths, with signs in the lowest bits.
    mutating func readPoint() -> ColorProfile.Chromaticities.Point {
        func coordinate(_ bits: inout Bits) -> Double {
            let packed =
                switch bits.read(2) {
                case 0: bits.read(19)
                case 1: 524_288 + bits.read(19)
                case 2: 1_048_576 + bits.read(20)
                default: 2_097_152 + bits.read(21)
                }
            let value = packed & 1 == 0 ? packed / 2 : -(packed + 1) / 2
            return Double(value) / 1_000_000
        }
        let x = coordinate(&self)
        return .init(x: x, y: coordinate(&self))
    }
}
#endif
