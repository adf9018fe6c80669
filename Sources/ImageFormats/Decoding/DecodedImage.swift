public import Raster

/// What came of decoding: the pixels there are and, if not all could be made, the reason.
public struct DecodedImage: Sendable {
    /// What the file says of the picture.
    public let header: ImageHeader
    /// The pixels. Rows that could not be decoded are transparent, or black where there is no alpha.
    public let bitmap: Bitmap
    /// Why the picture isn't whole; nil when it is.
    public let error: ImageError?
}
