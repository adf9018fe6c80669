#if WebP
/// What a chunk of a WebP file holds (RFC 9649, section 2), by its four characters.
enum WebPChunkType: String {
    /// What an extended file has, and its canvas.
    case extended = "VP8X"
    /// An ICC profile.
    case profile = "ICCP"
    /// How often an animation is played.
    case animation = "ANIM"
    /// A frame of an animation, around chunks of its own.
    case frame = "ANMF"
    /// The alpha of a lossy picture.
    case alpha = "ALPH"
    /// A lossy picture.
    case lossy = "VP8 "
    /// A lossless picture.
    case lossless = "VP8L"
    /// An EXIF block.
    case exif = "EXIF"
    /// An XMP packet.
    case xmp = "XMP "

    /// The type that a chunk's header of eight bytes gives; nil for one that nobody here knows.
    init?(header: [UInt8]) { self.init(rawValue: String(decoding: header[0..<4], as: UTF8.self)) }
}
#endif
