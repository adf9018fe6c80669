public import Essentials
public import ImageFormats
internal import ImageLoading

/// Nuke's name for a format, `AssetType` in its later versions.
public typealias ImageType = ImageFormat

extension ImageFormat {
    /// Nuke's spelling of `webP`.
    public static let webp = ImageFormat.webP

    /// The format of `data` by its content; nil if it is neither an image with a codec nor a video.
    public init?(_ data: Data) { self.init(data: data) }

    /// The uniform type identifier, such as `public.jpeg`.
    public var rawValue: String { typeIdentifier }
}
