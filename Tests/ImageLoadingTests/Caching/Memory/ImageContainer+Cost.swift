import ImageLoading
import Raster

extension ImageContainer {
    /// A picture of 16 pixels a row, which takes 64 bytes for each.
    static func ofRows(_ count: Int) throws -> ImageContainer {
        let info = BitmapInfo(size: PixelSize(width: 16, height: count), format: .rgba8, alpha: .straight)
        return ImageContainer(image: Image(try MutableBitmap(info).freeze()))
    }
}

extension ImageCacheKey {
    static func named(_ name: String) -> ImageCacheKey { ImageCacheKey(group: name) }
}
