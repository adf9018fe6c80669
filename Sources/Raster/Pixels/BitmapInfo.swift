/// The properties needed to interpret pixels: size, format, alpha mode and colour space.
public struct BitmapInfo: Hashable, Sendable {
    /// Width and height in pixels.
    public var size: PixelSize
    /// The memory layout of a pixel.
    public var format: PixelFormat
    /// The alpha mode; `.none` for grey formats.
    public var alpha: AlphaMode
    /// The colour space of the values.
    public var profile: ColorProfile

    /// Pixels of this size and kind. For grey formats, `alpha` is ignored.
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

/// The memory layout of a pixel. Sixteen-bit channels are in the machine's byte order.
public enum PixelFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// One byte of grey.
    case gray8
    /// Two bytes of grey.
    case gray16
    /// Red, green, blue, alpha, a byte each.
    case rgba8
    /// Red, green, blue, alpha, two bytes each.
    case rgba16

    /// Channels per pixel, alpha included.
    @inlinable public var channelCount: Int {
        switch self {
        case .gray8, .gray16: 1
        case .rgba8, .rgba16: 4
        }
    }

    /// 8 or 16.
    @inlinable public var bitsPerChannel: Int {
        switch self {
        case .gray8, .rgba8: 8
        case .gray16, .rgba16: 16
        }
    }

    /// Bytes from one pixel to the next.
    @inlinable public var bytesPerPixel: Int { channelCount * bitsPerChannel / 8 }

    /// Whether a pixel is a single grey value.
    @inlinable public var isGray: Bool { channelCount == 1 }

    /// The format with the same channels at 8 or 16 bits.
    public func withBitsPerChannel(_ bits: Int) -> PixelFormat {
        isGray ? (bits == 16 ? .gray16 : .gray8) : (bits == 16 ? .rgba16 : .rgba8)
    }
}

/// The relation between the alpha channel and the colours.
public enum AlphaMode: String, Hashable, Sendable, Codable {
    /// No alpha: every pixel is opaque. In rgba formats the fourth channel holds its largest value.
    case none
    /// Colours aren't multiplied by alpha, which is applied when the image is drawn ("unassociated").
    case straight
    /// Colours are already multiplied by alpha ("associated").
    case premultiplied

    /// Whether pixels may be transparent.
    public var hasAlpha: Bool { self != .none }
}
