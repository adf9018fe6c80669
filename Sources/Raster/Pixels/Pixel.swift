/// A pixel as rows hold it, so that a loop over a row is a loop over pixels and never over byte offsets.
public protocol Pixel: BitwiseCopyable, Sendable, Hashable {
    /// The format whose memory layout this type has.
    static var format: PixelFormat { get }
}

/// A pixel of `PixelFormat.gray8`.
@frozen public struct Gray8: Pixel {
    /// 0 is black, 255 white.
    public var value: UInt8

    /// A grey of `value`.
    @inlinable public init(_ value: UInt8) { self.value = value }
    /// `gray8`.
    public static var format: PixelFormat { .gray8 }
}

/// A pixel of `PixelFormat.gray16`.
@frozen public struct Gray16: Pixel {
    /// 0 is black, 65535 white.
    public var value: UInt16

    /// A grey of `value`.
    @inlinable public init(_ value: UInt16) { self.value = value }
    /// `gray16`.
    public static var format: PixelFormat { .gray16 }
}

/// A pixel of `PixelFormat.rgba8`.
@frozen public struct RGBA8: Pixel {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8
    /// Alpha, 255 is opaque.
    public var alpha: UInt8

    /// A pixel of these channels, opaque unless said otherwise.
    @inlinable public init(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
    /// `rgba8`.
    public static var format: PixelFormat { .rgba8 }
}

/// A pixel of `PixelFormat.rgba16`.
@frozen public struct RGBA16: Pixel {
    /// Red, 0 to 65535.
    public var red: UInt16
    /// Green, 0 to 65535.
    public var green: UInt16
    /// Blue, 0 to 65535.
    public var blue: UInt16
    /// Alpha, 65535 is opaque.
    public var alpha: UInt16

    /// A pixel of these channels, opaque unless said otherwise.
    @inlinable public init(_ red: UInt16, _ green: UInt16, _ blue: UInt16, _ alpha: UInt16 = 65535) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
    /// `rgba16`.
    public static var format: PixelFormat { .rgba16 }
}
