public import ImageEffects
public import Raster

/// Nuke's name for the platform's image type.
public typealias PlatformImage = Image

#if !canImport(UIKit)
/// UIKit's name for an image, where there is no UIKit.
public typealias UIImage = Image
#endif

#if !canImport(AppKit)
/// AppKit's name for an image, where there is no AppKit.
public typealias NSImage = Image
#endif

#if !canImport(CoreGraphics)
/// Core Graphics' name for an image, where there is no Core Graphics.
public typealias CGImage = Image
#endif

extension ContentMode {
    /// UIKit's name for `aspectFit`.
    public static let scaleAspectFit = ContentMode.aspectFit
    /// UIKit's name for `aspectFill`.
    public static let scaleAspectFill = ContentMode.aspectFill
}
