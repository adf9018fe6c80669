public import Raster

/// An image's properties, known before any pixel is decoded.
public struct ImageHeader: Hashable, Sendable {
    /// The colour model of the stored values.
    public enum ColorModel: String, Hashable, Sendable {
        /// One grey channel.
        case gray
        /// Red, green and blue, or an equivalent such as YCbCr.
        case rgb
        /// Indices into a palette.
        case indexed
        /// Cyan, magenta, yellow and black. Decoders deliver RGB.
        case cmyk
    }

    /// The file's format; the exact one, such as JPNG for a JPEG with a mask, can become known later.
    public var format: ImageFormat
    /// The width and height as stored, before `metadata.orientation` is applied.
    public var storedSize: PixelSize
    /// The colour model of the stored values.
    public var colorModel: ColorModel
    /// The bits in a stored channel or index, 1 to 32.
    public var bitsPerChannel: Int
    /// Whether any pixel can be less than opaque.
    public var hasAlpha: Bool
    /// The colour space of the stored values.
    public var profile: ColorProfile
    /// Whether the image is stored in several passes of increasing quality.
    public var isProgressive: Bool
    /// The sequence of which this image is one; nil if the file has only one image.
    public var sequence: ImageSequence?
    /// The orientation, EXIF, XMP and resolution.
    public var metadata: ImageMetadata

    /// Creates a header; by default for 8-bit opaque sRGB in a file of one image.
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

    /// The width and height of the upright image.
    public var size: PixelSize { metadata.orientation.applied(to: storedSize) }
}

/// The number and relation of the images in a file of several.
public struct ImageSequence: Hashable, Sendable {
    /// The relation of the images to each other.
    public enum Kind: Hashable, Sendable {
        /// Frames of an animation, shown one after the other on one canvas.
        case animation
        /// Independent images: a TIFF's pages, an icon's sizes.
        case pages
    }

    /// The relation of the images to each other.
    public var kind: Kind
    /// The number of images; nil while it is unknown.
    public var count: Int?
    /// The number of times an animation plays; 0 for endlessly.
    public var loopCount: Int

    /// Creates a sequence; an animation plays once by default.
    public init(_ kind: Kind, count: Int?, loopCount: Int = 1) {
        self.kind = kind
        self.count = count
        self.loopCount = loopCount
    }
}
