public import Essentials
public import ImageEffects
public import ImageLoading
public import Observation
internal import Platform
public import Raster

/// A view's image with FXImageView's effects: cropped and scaled to the view, with round corners, a shadow and a
/// reflection; what to draw is `processedImage`, centred in the view and unscaled.
///
/// What is set takes effect together, when control is back in the main loop or the result is read. An image that is in the
/// cache is there at once, whether the view is asynchronous or not. Lengths are points.
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
    /// Whether images are loaded and processed in the background, rather than on the calling thread. False unless set.
    public var asynchronous = false
    /// How long an image that comes from the background fades in, in seconds; 0 for not at all.
    public var crossfadeDuration = 0.25

    /// The view's width and height. Nothing is processed until it has some.
    public var size = ViewSize.zero { didSet { setNeedsUpdate() } }
    /// Pixels per point of what is made: the display's, as the view's window has it. Of a file with siblings for other scales
    /// the one for this scale is read.
    public var scale = DisplayScale.current {
        didSet {
            if scale != oldValue, case .file = source { isOriginalOutdated = true }
            setNeedsUpdate()
        }
    }
    /// How the image is laid out in the view. Unscaled modes show it at its own size in points.
    public var contentMode = ContentMode.scaleToFill { didSet { setNeedsUpdate() } }

    /// The gap that is seen between the image and its reflection.
    public var reflectionGap = 0.0 { didSet { setNeedsUpdate() } }
    /// The reflection's height as a part of the image's, 0 to 1; none at 0.
    public var reflectionScale = 0.0 { didSet { setNeedsUpdate() } }
    /// The reflection's opacity, 0 to 1; none at 0.
    public var reflectionAlpha = 0.0 { didSet { setNeedsUpdate() } }
    /// The shadow's colour, not premultiplied sRGB; none where its alpha is 0.
    public var shadowColor = RGBA8(0, 0, 0) { didSet { setNeedsUpdate() } }
    /// How far the shadow lies to the right of the image and below it. Without it and a blur there is none.
    public var shadowOffset = ViewSize.zero { didSet { setNeedsUpdate() } }
    /// How soft the shadow is: twice the standard deviation of a Gaussian.
    public var shadowBlur = 0.0 { didSet { setNeedsUpdate() } }
    /// The radius of the corners; none at 0.
    public var cornerRadius = 0.0 { didSet { setNeedsUpdate() } }
    /// What is done to the cropped and scaled image before all that, on any thread. Its identifier tells it from others.
    public var customEffects: Effects.Custom? { didSet { setNeedsUpdate() } }

    /// What the cache knows the image by, in place of what it comes from; size and effects count as well. Nil for that.
    ///
    /// To be set together with the image: by itself it changes nothing that is shown.
    public var cacheKey: String?
    /// Whether another image takes away the one that is shown before it is there itself.
    public var clearsOnReuse = false
    /// Where files are whose names don't begin at the root: unless set, the program's folder, or the current one where the system
    /// doesn't tell.
    public static var resourceFolder = OwnProgram.folder ?? "."

    /// How to go to what is shown now; nil for at once, as for all that didn't come from the background.
    public internal(set) var transition: ImageTransition?

    // MARK: What is there

    var original: Image? { didSet { imageReaders.send(original) } }
    var shown: Image? { didSet { processedReaders.send(shown) } }
    var failure: ImageError?

    // MARK: How far it is

    @ObservationIgnored let pipeline: ImagePipeline
    @ObservationIgnored let queue: EffectQueue
    @ObservationIgnored let cache: ProcessedImageCache
    @ObservationIgnored let imageReaders = ChangeReaders<Image?>()
    @ObservationIgnored let processedReaders = ChangeReaders<Image?>()
    @ObservationIgnored var source: EffectSource?
    /// What `shown` is in the cache; nil where it isn't of the source.
    @ObservationIgnored var shownKey: ImageCacheKey?
    /// Whether `shown` was made by the view, of this source or an earlier one.
    @ObservationIgnored var isProcessed = false
    /// Whether `shown` was set after the source, whose image then isn't wanted.
    @ObservationIgnored var isReplaced = false
    /// Whether nothing has been done about the source yet.
    @ObservationIgnored var isNewSource = false
    /// Whether the source is to be read again, whatever is cached.
    @ObservationIgnored var refreshes = false
    @ObservationIgnored var needsUpdate = false
    @ObservationIgnored var isUpdateScheduled = false
    /// Whether the original was read for another scale, for which there may be another file.
    @ObservationIgnored var isOriginalOutdated = false
    /// When the view last asked for something, by the queue's count.
    @ObservationIgnored var number = 0
    /// Counts what was asked for; what arrives for an older one isn't shown.
    @ObservationIgnored var generation = 0
    @ObservationIgnored var loading: ImageTask?
    @ObservationIgnored var processing: EffectQueue.Ticket?

    /// A view without an image.
    /// - Parameters:
    ///   - pipeline: What loads images that aren't files.
    ///   - queue: Where they are processed, if the view is asynchronous.
    ///   - cache: Where processed images are kept.
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
    /// The image as it is without effects. Of a file or URL nil until it has been loaded.
    ///
    /// Setting it has it processed and shown; nil shows nothing.
    public var image: Image? {
        get {
            updateIfNeeded()
            return original
        }
        set { setSource(newValue.map { .image($0) }) }
    }

    /// What is shown. Setting it shows that, untouched, until another image, file or URL is set and ready.
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

    /// Why there is no image; nil where there is one, or nothing is known yet.
    public var error: ImageError? {
        updateIfNeeded()
        return failure
    }

    /// Shows the image in a file: one in `resourceFolder`, unless the path begins at the root; a PNG, unless the name has
    /// an extension. Where there is none, `error` says so.
    ///
    /// Beside `star.png` there may be `star@2x.png` and `star@3x.png`: the one for the view's scale is shown, and the name
    /// gives the image's scale. A name with a scale means that file, where it exists.
    /// - Parameter refreshes: Whether to read it even where that has been done.
    public func setImage(contentsOfFile path: String, refreshes: Bool = false) {
        setSource(EffectSource(file: path, in: Self.resourceFolder), refreshes: refreshes)
    }

    /// Shows the image at `url`: a file, or anything that the pipeline loads. A view that isn't asynchronous has its
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
