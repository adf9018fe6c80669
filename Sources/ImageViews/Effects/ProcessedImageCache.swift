internal import ImageEffects
public import ImageLoading
internal import Raster
internal import Synchronization

/// A memory cache of processed images, limited in bytes and number, and emptied on memory pressure.
///
/// The key of an image consists of its source, the view's size and scale, and the effects. Images not used recently are
/// evicted first, as in `ImageCache`.
public final class ProcessedImageCache: Sendable {
    /// The default cache of views.
    public static let shared = ProcessedImageCache()

    private let cache: ImageCache
    private let observation = Mutex<MemoryPressureObservation?>(nil)

    /// An empty cache.
    /// - Parameters:
    ///   - byteLimit: The largest number of bytes.
    ///   - countLimit: The largest number of images.
    ///   - memoryPressure: The source of memory warnings; nil for none.
    public init(
        byteLimit: Int = ProcessedImageCache.defaultByteLimit, countLimit: Int = .max,
        memoryPressure: (any MemoryPressureSource)? = SystemMemoryPressure.shared
    ) {
        cache = ImageCache(costLimit: byteLimit, countLimit: countLimit, memoryPressure: nil)
        cache.entryCostLimit = 1
        let token = memoryPressure?.observe { [weak self] _ in self?.removeAll() }
        observation.withLock { $0 = token }
    }

    /// 5 % of the memory available to the process, at most 256 MiB.
    public static var defaultByteLimit: Int { ImageCache.defaultCostLimit / 3 }

    /// The largest number of bytes. A lower limit takes effect immediately; larger images aren't cached.
    public var byteLimit: Int {
        get { cache.costLimit }
        set { cache.costLimit = newValue }
    }

    /// The largest number of images. A lower limit takes effect immediately.
    public var countLimit: Int {
        get { cache.countLimit }
        set { cache.countLimit = newValue }
    }

    /// The bytes of the images' pixels and of the files that they were made from.
    public var byteCount: Int { cache.statistics.cost }
    /// The number of images.
    public var count: Int { cache.statistics.count }

    /// Removes all images. Views keep theirs.
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

    /// Removes all images made from `source`.
    func remove(_ source: String) {
        for key in cache.keys(in: source) { cache[key] = nil }
    }
}

extension ImageContainer.UserInfoKey {
    /// The original of a processed image.
    fileprivate static let original: Self = "tessera.original"
}

/// An image with a view's effects.
struct ProcessedImage: Sendable {
    /// The result.
    var image: Image
    /// The original, undecoded; nil if the view has it already.
    var original: Image?
}
