internal import Raster

/// The header of a device-independent bitmap. In a BMP it follows the file header; in an icon it comes first.
///
/// Its length gives its version: 12 bytes for OS/2's first, 16 to 64 for OS/2's second, and 40, 52, 56, 108 (version 4)
/// or 124 (version 5) for Windows.
struct BMPHeader {
    /// The header's own length, in bytes.
    let byteCount: Int
    /// The columns and rows. An icon's header has twice the rows, see `ICODirectory`.
    let size: PixelSize
    /// Whether the first stored row is the top one.
    let isTopDown: Bool
    /// 1, 2, 4, 8, 16, 24 or 32; 0 for an embedded file.
    let bitsPerPixel: Int
    let compression: BMPCompression
    /// The number of pixel bytes; 0 if the header has none.
    let imageByteCount: Int
    let resolution: ImageMetadata.Resolution?
    /// The positions of red, green, blue and alpha in pixels of 16 and 32 bits.
    let channels: BMPChannels
    /// The palette's offset from the header's first byte, after any masks.
    let paletteOffset: Int
    /// The bytes in a palette entry, 3 or 4.
    let paletteEntryByteCount: Int
    /// The number of colours in the header, which may be more than the bits per pixel can index.
    let paletteEntryCount: Int
    /// The colour space of the pixels, unless a profile is embedded.
    let profile: ColorProfile
    /// The bytes of an ICC profile, as offsets from the header's first byte.
    let embeddedProfile: Range<Int>?

    /// The most bytes that masks take after a header without fields for them.
    static let maximumMaskByteCount = 16

    /// Whether a header can have this length.
    static func isByteCount(_ count: Int) -> Bool { count == 12 || 16...64 ~= count || count == 108 || count == 124 }

