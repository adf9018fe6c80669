public import ImageFormats

extension DecodingLimits {
    /// The limits for images that are never in memory as a whole: 64 gigapixels, 16 million pixels a side, 1 TiB of
    /// input, otherwise as `standard`.
    public static let largePictures: DecodingLimits = {
        var limits = standard
        limits.maximumPixelCount = 1 << 36
        limits.maximumSideLength = 1 << 24
        limits.maximumInputByteCount = 1 << 40
        return limits
    }()
}
