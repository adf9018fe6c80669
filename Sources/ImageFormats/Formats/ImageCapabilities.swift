/// What a codec can do with its format, as installed here.
public struct ImageCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Capabilities of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Makes decoders.
    public static let decode = ImageCapabilities(rawValue: 1 << 0)
    /// Makes encoders.
    public static let encode = ImageCapabilities(rawValue: 1 << 1)
    /// Makes decoders for animations.
    public static let decodeAnimation = ImageCapabilities(rawValue: 1 << 2)
    /// Writes several pictures as frames, to be shown one after the other.
    public static let encodeAnimation = ImageCapabilities(rawValue: 1 << 3)
    /// Reads each of several pictures in a file by its index.
    public static let decodePages = ImageCapabilities(rawValue: 1 << 4)
    /// Writes several pictures as pages, each of a size of its own.
    public static let encodePages = ImageCapabilities(rawValue: 1 << 5)
    /// Delivers rows or passes before all bytes are there.
    public static let incremental = ImageCapabilities(rawValue: 1 << 6)
    /// Decodes less than all of the pixels for a small target size.
    public static let scaledDecoding = ImageCapabilities(rawValue: 1 << 7)
    /// Pictures have no pixels of their own: they are drawn at the size that is asked for, larger ones too.
    public static let vector = ImageCapabilities(rawValue: 1 << 12)
    /// Decodes in a process of its own, which can do no harm. Who would read such files past the codec, doesn't.
    public static let isolated = ImageCapabilities(rawValue: 1 << 13)
    /// The format has transparency.
    public static let alpha = ImageCapabilities(rawValue: 1 << 8)
    /// Reads or writes more than 8 bits per channel.
    public static let deepColor = ImageCapabilities(rawValue: 1 << 9)
    /// Writes every pixel as it is.
    public static let lossless = ImageCapabilities(rawValue: 1 << 10)
    /// Writes fewer bytes for less quality.
    public static let lossy = ImageCapabilities(rawValue: 1 << 11)
}