    /// Reads the header at `start` of `bytes`, which must have all of it, and `maximumMaskByteCount` more unless the
    /// file ends before.
    /// - Throws: `corrupt` for impossible values, `unsupported` for an unknown compression.
    init(_ bytes: [UInt8], at start: Int) throws(ImageError) {
        func corrupt(_ message: String) -> ImageError { ImageError(.corrupt, message, byteOffset: start) }
        guard let byteCount = bytes.littleEndian(at: start, byteCount: 4), Self.isByteCount(byteCount),
            start + byteCount <= bytes.count
        else { throw corrupt("there is no BMP header of a known length") }
        /// Reads a number; 0 if the header ends before it.
        func field(_ offset: Int, _ count: Int = 4) -> Int {
            offset + count <= byteCount ? bytes.littleEndian(at: start + offset, byteCount: count) ?? 0 : 0
        }
        func signed(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: field(offset))) }

        self.byteCount = byteCount
        let isCore = byteCount == 12
        let isOS2 = isCore || (byteCount <= 64 && ![40, 52, 56].contains(byteCount))
        let width = isCore ? field(4, 2) : signed(4)
        let height = isCore ? field(6, 2) : signed(8)
        guard width > 0, height != 0 else { throw corrupt("the BMP image's size is \(width)x\(height)") }
        size = PixelSize(width: width, height: abs(height))
        bitsPerPixel = isCore ? field(10, 2) : field(14, 2)
        let number = isCore ? 0 : field(16)
        guard let compression = BMPCompression(number, bitsPerPixel: bitsPerPixel, isOS2: isOS2) else {
            guard [0, 1, 2, 4, 8, 16, 24, 32].contains(bitsPerPixel), number > 0 else {
                throw corrupt("invalid BMP header: \(bitsPerPixel) bits per pixel with compression \(number)")
            }
            throw ImageError(
                .unsupported, "a BMP of \(bitsPerPixel) bits per pixel and compression \(number) can't be read")
        }
        self.compression = compression
        // An embedded file is top-down, whatever the sign of the height.
        isTopDown = height < 0 || compression == .jpeg || compression == .png
        imageByteCount = isCore ? 0 : field(20)
        let (across, down) = isCore ? (0, 0) : (signed(24), signed(28))
        // The fields are in pixels per metre.
        resolution =
            across > 0 && down > 0
            ? ImageMetadata.Resolution(horizontal: Double(across) * 0.0254, vertical: Double(down) * 0.0254) : nil

        let masksFollow = byteCount == 40 && compression == .bitFields ? (number == 6 ? 16 : 12) : 0
        if compression == .bitFields {
            let end = masksFollow > 0 ? start + 40 + masksFollow : start + byteCount
            let masks = [40, 44, 48, 52].map { offset in
                start + offset + 4 <= end ? UInt32(bytes.littleEndian(at: start + offset, byteCount: 4) ?? 0) : 0
            }
            channels = try BMPChannels(red: masks[0], green: masks[1], blue: masks[2], alpha: masks[3])
        } else {
            channels = bitsPerPixel == 16 ? .rgb555 : .rgb888
        }

        paletteOffset = byteCount + masksFollow
        paletteEntryByteCount = isCore ? 3 : 4
        let most = bitsPerPixel <= 8 && bitsPerPixel > 0 ? 1 << bitsPerPixel : 0
        let used = isCore ? 0 : field(32)
        paletteEntryCount = used > 0 ? used : most

        let isVersion4 = byteCount >= 108
        profile = isVersion4 && field(56) == 0 ? Self.calibration(signed) : .sRGB
        // "MBED" is an embedded profile. "LINK" names an external file and is ignored.
        let (offset, count) = (field(112), field(116))
        embeddedProfile = field(56) == 0x4D42_4544 && offset >= byteCount && count > 0 ? offset..<(offset + count) : nil
    }

    /// The colour space of a version 4 header's endpoints and gammas (LCS_CALIBRATED_RGB).
    private static func calibration(_ signed: (Int) -> Int) -> ColorProfile {
        // Gammas are unsigned 16.16 fixed point; those from 32,768 on, negative here, are as invalid as 0. They must be
        // equal, since `ColorProfile.calibrated` has only one.
        let gammas = [96, 100, 104].map { Double(signed($0)) / 65536 }
        guard gammas[0] > 0, gammas[0] == gammas[1], gammas[1] == gammas[2] else { return .sRGB }
        // X, Y and Z are 2.30 fixed point.
        let primaries = [60, 72, 84].map { offset in
            SIMD3((0..<3).map { Double(signed(offset + 4 * $0)) / Double(1 << 30) })
        }
        let sums = primaries.map { $0.sum() }
        guard sums.allSatisfy({ $0 > 0 }) else { return .calibrated(gamma: 1 / gammas[0], nil) }
        // The XYZ of the primaries add up to the white point. Many writers store chromaticities instead, each with a
        // sum of 1, and mean the white of sRGB.
        let areChromaticities = sums.allSatisfy { abs($0 - 1) < 0.002 }
        let white = primaries.reduce(.zero, +)
        func point(_ color: SIMD3<Double>) -> ColorProfile.Chromaticities.Point {
            ColorProfile.Chromaticities.Point(x: color.x / color.sum(), y: color.y / color.sum())
        }
        let chromaticities = ColorProfile.Chromaticities(
            white: areChromaticities ? ColorProfile.Chromaticities.Point(x: 0.3127, y: 0.3290) : point(white),
            red: point(primaries[0]), green: point(primaries[1]), blue: point(primaries[2]))
        return .calibrated(gamma: 1 / gammas[0], chromaticities)
    }

    /// The bytes in an uncompressed row, padded to a multiple of 4.
    var rowByteCount: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }
}

/// The encoding of a BMP's pixels.
enum BMPCompression: Hashable {
    /// Uncompressed rows.
    case none
    /// Uncompressed rows with channel masks.
    case bitFields
    /// Run lengths of 4-bit indices.
    case runLength4
    /// Run lengths of 8-bit indices.
    case runLength8
    /// Run lengths of 24-bit colours, only in OS/2's files.
    case runLength24
    /// One-dimensional CCITT group 3 (ITU-T T.4), only in OS/2's files.
    case huffman
    /// An embedded JPEG file.
    case jpeg
    /// An embedded PNG file.
    case png

