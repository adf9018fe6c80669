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
    /// How much a picture may ask for.
    public var limits: DecodingLimits

    /// sRGB, eight bits, upright, within the standard limits.
    public init(
        color: Color = .sRGB, maximumBitsPerChannel: Int = 8, appliesOrientation: Bool = true,
        limits: DecodingLimits = .standard
    ) {
        self.color = color
        self.maximumBitsPerChannel = maximumBitsPerChannel
        self.appliesOrientation = appliesOrientation
        self.limits = limits
    }
}
