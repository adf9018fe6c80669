internal import Raster

/// The IHDR chunk: size, bit depth, colour type and interlacing (ISO/IEC 15948, 11.2.2).
struct PNGHeader: Hashable {
    enum ColorType: UInt8 {
        case gray = 0
        case rgb = 2
        case indexed = 3
        case grayAlpha = 4
        case rgba = 6

        /// The number of samples per pixel.
        var channelCount: Int {
            switch self {
            case .gray, .indexed: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }

        var bitDepths: [Int] {
            switch self {
            case .gray: [1, 2, 4, 8, 16]
            case .indexed: [1, 2, 4, 8]
            case .rgb, .grayAlpha, .rgba: [8, 16]
            }
        }

        var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
        var isGray: Bool { self == .gray || self == .grayAlpha }
    }

    var size: PixelSize
    var bitDepth: Int
    var colorType: ColorType
    var isInterlaced = false
}

extension PNGHeader {
    /// Reads the chunk's data.
    init(_ data: [UInt8], offset: Int) throws(ImageError) {
        func fail(_ message: String, at position: Int = 0) -> ImageError {
            ImageError(.corrupt, "the PNG header " + message, byteOffset: offset + position)
        }
        guard data.count == 13 else { throw fail("has \(data.count) bytes instead of 13") }
        let width = data[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let height = data[4..<8].reduce(0) { $0 << 8 | Int($1) }
        guard width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF else {
            throw fail("has a size of \(width)x\(height), beyond the format's range")
        }
        guard let colorType = ColorType(rawValue: data[9]) else {
            throw fail("has the unknown colour type \(data[9])", at: 9)
        }
        guard colorType.bitDepths.contains(Int(data[8])) else {
            throw fail("has a bit depth of \(data[8]), which colour type \(data[9]) doesn't allow", at: 8)
        }
        guard data[10] == 0 else { throw fail("has the unknown compression method \(data[10])", at: 10) }
        guard data[11] == 0 else { throw fail("has the unknown filter method \(data[11])", at: 11) }
        guard data[12] <= 1 else { throw fail("has the unknown interlace method \(data[12])", at: 12) }
        self.init(
            size: PixelSize(width: width, height: height), bitDepth: Int(data[8]), colorType: colorType,
            isInterlaced: data[12] == 1)
    }

    var bitsPerPixel: Int { colorType.channelCount * bitDepth }

    /// The distance in bytes to the corresponding byte of the pixel on the left, at least 1.
    var filterDistance: Int { max(1, bitsPerPixel / 8) }

    /// The length of a row of `width` pixels without its filter byte. Widths are below 2^31, so nothing overflows.
    func rowByteCount(width: Int) -> Int { (width * bitsPerPixel + 7) / 8 }
}

/// A chunk's four-letter type (ISO/IEC 15948, 5.4).
struct PNGChunkType: Hashable {
    /// The letters in file order, the first in the highest byte.
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
    static let contentLightLevel = PNGChunkType("cLLI")
    static let masteringDisplay = PNGChunkType("mDCV")
    static let profile = PNGChunkType("iCCP")
    static let exif = PNGChunkType("eXIf")
    static let physicalSize = PNGChunkType("pHYs")
    static let internationalText = PNGChunkType("iTXt")
    static let animationControl = PNGChunkType("acTL")
    static let frameControl = PNGChunkType("fcTL")
    static let frameData = PNGChunkType("fdAT")

    /// Whether decoders that don't know the chunk can ignore it.
    var isAncillary: Bool { code & 0x2000_0000 != 0 }

    /// Whether all four bytes are letters.
    var isValid: Bool {
        (0..<4).allSatisfy { index in
            let letter = UInt8(truncatingIfNeeded: code >> (8 * UInt32(index))) & 0xDF
            return letter >= 0x41 && letter <= 0x5A
        }
    }
}

extension PNGChunkType: CustomStringConvertible {
    /// The letters; a type with other bytes as a hexadecimal number.
    var description: String {
        guard isValid else { return "0x" + String(code, radix: 16) }
        return String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: code >> (24 - 8 * UInt32($0))) }, as: UTF8.self)
    }
}
