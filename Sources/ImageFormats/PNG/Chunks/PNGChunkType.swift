/// A chunk's four letters (ISO/IEC 15948, 5.4).
struct PNGChunkType: Hashable {
    /// The letters as they stand in the file, the first one in the highest byte.
    let code: UInt32

    init(code: UInt32) { self.code = code }

    init(_ name: StaticString) {
        precondition(name.utf8CodeUnitCount == 4)
        code = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    static let header = PNGChunkType("IHDR")
    static let palette = PNGChunkType("PLTE")
    static let imageData = PNGChunkType("IDAT")
    static let end = PNGChunkType("IEND")
    static let transparency = PNGChunkType("tRNS")
    static let gamma = PNGChunkType("gAMA")
    static let chromaticities = PNGChunkType("cHRM")
    static let standardRGB = PNGChunkType("sRGB")
    static let codingPoints = PNGChunkType("cICP")
    static let profile = PNGChunkType("iCCP")
    static let exif = PNGChunkType("eXIf")
    static let physicalSize = PNGChunkType("pHYs")
    static let internationalText = PNGChunkType("iTXt")
    static let animationControl = PNGChunkType("acTL")
    static let frameControl = PNGChunkType("fcTL")
    static let frameData = PNGChunkType("fdAT")

    /// Whether a decoder that doesn't know the chunk can do without it.
    var isAncillary: Bool { code & 0x2000_0000 != 0 }

    /// Whether all four are letters.
    var isValid: Bool {
        (0..<4).allSatisfy { index in
            let letter = UInt8(truncatingIfNeeded: code >> (8 * UInt32(index))) & 0xDF
            return letter >= 0x41 && letter <= 0x5A
        }
    }
}

extension PNGChunkType: CustomStringConvertible {
    /// The letters; what isn't one as a hexadecimal number.
    var description: String {
        guard isValid else { return "0x" + String(code, radix: 16) }
        return String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * UInt32($0))) }, as: UTF8.self)
    }
}
