/// A pixel as stored in rows, so that a loop over a row is a loop over pixels, not byte offsets.
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

    /// A pixel of these channels, opaque by default.
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

    /// A pixel of these channels, opaque by default.
    @inlinable public init(_ red: UInt16, _ green: UInt16, _ blue: UInt16, _ alpha: UInt16 = 65535) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
    /// `rgba16`.
    public static var format: PixelFormat { .rgba16 }
}

/// The common interface of `RGBA8` and `RGBA16`, for arithmetic written once for both.
package protocol RGBAPixel: Pixel {
    /// A channel's value; its largest is 1.
    associatedtype Channel: FixedWidthInteger & UnsignedInteger
    /// Holds twice the cube of the largest channel.
    associatedtype CubeSum: FixedWidthInteger & UnsignedInteger

    var red: Channel { get set }
    var green: Channel { get set }
    var blue: Channel { get set }
    var alpha: Channel { get set }

    init(_ red: Channel, _ green: Channel, _ blue: Channel, _ alpha: Channel)
}

extension RGBA8: RGBAPixel {
    package typealias CubeSum = UInt32
}

extension RGBA16: RGBAPixel {
    package typealias CubeSum = UInt64
}

extension RGBA8 {
    /// Parses six or eight hexadecimal digits, as in CSS: red, green, blue and optionally alpha, with or
    /// without a leading number sign. Nil for anything else.
    public init?(hex text: String) {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6 || digits.utf8.count == 8, digits.allSatisfy(\.isHexDigit),
            let value = UInt32(digits, radix: 16)
        else { return nil }
        let rgba = digits.utf8.count == 8 ? value : value << 8 | 0xFF
        self.init(
            UInt8(truncatingIfNeeded: rgba >> 24), UInt8(truncatingIfNeeded: rgba >> 16),
            UInt8(truncatingIfNeeded: rgba >> 8), UInt8(truncatingIfNeeded: rgba))
    }

    /// The colour in CSS notation: `#` and eight digits, six if it is opaque.
    public var hex: String {
        let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
        return channels.reduce("#") { $0 + ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}

/// A colour is coded as a string: `"#336699"`.
extension RGBA8: Codable {
    /// Reads any form that `init(hex:)` accepts.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let color = RGBA8(hex: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "invalid colour \"\(text)\": write #336699, or #33669980 with alpha")
        }
        self = color
    }

    /// Writes `hex`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
