internal import Raster

/// The offsets of a BMP file's parts.
struct BMPLayout {
    let header: BMPHeader
    /// The offset of the first pixel byte.
    let pixelOffset: Int
    /// The bytes required before the pixels can be read: up to the pixels, or to the end of an embedded profile.
    let headByteCount: Int
    private let paletteOffset: Int
    /// The number of colours for which there is room before the pixels.
    private let paletteEntryCount: Int
    private let embeddedProfile: Range<Int>?

    /// The length of the file header: "BM", the file's length, four unused bytes, and the pixels' offset.
    static let fileHeaderByteCount = 14

    /// Reads the layout from the file's first bytes; nil if more are needed.
    init?(_ bytes: [UInt8], isComplete: Bool, limits: DecodingLimits) throws(ImageError) {
        let start = Self.fileHeaderByteCount
        guard bytes.count >= start + 4 else { return nil }
        guard bytes[0] == 0x42, bytes[1] == 0x4D else {
            throw ImageError(.corrupt, "the file doesn't begin as a BMP", byteOffset: 0)
        }
        let headerByteCount = bytes.littleEndian(at: start, byteCount: 4)!
        // `BMPHeader` rejects an unknown length.
        let needed = BMPHeader.isByteCount(headerByteCount) ? headerByteCount + BMPHeader.maximumMaskByteCount : 4
        guard bytes.count >= start + needed || isComplete && bytes.count >= start + headerByteCount else { return nil }
        let header = try BMPHeader(bytes, at: start)
        self.header = header

        paletteOffset = start + header.paletteOffset
        let given = bytes.littleEndian(at: 10, byteCount: 4)!
        let most = header.bitsPerPixel <= 8 ? 1 << header.bitsPerPixel : 0
        // An indexed image has a palette, so an offset that leaves no room for one is invalid.
        let leavesNoColors = given == paletteOffset && most > 1
        if given >= paletteOffset, !leavesNoColors {
            pixelOffset = given
            paletteEntryCount = min(
                header.paletteEntryCount, most, (given - paletteOffset) / header.paletteEntryByteCount)
        } else {
            // Some writers omit the offset or the palette's size in it: the pixels follow the palette.
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

    /// Creates an expander with the palette in `bytes`.
    func makeExpander(_ bytes: [UInt8], maximumBitsPerChannel: Int) -> BMPRowExpander {
        let bits = header.bitsPerPixel == 4 && header.compression == .runLength4 ? 8 : header.bitsPerPixel
        return BMPRowExpander(
            bitsPerPixel: bits, channels: header.channels,
            palette: header.palette(in: bytes, at: paletteOffset, count: paletteEntryCount),
            maximumBitsPerChannel: maximumBitsPerChannel)
    }

    /// The image's header, with the profile in `bytes`.
    func imageHeader(_ bytes: [UInt8], _ expander: BMPRowExpander) -> ImageHeader {
        let isIndexed = header.bitsPerPixel <= 8
        return ImageHeader(
            format: .bmp, storedSize: header.size, colorModel: isIndexed ? .indexed : .rgb,
            bitsPerChannel: isIndexed ? header.bitsPerPixel : min(32, header.channels.maximumBitCount),
            hasAlpha: expander.hasAlpha, profile: profile(bytes),
            metadata: ImageMetadata(resolution: header.resolution))
    }

    /// The colour space of the pixels: the embedded profile, or else the header's.
    private func profile(_ bytes: [UInt8]) -> ColorProfile {
        guard let embeddedProfile else { return header.profile }
        // A BMP's pixels are RGB, so a profile for CMYK or grey doesn't apply.
        guard embeddedProfile.upperBound <= bytes.count, bytes[embeddedProfile].isICCProfile(for: .rgb) else {
            return .sRGB
        }
        return .icc(Array(bytes[embeddedProfile]))
    }
}

extension BMPHeader {
    /// Reads up to `count` colours at `offset`, fewer if `bytes` ends before.
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
