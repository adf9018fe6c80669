public import Essentials
public import ImageEffects
public import ImageLoading
public import Observation
internal import Platform
public import Raster

/// Shows an image with `FXImageView`'s effects: cropped and scaled to the view, with rounded corners, a shadow and a
/// reflection.
///
/// Draw `processedImage` centred in the view and unscaled. Changes take effect together, in the main loop's next turn
/// or when the result is read. A cached image is available immediately, even if the view is asynchronous. Lengths are
/// in points.
///
/// ```swift
/// let view = EffectImageView()
/// view.size = ViewSize(width: 224, height: 186)
/// view.asynchronous = true
/// view.contentMode = .aspectFit
/// view.cornerRadius = 10
/// (view.reflectionScale, view.reflectionAlpha, view.reflectionGap) = (0.5, 0.25, 10)
/// view.setImage(contentsOfFile: "photos/harbour.jpg")
/// for await picture in view.processedImages { draw(picture, view.transition) }
/// ```
@MainActor @Observable
public final class EffectImageView {
    /// Whether images are loaded and processed in the background instead of on the calling thread. The default is
    /// false.
    public var asynchronous = false
    /// The duration in seconds over which an image from the background fades in; 0 for none.
    public var crossfadeDuration = 0.25

    /// The size of the view. Nothing is processed while it is empty.
    public var size = ViewSize.zero { didSet { setNeedsUpdate() } }
    /// Pixels per point of the result: the scale of the display that the view's window is on. Of a file with variants
    /// for several scales, the one for this scale is read.
    public var scale = DisplayScale.current {
        didSet {
            if scale != oldValue, case .file = source { isOriginalOutdated = true }
            setNeedsUpdate()
        }
    }
    /// How the image fits into the view. Unscaled modes show it at its own size in points.
    public var contentMode = ContentMode.scaleToFill { didSet { setNeedsUpdate() } }

    /// The visible gap between the image and its reflection.
    public var reflectionGap = 0.0 { didSet { setNeedsUpdate() } }
    /// The reflection's height as a fraction of the image's, 0 to 1; 0 for none.
    public var reflectionScale = 0.0 { didSet { setNeedsUpdate() } }
    /// The reflection's opacity, 0 to 1; 0 for none.
    public var reflectionAlpha = 0.0 { didSet { setNeedsUpdate() } }
    /// The shadow's colour, straight sRGB; none if its alpha is 0.
    public var shadowColor = RGBA8(0, 0, 0) { didSet { setNeedsUpdate() } }
    /// The shadow's offset to the right and downwards. If offset and blur are both 0, there is no shadow.
    public var shadowOffset = ViewSize.zero { didSet { setNeedsUpdate() } }
    /// The shadow's blur: twice the standard deviation of a Gaussian.
    public var shadowBlur = 0.0 { didSet { setNeedsUpdate() } }
    /// The radius of the corners; 0 for none.
    public var cornerRadius = 0.0 { didSet { setNeedsUpdate() } }
    /// An effect applied to the cropped and scaled image before the others, on any thread.
    public var customEffects: Effects.Custom? { didSet { setNeedsUpdate() } }

    /// The image's cache key instead of its source; size and effects are part of the full key too. Nil for the source.
    ///
    /// Set it together with the image: a change alone causes no update.
    public var cacheKey: String?
    /// Whether the view is cleared when another image is set, before that image is ready.
    public var clearsOnReuse = false
    /// The folder of files with relative paths: by default the program's, or the current folder if the system doesn't
    /// report it.
    public static var resourceFolder = OwnProgram.folder ?? "."

    /// The transition to the current image; nil for none, as for all images that didn't come from the background.
    public internal(set) var transition: ImageTransition?

    // MARK: Results

    var original: Image? { didSet { imageReaders.send(original) } }
    var shown: Image? { didSet { processedReaders.send(shown) } }
    var failure: ImageError?

    // MARK: State

