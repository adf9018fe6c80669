internal import Raster

/// How pictures are to be decoded.
public struct DecodingOptions: Hashable, Sendable {
    /// What becomes of colours.
    public enum Color: Hashable, Sendable {
        /// Converted to sRGB from the profile, the gamma or the inks that the file gives.
        case sRGB
        /// Left as stored; the profile travels along. Inks become RGB by the plain formula.
        case asStored
    }

    /// What becomes of colours.
    public var color: Color
    /// 8, or 16 to keep sixteen-bit pictures at sixteen bits. Eight-bit pictures stay at eight either way.
    public var maximumBitsPerChannel: Int
    /// Whether pixels are delivered upright (the default) or as stored.
    public var appliesOrientation: Bool
    /// Whether the orientation in XMP counts in a JPEG or PNG file without one in EXIF: the default, as with Pillow and
    /// Apple's Image I/O. Browsers leave it out of account.
    public var readsXMPOrientation: Bool
    /// Which of several pictures in a file is decoded, the first being 0; nil: the one that the file presents itself by
    /// (the first page or frame, the primary item, the largest icon).
    public var imageIndex: Int?
    /// How much a picture may ask for.
    public var limits: DecodingLimits
    /// What only JPNG has.
    public var jpng: JPNG

    /// Options for JPNG.
    public struct JPNG: Hashable, Sendable {
        /// Whether alpha up to 2 becomes 0 and from 253 on 255: what a JPEG mask, version 2, meant before compression.
        public var snapsAlpha: Bool
        /// Whether the white that the original's releases 1.1.3 and 1.2 mixed into half-transparent colours is taken out
        /// again. It spoils every other file, and nothing in a file tells them apart.
        public var repairsWhiteFlattening: Bool

        /// Pixels as stored.
        public init(snapsAlpha: Bool = false, repairsWhiteFlattening: Bool = false) {
            self.snapsAlpha = snapsAlpha
            self.repairsWhiteFlattening = repairsWhiteFlattening
        }
    }

    /// sRGB, eight bits, upright, within the standard limits.
    public init(
        color: Color = .sRGB, maximumBitsPerChannel: Int = 8, appliesOrientation: Bool = true,
        readsXMPOrientation: Bool = true, imageIndex: Int? = nil, limits: DecodingLimits = .standard,
        jpng: JPNG = JPNG()
    ) {
        self.color = color
        self.maximumBitsPerChannel = maximumBitsPerChannel
        self.appliesOrientation = appliesOrientation
        self.readsXMPOrientation = readsXMPOrientation
        self.imageIndex = imageIndex
        self.limits = limits
        self.jpng = jpng
    }
}

extension DecodingOptions {
    /// The bytes of input without which a picture of `header` asks for more pixels than the limits' compression ratio
    /// allows; 0 where the ratio says nothing of it.
    ///
    /// What counts is the whole picture's pixels, whatever part of it is wanted: their size is what a file can lie about.
    /// Drawings, as `registry` tells them, have no pixels until somebody asks for some.
    package func neededInputByteCount(for header: ImageHeader, registry: CodecRegistry) -> Int {
        let byteCount = pixelByteCount(of: header)
        guard byteCount >= Self.ratioPixelByteCount, !registry.capabilities(of: header.format).contains(.vector)
        else { return 0 }
        let ratio = max(1, limits.maximumCompressionRatio)
        return byteCount / ratio + (byteCount % ratio == 0 ? 0 : 1)
    }

    /// Checks `byteCount` bytes, all that there are, against the compression ratio.
    /// - Throws: `limitExceeded`.
    package func checkCompressionRatio(
        of header: ImageHeader, inputByteCount byteCount: Int, registry: CodecRegistry
    ) throws(ImageError) {
        guard byteCount < neededInputByteCount(for: header, registry: registry) else { return }
        throw ImageError(
            .limitExceeded,
            "the \(header.format) picture of \(header.storedSize) has \(pixelByteCount(of: header)) bytes of pixels in a "
                + "file of \(byteCount) bytes; the limit is \(limits.maximumCompressionRatio) for each")
    }

    /// Below so many bytes of pixels nothing is said of the ratio: a small blank picture is no bomb.
    private static let ratioPixelByteCount = 64 << 20

    /// Bytes of the whole picture's pixels as decoders deliver them.
    private func pixelByteCount(of header: ImageHeader) -> Int {
        let isGray = header.colorModel == .gray && !header.hasAlpha
        let isDeep = maximumBitsPerChannel > 8 && header.bitsPerChannel > 8
        let (byteCount, overflows) = header.storedSize.pixelCount
            .multipliedReportingOverflow(by: (isGray ? 1 : 4) * (isDeep ? 2 : 1))
        return overflows ? .max : byteCount
    }
}
