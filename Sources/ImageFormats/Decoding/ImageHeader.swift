public import Raster

/// What a picture says of itself before any pixel is decoded.
public struct ImageHeader: Hashable, Sendable {
    /// What colours are stored as.
    public enum ColorModel: String, Hashable, Sendable {
        /// One channel.
        case gray
        /// Red, green and blue, or something that stands for them such as YCbCr.
        case rgb
        /// Indices into a table of colours.
        case indexed
        /// Inks. Decoders deliver RGB.
        case cmyk
    }

    /// The format, as far as it is known.
    public var format: ImageFormat
    /// Width and height as stored, before `metadata.orientation` is applied.
    public var storedSize: PixelSize
    /// What colours are stored as.
    public var colorModel: ColorModel
    /// Bits per stored channel or index, 1 to 32.
    public var bitsPerChannel: Int
    /// Whether any pixel may be less than opaque.
    public var hasAlpha: Bool
    /// The colour space of the stored values.
    public var profile: ColorProfile
    /// Whether the picture comes in several passes, each finer than the one before.
    public var isProgressive: Bool
    /// The pictures in a file of several, of which this is one; nil in a file of one picture.
    public var sequence: ImageSequence?
    /// Orientation, EXIF and the like.
    public var metadata: ImageMetadata

    /// A header of these facts.
    public init(
        format: ImageFormat, storedSize: PixelSize, colorModel: ColorModel, bitsPerChannel: Int = 8,
        hasAlpha: Bool = false, profile: ColorProfile = .sRGB, isProgressive: Bool = false,
        sequence: ImageSequence? = nil, metadata: ImageMetadata = ImageMetadata()
    ) {
        self.format = format
        self.storedSize = storedSize
        self.colorModel = colorModel
        self.bitsPerChannel = bitsPerChannel
        self.hasAlpha = hasAlpha
        self.profile = profile
        self.isProgressive = isProgressive
        self.sequence = sequence
        self.metadata = metadata
    }

    /// Width and height once upright.
    public var size: PixelSize { metadata.orientation.applied(to: storedSize) }
}

/// The pictures in a file that holds several.
public struct ImageSequence: Hashable, Sendable {
    /// What the pictures are to each other.
    public enum Kind: Hashable, Sendable {
        /// Frames, shown one after the other on one canvas.
        case animation
        /// Pictures of their own: a TIFF's pages, an icon's sizes.
        case pages
    }

    /// What the pictures are to each other.
    public var kind: Kind
    /// How many there are; nil while that isn't known.
    public var count: Int?
    /// How often an animation is played, 0 for without end.
    public var loopCount: Int

    /// A sequence of these facts. An animation that says nothing of loops is played once.
    public init(_ kind: Kind, count: Int?, loopCount: Int = 1) {
        self.kind = kind
        self.count = count
        self.loopCount = loopCount
    }
}
