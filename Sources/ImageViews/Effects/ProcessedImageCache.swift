internal import ImageEffects
public import ImageLoading
internal import Raster
internal import Synchronization

/// Processed images in memory, within limits of bytes and number; empty once memory is short.
///
/// An image is known by its source, the view's size and scale, and all that was done to it. Where room is needed, what
/// wasn't shown since the last time goes first.
public final class ProcessedImageCache: Sendable {
    /// The cache that views share unless they are given their own.
    public static let shared = ProcessedImageCache()

    private let cache: ImageCache
    private let observation = Mutex<MemoryPressureObservation?>(nil)

    /// An empty cache.
    /// - Parameters:
    ///   - byteLimit: How many bytes it holds at most.
    ///   - countLimit: How many images it holds at most.
    ///   - memoryPressure: What tells that memory is short; nil for nothing.
    public init(
        byteLimit: Int = ProcessedImageCache.defaultByteLimit, countLimit: Int = .max,
        memoryPressure: (any MemoryPressureSource)? = SystemMemoryPressure.shared
    ) {
        cache = ImageCache(costLimit: byteLimit, countLimit: countLimit, memoryPressure: nil)
        cache.entryCostLimit = 1
        let token = memoryPressure?.observe { [weak self] _ in self?.removeAll() }
        observation.withLock { $0 = token }
    }

    /// 5 % of the memory that this process may use, at most 256 MiB.
    public static var defaultByteLimit: Int { ImageCache.defaultCostLimit / 3 }

    /// How many bytes it holds at most. A lower limit takes effect at once; an image of more isn't taken.
    public var byteLimit: Int {
        get { cache.costLimit }
        set { cache.costLimit = newValue }
    }

    /// How many images it holds at most. A lower limit takes effect at once.
    public var countLimit: Int {
        get { cache.countLimit }
        set { cache.countLimit = newValue }
    }

    /// Bytes that it holds: of the images' pixels, and of the files that they were made from.
    public var byteCount: Int { cache.statistics.cost }
    /// Images that it holds.
    public var count: Int { cache.statistics.count }

    /// Lets go of everything. Images on view stay there.
    public func removeAll() { cache.removeAll() }

    subscript(key: ImageCacheKey) -> ProcessedImage? {
        guard let container = cache[key] else { return nil }
        return ProcessedImage(image: container.image, original: container.userInfo[.original] as? Image)
    }

    func store(_ picture: ProcessedImage, for key: ImageCacheKey) {
        var container = ImageContainer(image: picture.image)
        container.userInfo[.original] = picture.original
        let (cost, overflows) = picture.image.byteCount.addingReportingOverflow(picture.original?.byteCount ?? 0)
        cache.store(container, cost: overflows ? .max : cost, for: key)
    }

    /// Lets go of everything that was made of `source`.
    func remove(_ source: String) {
        for key in cache.keys(in: source) { cache[key] = nil }
    }
}

extension ImageContainer.UserInfoKey {
    /// What a processed image was made of.
    fileprivate static let original: Self = "tessera.original"
}

/// An image after the effects of a view.
struct ProcessedImage: Sendable {
    /// What is shown.
    var image: Image
    /// What it was made of, not decoded; nil where the view has that already.
    var original: Image?
}
