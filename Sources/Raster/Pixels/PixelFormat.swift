/// What one pixel is in memory. Sixteen-bit channels are in the machine's byte order.
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
