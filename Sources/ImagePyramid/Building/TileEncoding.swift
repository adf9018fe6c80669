public import ImageFormats
public import Raster

/// How tiles are written.
public struct TileEncoding: Hashable, Sendable {
    /// JPEG, PNG, WebP or JPNG.
    public var format: ImageFormat
    /// 0 to 1, as in `EncodingOptions`; of no account for PNG.
    public var quality: Double
    /// What shows through where a picture with alpha becomes tiles without.
    public var background: RGBA8
    /// What tiles at the right and the bottom are filled up with to the full tile size, as Google's layout (background)
    /// and TIFF (edges) want them.
    public var padding: Padding

    /// What tiles at the right and the bottom are filled up with.
    public enum Padding: Hashable, Sendable {
        /// They stay as small as they are.
        case none
        /// The background's colour.
        case background
        /// The last column's and the last row's pixels, again and again.
        case edges
    }

    /// Tiles of `format`; JPEG at quality 0.75 on white unless said otherwise.
    public init(
        format: ImageFormat = .jpeg, quality: Double = 0.75,
        background: RGBA8 = RGBA8(255, 255, 255), padding: Padding = .none
    ) {
        self.format = format
        self.quality = quality
        self.background = background
        self.padding = padding
    }
}
