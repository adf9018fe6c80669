internal import Raster

/// The header that says what a device-independent bitmap's pixels are: in a BMP after the file header, in an icon
/// without one.
///
/// It has grown over the years and is told by its length: OS/2's 12 bytes, its 16 to 64 of version 2, and Windows' 40,
/// 52, 56, 108 (version 4) and 124 (version 5).
struct BMPHeader {
    /// Its own length.
    let byteCount: Int
    /// Columns and rows. An icon's rows are counted twice, see `ICODirectory`.
    let size: PixelSize
    /// Whether the first row stored is the top one.
    let isTopDown: Bool
    /// 1, 2, 4, 8, 16, 24 or 32; 0 for an embedded file.
    let bitsPerPixel: Int
    let compression: BMPCompression
    /// Bytes of pixels, 0 where it doesn't say.
    let imageByteCount: Int
    let resolution: ImageMetadata.Resolution?
    /// Red, green, blue and alpha, of 16 and 32 bits.
    let channels: BMPChannels
    /// Where colours begin, counted from the header's first byte; masks may stand before them.
    let paletteOffset: Int
    /// 3 or 4.
    let paletteEntryByteCount: Int
    /// How many colours the header gives; those beyond the bits per pixel are of no use.
    let paletteEntryCount: Int
    /// What the colours mean, unless a profile is embedded.
    let profile: ColorProfile
    /// Where an ICC profile stands, counted from the header's first byte.
    let embeddedProfile: Range<Int>?

    /// Bytes that masks take after a header which has no room for them.
    static let maximumMaskByteCount = 16

    /// The lengths that a header can have.
    static func isByteCount(_ count: Int) -> Bool { count == 12 || 16...64 ~= count || count == 108 || count == 124 }

    /// The header that begins at `start` of `bytes`, which hold all of it and `maximumMaskByteCount` more if there are
    /// so many.
    /// - Throws: `corrupt` for what makes no sense, `unsupported` for a compression that isn't known.
    init(_ bytes: [UInt8], at start: Int) throws(ImageError) {
        func corrupt(_ message: String) -> ImageError { ImageError(.corrupt, message, byteOffset: start) }
        guard let byteCount = bytes.littleEndian(at: start, byteCount: 4), Self.isByteCount(byteCount),
            start + byteCount <= bytes.count
        else { throw corrupt("there is no BMP header of a known length") }
        /// A number; 0 in a header that ends before it.
        func field(_ offset: Int, _ count: Int = 4) -> Int {
            offset + count <= byteCount ? bytes.littleEndian(at: start + offset, byteCount: count) ?? 0 : 0
        }
        func signed(_ offset: Int) -> Int { Int(Int32(truncatingIfNeeded: field(offset))) }

        self.byteCount = byteCount
        let isCore = byteCount == 12
        let isOS2 = isCore || (byteCount <= 64 && ![40, 52, 56].contains(byteCount))
        let width = isCore ? field(4, 2) : signed(4)
        let height = isCore ? field(6, 2) : signed(8)
        guard width > 0, height != 0 else { throw corrupt("the BMP picture's size is \(width)x\(height)") }
        size = PixelSize(width: width, height: abs(height))
        bitsPerPixel = isCore ? field(10, 2) : field(14, 2)
        let number = isCore ? 0 : field(16)
        guard let compression = BMPCompression(number, bitsPerPixel: bitsPerPixel, isOS2: isOS2) else {
            guard [0, 1, 2, 4, 8, 16, 24, 32].contains(bitsPerPixel), number > 0 else {
                throw corrupt("a BMP of \(bitsPerPixel) bits per pixel and compression \(number) makes no sense")
            }
            throw ImageError(
                .unsupported, "a BMP of \(bitsPerPixel) bits per pixel and compression \(number) can't be read")
        }
        self.compression = compression
        // An embedded file begins at its top whatever the header says.
        isTopDown = height < 0 || compression == .jpeg || compression == .png
        imageByteCount = isCore ? 0 : field(20)
        let (across, down) = isCore ? (0, 0) : (signed(24), signed(28))
        // Pixels per metre.
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
        // "MBED": the profile is here. "LINK" names a file elsewhere, which is left aside.
        let (offset, count) = (field(112), field(116))
        embeddedProfile = field(56) == 0x4D42_4544 && offset >= byteCount && count > 0 ? offset..<(offset + count) : nil
    }

