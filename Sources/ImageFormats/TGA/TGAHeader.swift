internal import Raster

/// The 18 bytes at the start of a TGA, and what follows from them.
struct TGAHeader {
    /// The length of a header in bytes.
    static let byteCount = 18

    /// The meaning of a stored pixel.
    enum Kind: UInt8 {
        /// An index into the palette.
        case indexed = 1
        /// Blue, green, red and attributes.
        case rgb = 2
        /// Grey, and attributes in the second of two bytes.
        case gray = 3
    }

    /// The meaning of a stored pixel.
    let kind: Kind
    /// Whether pixels are stored as runs.
    let usesRunLengths: Bool
    /// The width and height in pixels.
    let size: PixelSize
    /// The bits of a stored pixel: 8, 15, 16, 24 or 32.
    let bitsPerPixel: Int
    /// The bits of a pixel, or of a palette's colour, that are alpha.
    let attributeBitCount: Int
    /// Whether the first stored row is the top one.
    let isTopDown: Bool
    /// Whether a row's first stored pixel is the right one.
    let isRightToLeft: Bool
    /// The index of the palette's first colour.
    let firstColor: Int
    /// The number of colours in the palette.
    let colorCount: Int
    /// The bits of a colour in the palette.
    let bitsPerColor: Int
    /// The position of the palette, after the identification text.
    let paletteOffset: Int

    /// The bytes of a stored pixel.
    var pixelByteCount: Int { (bitsPerPixel + 7) / 8 }
    /// The bytes of a row without run lengths.
    var rowByteCount: Int { size.width * pixelByteCount }
    /// The bytes of a colour in the palette.
    var colorByteCount: Int { (bitsPerColor + 7) / 8 }
    /// The position of the first pixel.
    var pixelOffset: Int { paletteOffset + colorCount * colorByteCount }
    /// Whether a pixel may be less than opaque.
    var hasAlpha: Bool {
        switch kind {
        case .indexed: attributeBitCount > 0 && bitsPerColor == 32
        case .rgb: attributeBitCount > 0 && (bitsPerPixel == 16 || bitsPerPixel == 32)
        case .gray: attributeBitCount > 0 && bitsPerPixel == 16
        }
    }

    /// Parses the header at the start of `bytes`.
    /// - Throws: `truncated`, `corrupt`, or `limitExceeded` for dimensions beyond the limits.
    init(_ bytes: [UInt8], limits: DecodingLimits) throws(ImageError) {
        if let problem = Self.problem(in: bytes) {
            throw ImageError(.corrupt, problem.message, byteOffset: problem.offset)
        }
        guard bytes.count >= Self.byteCount, let kind = Kind(rawValue: bytes[2] & 7) else {
            throw ImageError(
                .truncated, "the TGA has \(bytes.count) bytes of the \(Self.byteCount) of its header",
                byteOffset: bytes.count)
        }
        func field(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
        self.kind = kind
        usesRunLengths = bytes[2] & 8 != 0
        size = PixelSize(width: field(12), height: field(14))
        bitsPerPixel = Int(bytes[16])
        attributeBitCount = Int(bytes[17] & 15)
        isRightToLeft = bytes[17] & 0x10 != 0
        isTopDown = bytes[17] & 0x20 != 0
        (firstColor, colorCount, bitsPerColor) = bytes[1] == 1 ? (field(3), field(5), Int(bytes[7])) : (0, 0, 0)
        paletteOffset = Self.byteCount + Int(bytes[0])
        try limits.check(size, format: .tga)
    }
}

extension TGAHeader {
    /// The first field with an invalid value, as far as `bytes` reach: its place, and an error's message.
    ///
    /// Strict, since a valid header is all that identifies a TGA.
    static func problem(in bytes: [UInt8]) -> (offset: Int, message: String)? {
        func byte(_ offset: Int) -> Int? { offset < bytes.count ? Int(bytes[offset]) : nil }
        func field(_ offset: Int) -> Int? {
            guard let low = byte(offset), let high = byte(offset + 1) else { return nil }
            return low | high << 8
        }
        guard let map = byte(1) else { return nil }
        guard map <= 1 else { return (1, "the TGA has the colour map type \(map); there are 0 and 1") }
        guard let type = byte(2) else { return nil }
        guard let kind = Kind(rawValue: UInt8(type & ~8)) else {
            return (2, "the TGA has the image type \(type); there are 1 to 3 and 9 to 11")
        }
        guard kind != .indexed || map == 1, kind != .gray || map == 0 else {
            return (2, "the TGA has the image type \(type) \(map == 1 ? "with" : "without") a palette")
        }
        if map == 0 {
            for offset in 3...7 where (byte(offset) ?? 0) != 0 {
                // Some writers set the size of a colour although there is none.
                if offset == 7, [15, 16, 24, 32].contains(bytes[7]) { continue }
                return (offset, "the TGA has no palette, but values for one")
            }
        } else {
            if field(5) == 0 { return (5, "the TGA's palette has no colours") }
            if let bits = byte(7), ![15, 16, 24, 32].contains(bits) {
                return (7, "the TGA's palette has colours of \(bits) bits; there can be 15, 16, 24 or 32")
            }
        }
        for offset in [12, 14] where field(offset) == 0 {
            return (offset, "the TGA has no \(offset == 12 ? "width" : "height")")
        }
        let depths = kind == .rgb ? [15, 16, 24, 32] : [8, 16]
        if let bits = byte(16), !depths.contains(bits) {
            let names = depths.map(String.init).joined(separator: ", ")
            return (16, "the TGA has pixels of \(bits) bits; with its image type they can have \(names)")
        }
        guard let descriptor = byte(17), let bits = byte(16) else { return nil }
        // Bits 6 and 7 interleave rows, which no writer does.
        guard descriptor & 0xC0 == 0, (kind == .rgb && bits <= 16 ? [0, 1] : [0, 8]).contains(descriptor & 15) else {
            return (17, "the TGA has the image descriptor \(descriptor), which is invalid for pixels of \(bits) bits")
        }
        return nil
    }
}

/// The meaning of alpha, as version 2 states it in the extension area near the end of the file.
enum TGAAlpha {
    /// Values that aren't alpha.
    case none
    /// Colours aren't multiplied by alpha.
    case straight
    /// Colours are multiplied by alpha.
    case premultiplied

    /// The text at the end of a file of version 2.
    static let signature = Array("TRUEVISION-XFILE.\0".utf8)
    /// The length of the footer: the positions of the extension and developer areas, and the signature.
    static let footerByteCount = 26
    /// The length of the extension area, the last byte of which is the type of the attributes.
    private static let extensionByteCount = 495

    /// Reads the statement of a complete file; nil if it has none.
    static func stated(in file: [UInt8]) -> TGAAlpha? {
        let footer = file.count - footerByteCount
        guard footer >= TGAHeader.byteCount, file.suffix(signature.count).elementsEqual(signature),
            let start = file.littleEndian(at: footer, byteCount: 4), start >= TGAHeader.byteCount,
            let byteCount = file.littleEndian(at: start, byteCount: 2), byteCount >= extensionByteCount,
            let type = file.littleEndian(at: start + extensionByteCount - 1, byteCount: 1)
        else { return nil }
        switch type {
        case 0, 1, 2: return TGAAlpha.none
        case 3: return .straight
        case 4: return .premultiplied
        default: return nil
        }
    }
}
