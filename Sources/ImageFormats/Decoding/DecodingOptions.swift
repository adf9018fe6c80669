public import Raster

/// Options for decoding: colour space, bit depth, orientation, index and limits.
public struct DecodingOptions: Hashable, Sendable {
    /// The colour space of decoded pixels.
    public enum Color: Hashable, Sendable {
        /// Converts to sRGB from the file's profile, gamma or CMYK.
        case sRGB
        /// Keeps stored values and their profile. CMYK becomes RGB by the plain formula.
        case asStored
    }

    /// The colour space of decoded pixels.
    public var color: Color
    /// The dynamic range of decoded pixels, for images in PQ or HLG where `color` is `.sRGB`.
    ///
    /// `.standard`, the default, compresses them to sRGB, with the hues kept and nothing clipped (ITU-R BT.2390). HEIC, AVIF
    /// and JPEG XL files with a gain map to standard range become the rendition that the map leads to. `.high` gives PQ in
    /// BT.2020's primaries with white at 203 candela per square metre (BT.2408), compressed to the headroom; `.asStored`
    /// the stored values. Both leave images in standard range as they are: `Image.rendered(for:)` applies gain
    /// maps. Set `maximumBitsPerChannel` to 16 with them, since eight bits of PQ show steps.
    public var dynamicRange: DynamicRange
    /// 8, or 16 to decode images of more than 8 bits to 16 bits. Images of 8 bits always decode to 8.
    public var maximumBitsPerChannel: Int
    /// Whether pixels are upright (the default) or as stored.
    public var appliesOrientation: Bool
    /// Whether a JPEG or PNG file without an orientation in EXIF uses the one in XMP: the default, as in Pillow and
    /// Apple's Image I/O. Browsers ignore it.
    public var readsXMPOrientation: Bool
    /// The index of the image to decode in a file of several, from 0. Nil selects the file's main image: the first page
    /// or frame, the primary item, or the largest icon.
    public var imageIndex: Int?
    /// The limits on size and memory.
    public var limits: DecodingLimits
    /// The options that only JPNG has.
    public var jpng: JPNG

    /// Options for JPNG.
    public struct JPNG: Hashable, Sendable {
        /// Whether alpha up to 2 becomes 0, and from 253 on 255, as in a JPEG mask (version 2) before compression.
        public var snapsAlpha: Bool
        /// Whether to remove the white that the original's releases 1.1.3 and 1.2 mixed into half-transparent colours.
        /// Damages files of all other releases; a file doesn't contain its release.
        public var repairsWhiteFlattening: Bool

        /// Creates options; by default they keep pixels as stored.
        public init(snapsAlpha: Bool = false, repairsWhiteFlattening: Bool = false) {
            self.snapsAlpha = snapsAlpha
            self.repairsWhiteFlattening = repairsWhiteFlattening
        }
    }

    /// Creates options; by default for 8-bit sRGB, upright, within the standard limits.
    public init(
        color: Color = .sRGB, maximumBitsPerChannel: Int = 8, appliesOrientation: Bool = true,
        readsXMPOrientation: Bool = true, imageIndex: Int? = nil, limits: DecodingLimits = .standard,
        jpng: JPNG = JPNG(), dynamicRange: DynamicRange = .standard
    ) {
        self.color = color
        self.dynamicRange = dynamicRange
        self.maximumBitsPerChannel = maximumBitsPerChannel
        self.appliesOrientation = appliesOrientation
        self.readsXMPOrientation = readsXMPOrientation
        self.imageIndex = imageIndex
        self.limits = limits
        self.jpng = jpng
    }
}

extension DecodingOptions {
    /// Returns the least number of input bytes for an image with `header` under the limits' compression ratio; 0 if the
    /// ratio doesn't apply.
    ///
    /// It counts all of the image's pixels, whichever part is decoded, since a file can have a false size. Formats that
    /// `registry` lists as vector graphics are exempt: they have no pixels until a size is requested.
    package func neededInputByteCount(for header: ImageHeader, registry: CodecRegistry) -> Int {
        let byteCount = pixelByteCount(of: header)
        guard byteCount >= Self.ratioPixelByteCount, !registry.capabilities(of: header.format).contains(.vector)
        else { return 0 }
        let ratio = max(1, limits.maximumCompressionRatio)
        return byteCount / ratio + (byteCount % ratio == 0 ? 0 : 1)
    }

    /// Checks the compression ratio of an input of `byteCount` bytes in total.
    /// - Throws: `limitExceeded`.
    package func checkCompressionRatio(
        of header: ImageHeader, inputByteCount byteCount: Int, registry: CodecRegistry
    ) throws(ImageError) {
        guard byteCount < neededInputByteCount(for: header, registry: registry) else { return }
        throw ImageError(
            .limitExceeded,
            "the \(header.format) image of \(header.storedSize) has \(pixelByteCount(of: header)) bytes of pixels in a "
                + "file of \(byteCount) bytes; the limit is \(limits.maximumCompressionRatio) for each"
                + " (DecodingLimits.maximumCompressionRatio)")
    }

    /// The least number of pixel bytes for which the ratio is checked, since a small blank image does no harm.
    private static let ratioPixelByteCount = 64 << 20

    /// Returns the bytes of all pixels in the format that decoders deliver.
    private func pixelByteCount(of header: ImageHeader) -> Int {
        let isGray = header.colorModel == .gray && !header.hasAlpha
        let isDeep = maximumBitsPerChannel > 8 && header.bitsPerChannel > 8
        let (byteCount, overflows) = header.storedSize.pixelCount
            .multipliedReportingOverflow(by: (isGray ? 1 : 4) * (isDeep ? 2 : 1))
        return overflows ? .max : byteCount
    }
}
