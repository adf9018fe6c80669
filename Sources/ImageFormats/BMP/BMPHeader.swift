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
