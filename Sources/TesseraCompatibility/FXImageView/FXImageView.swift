public import Foundation
internal import ImageEffects
public import ImageViews
public import Raster

/// FXImageView's name for the view model with its effects.
public typealias FXImageView = EffectImageView

extension EffectImageView {
    /// The queue of asynchronous views.
    public static func processingQueue() -> EffectQueue { .shared }

    /// The cache of processed images.
    public static func processedImageCache() -> ProcessedImageCache { .shared }

    /// Whether images are loaded and processed in the background: `asynchronous` by its getter's name.
    public var isAsynchronous: Bool {
        get { asynchronous }
        set { asynchronous = newValue }
    }

    /// Shows the image in a file, as `setImage(contentsOfFile:)` does.
    public func setImageWithContentsOfFile(_ file: String) { setImage(contentsOfFile: file) }

    /// Shows the image at a URL, as `setImage(contentsOf:)` does.
    public func setImageWithContentsOf(_ URL: URL) { setImage(contentsOf: URL) }

    /// An effect applied to the cropped and scaled image before the others, on any thread. The view has no image if it
    /// returns nil.
    ///
    /// Caches can't tell blocks apart: a view whose block changes, or differs from other views', needs a `cacheKey`.
    /// `customEffects` has an identifier instead.
    public var customEffectsBlock: (@Sendable (Image) -> Image?)? {
        get {
            guard let effect = customEffects else { return nil }
            return { image in try? effect.body(image) }
        }
        set {
            customEffects = newValue.map { block in
                Effects.Custom(identifier: "customEffectsBlock") { (image) throws(ImageError) in
                    guard let result = block(image) else {
                        throw ImageError(.invalidParameter, "customEffectsBlock returned no image")
                    }
                    return result
                }
            }
        }
    }
}

extension EffectQueue {
    /// The maximum number of concurrent jobs; -1 for no limit, as an operation queue has it.
    public var maxConcurrentOperationCount: Int {
        get { width ?? -1 }
        set { width = newValue < 0 ? nil : newValue }
    }
}

extension ProcessedImageCache {
    /// Removes all images, under the name that `NSCache` has for it.
    public func removeAllObjects() { removeAll() }
}

extension ViewSize {
    /// The same size in points.
    public init(_ size: CGSize) { self.init(width: size.width, height: size.height) }
}