    /// Creates the compression with a header's number; nil if it is unknown or doesn't fit the bits per pixel.
    ///
    /// OS/2 and Windows give 3 and 4 different meanings. Some of OS/2's files have a header of Windows' length; since
    /// one bit per pixel can't have masks, 3 always means OS/2's Huffman codes there.
    init?(_ number: Int, bitsPerPixel: Int, isOS2: Bool) {
        switch (number, bitsPerPixel) {
        case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32): self = .none
        case (1, 8): self = .runLength8
        case (2, 4): self = .runLength4
        case (3, 1): self = .huffman
        case (4, 24) where isOS2: self = .runLength24
        case (3, 16), (3, 32), (6, 16), (6, 32): self = .bitFields
        case (4, _) where !isOS2: self = .jpeg
        case (5, _) where !isOS2: self = .png
        default: return nil
        }
    }
}

/// The positions of the channels in a pixel of 16 or 32 bits.
struct BMPChannels {
    /// One channel's bits, which are consecutive; none for a missing channel.
    struct Channel {
        let mask: UInt32
        let shift: UInt32
        /// The largest stored value; 0 for a missing channel.
        let maximum: UInt32
        /// The 8-bit value for each stored value; empty if the channel has more than 8 bits.
        let table: [UInt8]

        /// - Throws: `corrupt` if the mask has gaps.
        init(_ mask: UInt32, _ name: String) throws(ImageError) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            maximum = mask >> shift
            guard maximum & (maximum &+ 1) == 0 else {
                throw ImageError(.corrupt, "the bits of the BMP's \(name) channel aren't consecutive")
            }
            let maximum = maximum
            table = maximum <= 255 ? (0...255).map { Self.scaled(min($0, maximum), maximum, to: 255, UInt8.self) } : []
        }

        /// Returns value × largest / maximum, rounded to the nearest.
        static func scaled<Result: FixedWidthInteger>(
            _ value: UInt32, _ maximum: UInt32, to largest: UInt64, _: Result.Type
        ) -> Result {
            maximum == 0
                ? 0 : Result(truncatingIfNeeded: (UInt64(value) * largest + UInt64(maximum / 2)) / UInt64(maximum))
        }

        /// Returns the channel's value in `pixel`, scaled to 0...`largest`.
        func value<Result: FixedWidthInteger>(_ pixel: UInt32, to largest: UInt64, _ type: Result.Type) -> Result {
            Self.scaled((pixel & mask) >> shift, maximum, to: largest, type)
        }
    }

    let red: Channel
    let green: Channel
    let blue: Channel
    let alpha: Channel

    /// - Throws: `corrupt` if a mask has gaps, or all colour masks are 0.
    init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) throws(ImageError) {
        guard red | green | blue != 0 else { throw ImageError(.corrupt, "the BMP gives its colours no bits") }
        self.red = try Channel(red, "red")
        self.green = try Channel(green, "green")
        self.blue = try Channel(blue, "blue")
        self.alpha = try Channel(alpha, "alpha")
    }

    private static func known(_ red: UInt32, _ green: UInt32, _ blue: UInt32, _ alpha: UInt32) -> BMPChannels {
        // None of these masks has gaps.
        try! BMPChannels(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// The channels of 16 bits without masks.
    static let rgb555 = known(0x7C00, 0x3E0, 0x1F, 0)
    /// The channels of 32 bits without masks.
    static let rgb888 = known(0xFF0000, 0xFF00, 0xFF, 0)
    /// The channels of 32 bits without masks in an icon.
    static let rgba8888 = known(0xFF0000, 0xFF00, 0xFF, 0xFF00_0000)

    /// Whether a pixel of 32 bits is the bytes blue, green, red, and alpha or nothing.
    var areBytesFromBlue: Bool {
        red.mask == 0xFF0000 && green.mask == 0xFF00 && blue.mask == 0xFF && [0, 0xFF00_0000].contains(alpha.mask)
    }

    /// The number of bits in the widest channel.
    var maximumBitCount: Int {
        [red, green, blue, alpha].map { 32 - $0.maximum.leadingZeroBitCount }.max()!
    }
}
