public import Foundation
internal import ImageFormats
public import Raster

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The image in JPNG data, decoded now if `forceDecompression` is true; nil if the data isn't a JPNG or is damaged.
public func CGImageCreateWithJPNGData(_ data: Data, _ forceDecompression: Bool) -> Image? {
    try? Image(jpngData: data, forcesDecompression: forceDecompression || JPNG.alwaysForcesDecompression)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The image as JPNG data; nil if its pixels can't be decoded. The quality is 0 to 1; an opaque image gets an opaque mask.
public func CGImageJPNGRepresentation(_ image: Image, _ quality: CGFloat) -> Data? {
    // libjpeg's qualities begin at 1 of 100.
    guard let bytes = try? image.jpngData(quality: max(quality, 0.01)) else { return nil }
    return Data(bytes)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The image in JPNG data, with `scale` pixels per point, 0 for the display's; nil if the data isn't a JPNG or is damaged.
public func UIImageWithJPNGData(_ data: Data, _ scale: CGFloat, _ orientation: Orientation) -> Image? {
    try? Image(jpngData: data, scale: scale, orientation: orientation)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The image as JPNG data, as `CGImageJPNGRepresentation(_:_:)`.
public func UIImageJPNGRepresentation(_ image: Image, _ quality: CGFloat) -> Data? {
    CGImageJPNGRepresentation(image, quality)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The image in JPNG data, upright, as `UIImageWithJPNGData(_:_:_:)`.
public func NSImageWithJPNGData(_ data: Data, _ scale: CGFloat) -> Image? { UIImageWithJPNGData(data, scale, .up) }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The image as JPNG data, as `CGImageJPNGRepresentation(_:_:)`.
public func NSImageJPNGRepresentation(_ image: Image, _ quality: CGFloat) -> Data? {
    CGImageJPNGRepresentation(image, quality)
}
