public import Foundation
public import ImageEffects
public import Raster

/// The methods of FXImageView's `UIImage` category, by the names that Swift's importer gives them.
///
/// Lengths are in points of the image's scale. Each returns nil if its parameters aren't valid for the image, or the
/// image can't be decoded; `applying(_:options:)` throws the reason, and plans several effects as one.
extension Image {
    /// The part of the image in `rect`, transparent where that extends beyond the image.
    public func imageCropped(to rect: CGRect) -> Image? {
        let (origin, size) = (rect.origin, rect.size)
        return affected(.crop(x: origin.x, y: origin.y, width: size.width, height: size.height))
    }

    /// The image stretched to `size`.
    public func imageScaled(to size: CGSize) -> Image? { affected(.scale(width: size.width, height: size.height)) }

    /// The image scaled to the largest size of its proportions within `size`.
    public func imageScaled(toFit size: CGSize) -> Image? {
        affected(.scaleToFit(width: size.width, height: size.height))
    }

    /// The image scaled until it covers `size`, and cropped to it.
    public func imageScaled(toFill size: CGSize) -> Image? {
        affected(.scaleToFill(width: size.width, height: size.height))
    }

    /// The image as a view of `size` with `contentMode` shows it, with transparent padding if `padToFit` is true.
    public func imageCroppedAndScaled(to size: CGSize, contentMode: ContentMode, padToFit: Bool) -> Image? {
        affected(.cropAndScale(width: size.width, height: size.height, contentMode: contentMode, padToFit: padToFit))
    }

    /// The image upside down, fading out at `scale` times its height.
    public func reflectedImage(withScale scale: CGFloat) -> Image? { affected(.reflected(scale: scale)) }

    /// The image above its reflection, and centred.
    public func withReflectionWithScale(_ scale: CGFloat, gap: CGFloat, alpha: CGFloat) -> Image? {
        affected(.reflection(scale: scale, gap: gap, alpha: alpha))
    }

    /// The image over its shadow, and centred.
    public func withShadowColor(_ color: RGBA8, offset: CGSize, blur: CGFloat) -> Image? {
        affected(.shadow(color: color, x: offset.width, y: offset.height, blur: blur))
    }

    /// The image with rounded corners.
    public func withCornerRadius(_ radius: CGFloat) -> Image? { affected(.cornerRadius(radius)) }

    /// The image with its alpha multiplied by `alpha`, 0 to 1.
    public func withAlpha(_ alpha: CGFloat) -> Image? { affected(.opacity(alpha)) }

    /// The image where `maskImage`, a grey image stretched over it, is white.
    public func withMask(_ maskImage: Image) -> Image? {
        affected(.mask(EffectPicture(maskImage, reference: "image \(maskImage.identity)")))
    }

    /// The image's alpha as a grey image, for `withMask(_:)`.
    public func maskImageFromImageAlpha() -> Image? { affected(.maskFromAlpha) }

    private func affected(_ effect: any ImageEffect) -> Image? { try? applying(effect) }
}
