public import Foundation
public import ImageFormats
internal import ImageLoading
public import Raster

// swift-format-ignore: AlwaysUseLowerCamelCase
/// SDWebImage's name for a format, which may be undefined.
public struct SDImageFormat: Hashable, Sendable {
    /// The format; nil if it is undefined.
    public let format: ImageFormat?

    /// A format that may be undefined.
    public init(_ format: ImageFormat?) { self.format = format }

    /// No format, or one that isn't supported.
    public static let undefined = SDImageFormat(nil)
    /// JPEG.
    public static let JPEG = SDImageFormat(.jpeg)
    /// PNG.
    public static let PNG = SDImageFormat(.png)
    /// GIF.
    public static let GIF = SDImageFormat(.gif)
    /// TIFF.
    public static let TIFF = SDImageFormat(.tiff)
    /// WebP.
    public static let webP = SDImageFormat(.webP)
    /// HEIC: HEIF with HEVC.
    public static let HEIC = SDImageFormat(.heic)
    /// HEIF with any other codec.
    public static let HEIF = SDImageFormat(.heif)
}

extension Image {
    /// The format of the file that the image comes from; undefined for an image made by a program or an effect.
    public var sd_imageFormat: SDImageFormat { SDImageFormat(format) }
}

extension NSData {
    /// The format of `data` by its content.
    public static func sd_imageFormat(forImageData data: Data?) -> SDImageFormat {
        SDImageFormat(data.flatMap { ImageFormat(data: $0) })
    }

    /// The uniform type identifier of `format`: PNG's if it is undefined.
    public static func sd_UTType(from format: SDImageFormat) -> String {
        (format.format ?? .png).typeIdentifier
    }

    /// The format with a uniform type identifier.
    public static func sd_imageFormat(fromUTType uttype: String?) -> SDImageFormat {
        SDImageFormat(uttype.flatMap { ImageFormat(typeIdentifier: $0) })
    }
}
