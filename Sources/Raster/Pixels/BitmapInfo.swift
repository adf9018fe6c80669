/// What has to be known of pixels before they can be read: size, format, alpha and colour space.
public struct BitmapInfo: Hashable, Sendable {
    /// Width and height in pixels.
    public var size: PixelSize
    /// What a pixel is in memory.
    public var format: PixelFormat
    /// What alpha means. Grey formats have none.
    public var alpha: AlphaMode
    /// The colour space of the values.
    public var profile: ColorProfile

    /// Pixels of this size and kind. Grey formats take `alpha` for `.none`.
    public init(
        size: PixelSize, format: PixelFormat, alpha: AlphaMode = .none, profile: ColorProfile = .sRGB
    ) {
        self.size = size
        self.format = format
        self.alpha = format.isGray ? .none : alpha
        self.profile = profile
    }

    /// Bytes of pixels in a row, without padding.
    public var rowByteCount: Int { size.width * format.bytesPerPixel }
}
