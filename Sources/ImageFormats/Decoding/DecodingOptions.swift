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
    /// Whether the orientation in XMP counts in a JPEG or PNG file without one in EXIF. Off unless set, as in browsers.
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
        readsXMPOrientation: Bool = false, imageIndex: Int? = nil, limits: DecodingLimits = .standard,
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
