internal import Raster

/// Where in a BMP file everything is.
struct BMPLayout {
    let header: BMPHeader
    /// The first byte of the pixels.
    let pixelOffset: Int
    /// The bytes to wait for before the pixels can be begun: up to them, or to the end of an embedded profile.
    let headByteCount: Int
    private let paletteOffset: Int
    /// Colours that the file has room for before the pixels.
    private let paletteEntryCount: Int
    private let embeddedProfile: Range<Int>?

    /// Bytes of the file header: "BM", the file's length, four unused bytes, and where the pixels begin.
    static let fileHeaderByteCount = 14

    /// The layout that the file's first bytes give; nil while they are too few.
    init?(_ bytes: [UInt8], isComplete: Bool, limits: DecodingLimits) throws(ImageError) {
        let start = Self.fileHeaderByteCount
        guard bytes.count >= start + 4 else { return nil }
        guard bytes[0] == 0x42, bytes[1] == 0x4D else {
            throw ImageError(.corrupt, "the file doesn't begin as a BMP", byteOffset: 0)
        }
        let headerByteCount = bytes.littleEndian(at: start, byteCount: 4)!
        // One that isn't known is refused below.
        let needed = BMPHeader.isByteCount(headerByteCount) ? headerByteCount + BMPHeader.maximumMaskByteCount : 4
        guard bytes.count >= start + needed || isComplete && bytes.count >= start + headerByteCount else { return nil }
        let header = try BMPHeader(bytes, at: start)
        self.header = header

        paletteOffset = start + header.paletteOffset
        let given = bytes.littleEndian(at: 10, byteCount: 4)!
        let most = header.bitsPerPixel <= 8 ? 1 << header.bitsPerPixel : 0
        // An indexed picture has colours. An offset that leaves no room for any is as good as none.
        let leavesNoColors = given == paletteOffset && most > 1
        if given >= paletteOffset, !leavesNoColors {
            pixelOffset = given
            paletteEntryCount = min(
                header.paletteEntryCount, most, (given - paletteOffset) / header.paletteEntryByteCount)
        } else {
            // Some writers leave it out, or forget the colours: pixels follow those.
            paletteEntryCount = min(header.paletteEntryCount, most)
            pixelOffset = paletteOffset + header.paletteEntryCount * header.paletteEntryByteCount
        }
        let profile = header.embeddedProfile.map { ($0.lowerBound + start)..<($0.upperBound + start) }
        let isWithinLimits = profile.map {
            $0.count <= limits.maximumMetadataByteCount && $0.upperBound <= limits.maximumInputByteCount
        }
        embeddedProfile = isWithinLimits ?? false ? profile : nil
        headByteCount = max(pixelOffset, embeddedProfile?.upperBound ?? 0)
    }

    /// Makes pixels of rows, with the colours in `bytes`.
    func makeExpander(_ bytes: [UInt8], maximumBitsPerChannel: Int) -> BMPRowExpander {
        let bits = header.bitsPerPixel == 4 && header.compression == .runLength4 ? 8 : header.bitsPerPixel
        return BMPRowExpander(
            bitsPerPixel: bits, channels: header.channels,
            palette: header.palette(in: bytes, at: paletteOffset, count: paletteEntryCount),
            maximumBitsPerChannel: maximumBitsPerChannel)
    }

    /// What the colours mean.
    func profile(_ bytes: [UInt8]) -> ColorProfile {
        guard let embeddedProfile else { return header.profile }
        // Inks and greys make no sense here.
        guard embeddedProfile.upperBound <= bytes.count, bytes[embeddedProfile].isICCProfile(for: .rgb) else {
            return .sRGB
        }
        return .icc(Array(bytes[embeddedProfile]))
    }
}

extension BMPHeader {
    /// `count` colours that begin at `offset`, as many as there are.
    func palette(in bytes: [UInt8], at offset: Int, count: Int) -> [RGBA8] {
        var palette: [RGBA8] = []
        for index in 0..<count {
            let at = offset + index * paletteEntryByteCount
            guard at + 3 <= bytes.count else { break }
            palette.append(RGBA8(bytes[at + 2], bytes[at + 1], bytes[at]))
        }
        return palette
    }
}
