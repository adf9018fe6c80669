#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Raster

extension EffectImageView {
    /// The picture as it is without effects. Of a file or URL nil until it has been loaded.
    ///
    /// Setting it has it processed and shown; nil shows nothing.
    public var image: Image? {
        get {
            updateIfNeeded()
            return original
        }
        set { setSource(newValue.map { .image($0) }) }
    }

    /// What is shown. Setting it shows that, untouched, until another picture, file or URL is set and ready.
    public var processedImage: Image? {
        get {
            updateIfNeeded()
            return shown
        }
        set {
            stop()
            needsUpdate = false
            isReplaced = true
            show(newValue, key: nil, transition: nil)
        }
    }

    /// Where `processedImage` is drawn, in the view's points: about the view's middle, at its own size. What effects add may
    /// lie outside the view.
    public var processedFrame: ViewRect? {
        guard let image = processedImage else { return nil }
        let (width, height) = (Double(image.size.width) / image.scale, Double(image.size.height) / image.scale)
        return ViewRect(x: (size.width - width) / 2, y: (size.height - height) / 2, width: width, height: height)
    }

    /// Why there is no picture; nil where there is one, or nothing is known yet.
    public var error: ImageError? {
        updateIfNeeded()
        return failure
    }

    /// Shows the picture in a file: one in `resourceFolder`, unless the path begins at the root; a PNG, unless the name has
    /// an extension. Where there is none, `error` says so.
    /// - Parameter refreshes: Whether to read it even where that has been done.
    public func setImage(contentsOfFile path: String, refreshes: Bool = false) {
        setSource(EffectSource(file: path, in: Self.resourceFolder), refreshes: refreshes)
    }

    /// Shows the picture at `url`: a file, or anything that the pipeline loads. A view that isn't asynchronous has its
    /// thread wait for it, which must not be what the pipeline's loader waits for.
    /// - Parameter refreshes: Whether to load it even where that has been done.
    public func setImage(contentsOf url: URL, refreshes: Bool = false) {
        setSource(EffectSource(at: url), refreshes: refreshes)
    }

    /// `image` as it changes, the present one first. Who is slow sees the newest.
    public var images: AsyncStream<Image?> { imageReaders.stream(beginningWith: image) }

    /// `processedImage` as it changes, the present one first. Who is slow sees the newest.
    public var processedImages: AsyncStream<Image?> { processedReaders.stream(beginningWith: processedImage) }
}