    @ObservationIgnored let pipeline: ImagePipeline
    @ObservationIgnored let queue: EffectQueue
    @ObservationIgnored let cache: ProcessedImageCache
    @ObservationIgnored let imageReaders = ChangeReaders<Image?>()
    @ObservationIgnored let processedReaders = ChangeReaders<Image?>()
    @ObservationIgnored var source: EffectSource?
    /// The cache key of `shown`; nil if it isn't a result for the source.
    @ObservationIgnored var shownKey: ImageCacheKey?
    /// Whether the view made `shown`, for this source or an earlier one.
    @ObservationIgnored var isProcessed = false
    /// Whether `shown` was set after the source, whose image is then not wanted.
    @ObservationIgnored var isReplaced = false
    /// Whether no update has run since the source was set.
    @ObservationIgnored var isNewSource = false
    /// Whether to read the source again regardless of caches.
    @ObservationIgnored var refreshes = false
    @ObservationIgnored var needsUpdate = false
    @ObservationIgnored var isUpdateScheduled = false
    /// Whether the original was read for another scale, which may have another file.
    @ObservationIgnored var isOriginalOutdated = false
    /// The queue's number of the view's last request.
    @ObservationIgnored var number = 0
    /// The number of the current request; results of earlier ones are dropped.
    @ObservationIgnored var generation = 0
    @ObservationIgnored var loading: ImageTask?
    @ObservationIgnored var processing: EffectQueue.Ticket?

    /// A view without an image.
    /// - Parameters:
    ///   - pipeline: Loads images that aren't files.
    ///   - queue: Processes images if the view is asynchronous.
    ///   - cache: Stores processed images.
    public init(
        pipeline: ImagePipeline = .shared, queue: EffectQueue = .shared, cache: ProcessedImageCache = .shared
    ) {
        self.pipeline = pipeline
        self.queue = queue
        self.cache = cache
    }

    deinit {
        loading?.cancel()
        if let processing { queue.cancel(processing) }
    }
}

extension EffectImageView {
    /// The image without effects; nil while a file or URL is being loaded.
    ///
    /// Setting it processes and shows the image; nil shows nothing.
    public var image: Image? {
        get {
            updateIfNeeded()
            return original
        }
        set { setSource(newValue.map { .image($0) }) }
    }

    /// The image on screen. Setting it shows an image unprocessed, until another image, file or URL is set and ready.
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

    /// The rectangle of `processedImage` in the view's points: centred, at its own size. Effects may extend it beyond
    /// the view.
    public var processedFrame: ViewRect? {
        guard let image = processedImage else { return nil }
        let (width, height) = (Double(image.size.width) / image.scale, Double(image.size.height) / image.scale)
        return ViewRect(x: (size.width - width) / 2, y: (size.height - height) / 2, width: width, height: height)
    }

    /// The reason why there is no image; nil if there is one, or while it is loading.
    public var error: ImageError? {
        updateIfNeeded()
        return failure
    }

    /// Shows the image in a file. A relative path is in `resourceFolder`, and a name without an extension is a PNG's.
    /// If there is no such file, `error` reports it.
    ///
    /// Beside `star.png` there may be `star@2x.png` and `star@3x.png`: the one for the view's scale is shown, and the
    /// name determines the image's scale. A name with a scale refers to that file if it exists.
    /// - Parameter refreshes: Whether to read the file even if it was read before.
    public func setImage(contentsOfFile path: String, refreshes: Bool = false) {
        setSource(EffectSource(file: path, in: Self.resourceFolder), refreshes: refreshes)
    }

    /// Shows the image at `url`: a file, or anything that the pipeline loads. A view that isn't asynchronous blocks its
    /// thread until then, so the pipeline's loader must not depend on that thread.
    /// - Parameter refreshes: Whether to load it even if it was loaded before.
    public func setImage(contentsOf url: URL, refreshes: Bool = false) {
        setSource(EffectSource(at: url), refreshes: refreshes)
    }

    /// The values of `image`, starting with the current one. A slow reader gets only the newest.
    public var images: AsyncStream<Image?> { imageReaders.stream(beginningWith: image) }

    /// The values of `processedImage`, starting with the current one. A slow reader gets only the newest.
    public var processedImages: AsyncStream<Image?> { processedReaders.stream(beginningWith: processedImage) }
}
