/// What became possible with the bytes so far.
public enum DecodingEvent: Hashable, Sendable {
    /// The header is known, or more exactly than before.
    case header(ImageHeader)
    /// Metadata came behind the header, as EXIF behind the pixels: the header's is now this.
    case metadata(ImageMetadata)
    /// Rows below `upTo` of the stored picture, at decoded size, are in the current picture.
    case rows(upTo: Int)
    /// This many passes (scans of a progressive JPEG, passes of an interlaced PNG) are in the current picture.
    case pass(Int)
    /// The frame of this index of an animation is whole and can be asked for.
    case frame(Int)
    /// The picture, or the animation, is complete.
    case complete
}