    /// What a version 4 header's endpoints and gamma say (LCS_CALIBRATED_RGB).
    private static func calibration(_ signed: (Int) -> Int) -> ColorProfile {
        // Gammas are 16.16 fixed point, unsigned; a curve for each channel is more than a calibration can say here.
        let gammas = [96, 100, 104].map { Double(signed($0)) / 65536 }
        guard gammas[0] > 0, gammas[0] == gammas[1], gammas[1] == gammas[2] else { return .sRGB }
        // X, Y and Z as 2.30 fixed point.
        let primaries = [60, 72, 84].map { offset in
            SIMD3((0..<3).map { Double(signed(offset + 4 * $0)) / Double(1 << 30) })
        }
        let sums = primaries.map { $0.sum() }
        guard sums.allSatisfy({ $0 > 0 }) else { return .calibrated(gamma: 1 / gammas[0], nil) }
        // Primaries of the light that white is made of add up to white. Many writers give chromaticities, whose sum is 1
        // each, and mean the white of sRGB.
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

    /// Bytes of a row that is stored plainly: rows begin at multiples of 4.
    var rowByteCount: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }
}

/// How a BMP's pixels are stored.
enum BMPCompression: Hashable {
    /// Row after row.
    case none
    /// Row after row, their channels given by masks.
    case bitFields
    /// Runs of indices of four bits.
    case runLength4
    /// Runs of indices of eight bits.
    case runLength8
    /// Runs of colours, OS/2's.
    case runLength24
    /// CCITT group 3, one-dimensional (ITU-T T.4), OS/2's.
    case huffman
    /// A JPEG file.
    case jpeg
    /// A PNG file.
    case png

    /// The compression with this number in a header; nil for one that there isn't, or not with these bits per pixel.
    ///
    /// OS/2 gives 3 and 4 another meaning than Windows. Some of its files have a header of Windows' length; one bit per
    /// pixel has no channels, so 3 can only be OS/2's there.
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

/// Where in a pixel of 16 or 32 bits the channels are.
struct BMPChannels {
    /// One channel: consecutive bits, or none.
    struct Channel {
        let mask: UInt32
        let shift: UInt32
        /// The largest value, 0 for a channel that isn't there.
        let maximum: UInt32
        /// The value of eight bits for each stored one, where there are at most 256.
        let table: [UInt8]

        /// - Throws: `corrupt` for bits with gaps.
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

        /// value × largest / maximum, rounded to the nearest.
        static func scaled<Result: FixedWidthInteger>(
            _ value: UInt32, _ maximum: UInt32, to largest: UInt64, _: Result.Type
        ) -> Result {
            maximum == 0
                ? 0 : Result(truncatingIfNeeded: (UInt64(value) * largest + UInt64(maximum / 2)) / UInt64(maximum))
        }

        /// The channel of `pixel`, up to `largest`.
        func value<Result: FixedWidthInteger>(_ pixel: UInt32, to largest: UInt64, _ type: Result.Type) -> Result {
            Self.scaled((pixel & mask) >> shift, maximum, to: largest, type)
        }
    }

    let red: Channel
    let green: Channel
    let blue: Channel
    let alpha: Channel

    /// - Throws: `corrupt` for bits with gaps, or none at all.
    init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) throws(ImageError) {
        guard red | green | blue != 0 else { throw ImageError(.corrupt, "the BMP gives its colours no bits") }
        self.red = try Channel(red, "red")
        self.green = try Channel(green, "green")
        self.blue = try Channel(blue, "blue")
        self.alpha = try Channel(alpha, "alpha")
    }

    private static func known(_ red: UInt32, _ green: UInt32, _ blue: UInt32, _ alpha: UInt32) -> BMPChannels {
        // Each mask is without gaps.
        try! BMPChannels(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// What 16 bits without masks are.
    static let rgb555 = known(0x7C00, 0x3E0, 0x1F, 0)
    /// What 32 bits without masks are.
    static let rgb888 = known(0xFF0000, 0xFF00, 0xFF, 0)
    /// What 32 bits without masks are in an icon.
    static let rgba8888 = known(0xFF0000, 0xFF00, 0xFF, 0xFF00_0000)

    /// The bits of the widest channel.
    var maximumBitCount: Int {
        [red, green, blue, alpha].map { 32 - $0.maximum.leadingZeroBitCount }.max()!
    }
}
