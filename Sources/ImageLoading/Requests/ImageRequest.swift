public import Essentials
public import ImageFormats
public import Raster

/// A request for an image: its source, size, processing and use of the caches.
///
/// ```swift
/// var request = ImageRequest(url: url, processors: [.effects(.scaleToFit(width: 200, height: 200))])
/// request.priority = .high
/// ```
public struct ImageRequest: Sendable {
    /// The source of an image or its bytes.
    public enum Source: Sendable {
        /// A `http`, `https`, `file` or `data` URL, or another one that the pipeline's loader supports.
        case url(URL)
        /// A closure that returns bytes, called on the concurrent pool if nothing is cached under the request's `imageID`.
        case data(@Sendable () async throws -> Data)
        /// A closure that returns an image, called on the concurrent pool if nothing is cached under the request's
        /// `imageID`.
        case image(@Sendable () async throws -> ImageContainer)
    }

    private struct Fields: Sendable {
        var source: Source
        var processors: [any ImageProcessing]
        var priority: Priority
        var options: Options
        var cachePolicy = CachePolicy.useCache
        var thumbnail: ThumbnailOptions?
        var scale = 1.0
        var isProgressiveDecodingEnabled: Bool?
        var headers = HTTPHeaders()
        var decoding = DecodingOptions()
        var userInfo: [UserInfoKey: any Sendable]
        var imageID: String?
    }

    /// One reference, as requests are copied into every job, context and response.
    private var fields: CopiedOnWrite<Fields>

    /// The source of the image.
    public var source: Source {
        get { fields.source }
        set { fields.source = newValue }
    }
    /// The processors to apply to the decoded image, in order.
    public var processors: [any ImageProcessing] {
        get { fields.processors }
        set { fields.processors = newValue }
    }
    /// The initial priority; a running task's can be changed.
    public var priority: Priority {
        get { fields.priority }
        set { fields.priority = newValue }
    }
    /// Restrictions on the use of the caches, and on decoding.
    public var options: Options {
        get { fields.options }
        set { fields.options = newValue }
    }
    /// Which cached images may be used without revalidation.
    public var cachePolicy: CachePolicy {
        get { fields.cachePolicy }
        set { fields.cachePolicy = newValue }
    }
    /// The size to decode at; nil for full size.
    public var thumbnail: ThumbnailOptions? {
        get { fields.thumbnail }
        set { fields.thumbnail = newValue }
    }
    /// Pixels per point of the resulting image.
    public var scale: Double {
        get { fields.scale }
        set { fields.scale = newValue }
    }
    /// Whether previews are decoded from the bytes received so far; nil for the pipeline's setting.
    public var isProgressiveDecodingEnabled: Bool? {
        get { fields.isProgressiveDecodingEnabled }
        set { fields.isProgressiveDecodingEnabled = newValue }
    }
    /// Header fields to send in addition to the loader's.
    public var headers: HTTPHeaders {
        get { fields.headers }
        set { fields.headers = newValue }
    }
    /// Decoding options: colours, depth, image index, limits.
    public var decoding: DecodingOptions {
        get { fields.decoding }
        set { fields.decoding = newValue }
    }
    /// Further information for decoders, processors and the pipeline's closures. Not part of cache keys.
    public var userInfo: [UserInfoKey: any Sendable] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
    /// The name of the image in the caches; nil for its URL, as converted by the pipeline's `makeImageID`.
    ///
    /// Set it if the URL has parts that don't identify the image, such as a signature.
    public var imageID: String? {
        get { fields.imageID }
        set { fields.imageID = newValue }
    }

    /// Creates a request for the image at `url`.
    public init(
        url: URL, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        userInfo: [UserInfoKey: any Sendable] = [:]
    ) {
        self.init(.url(url), nil, processors, priority, options, userInfo)
    }

    /// Creates a request for the image in the bytes that `data` returns.
    /// - Parameter id: The name of the image in the caches.
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        userInfo: [UserInfoKey: any Sendable] = [:], data: @escaping @Sendable () async throws -> Data
    ) {
        self.init(.data(data), id, processors, priority, options, userInfo)
    }

    /// Creates a request for the image that `image` returns.
    /// - Parameter id: The name of the image in the caches.
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        userInfo: [UserInfoKey: any Sendable] = [:], image: @escaping @Sendable () async throws -> ImageContainer
    ) {
        self.init(.image(image), id, processors, priority, options, userInfo)
    }

    private init(
        _ source: Source, _ id: String?, _ processors: [any ImageProcessing], _ priority: Priority, _ options: Options,
        _ userInfo: [UserInfoKey: any Sendable]
    ) {
        fields = CopiedOnWrite(
            Fields(
                source: source, processors: processors, priority: priority, options: options, userInfo: userInfo,
                imageID: id))
    }

    /// The URL, if the source is one.
    public var url: URL? { if case .url(let url) = source { url } else { nil } }
}

extension ImageRequest: CustomStringConvertible {
    /// The URL, or the name in the caches.
    public var description: String { url?.absoluteString ?? imageID ?? "an image without a name" }
}

extension ImageRequest {
    /// A key of `userInfo`.
    public typealias UserInfoKey = ImageContainer.UserInfoKey

    /// The priority of a request. Shared work runs at the highest priority of its requests.
    public enum Priority: Int, Comparable, CaseIterable, Sendable {
        /// When nothing else is waiting.
        case veryLow
        /// For images that aren't visible yet; used by prefetching.
        case low
        /// The default.
        case normal
        /// For images that the user is waiting for.
        case high
        /// For images that must not wait.
        case veryHigh

        /// Whether `a` is less urgent than `b`.
        public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// Options that restrict the use of caches and the decoding.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bit mask.
        public let rawValue: UInt16
        /// Creates options from a bit mask.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// Doesn't read the memory cache.
        public static let disableMemoryCacheReads = Options(rawValue: 1 << 0)
        /// Doesn't write to the memory cache.
        public static let disableMemoryCacheWrites = Options(rawValue: 1 << 1)
        /// Neither reads nor writes the memory cache.
        public static let disableMemoryCache: Options = [.disableMemoryCacheReads, .disableMemoryCacheWrites]
        /// Doesn't read the disk cache.
        public static let disableDiskCacheReads = Options(rawValue: 1 << 2)
        /// Doesn't write to the disk cache, neither original bytes nor processed images.
        public static let disableDiskCacheWrites = Options(rawValue: 1 << 3)
        /// Neither reads nor writes the disk cache.
        public static let disableDiskCache: Options = [.disableDiskCacheReads, .disableDiskCacheWrites]
        /// Loads nothing: the image comes from a cache, or the request fails.
        public static let returnCacheDataDontLoad = Options(rawValue: 1 << 4)
        /// Scales down a larger version in the memory cache, if there is one, instead of loading.
        public static let usesLargerCachedImages = Options(rawValue: 1 << 5)
        /// Defers decoding until the pixels are requested, unless they need processing.
        public static let skipDecompression = Options(rawValue: 1 << 6)
    }

    /// Which cached images may be used without revalidation.
    public enum CachePolicy: Hashable, Sendable {
        /// All of them, however old: the default, for images that never change at their URL.
        case useCache
        /// Those that are still fresh; stale ones are revalidated first.
        case revalidate
        /// All of them; stale ones are revalidated in the background for the next request.
        case staleWhileRevalidate
        /// None: the image is loaded, and replaces the cached one.
        case reload
    }

    /// Decodes an image at a reduced size, which takes far less time and memory than decoding in full and scaling.
    public struct ThumbnailOptions: Hashable, Sendable {
        /// How the image is fitted to the size.
        public enum ContentMode: String, Hashable, Sendable {
            /// Fits within the size.
            case aspectFit
            /// Covers the size and is cropped to it around the centre. A smaller image is only cropped, to the size's
            /// proportions.
            case aspectFill
        }

        /// The unit of the size.
        public enum Unit: Hashable, Sendable {
            /// Points at the request's scale.
            case points
            /// Pixels.
            case pixels
        }

        /// The width in `unit`s. With `aspectFit` one side may be infinite, so that the other decides.
        public var width: Double
        /// The height in `unit`s.
        public var height: Double
        /// The unit of the size.
        public var unit: Unit
        /// How the image is fitted to the size. Images are never enlarged, except for SVG, which is rasterised at the
        /// size.
        public var contentMode: ContentMode
        /// The resampling filter.
        public var filter: ResamplingFilter

        /// Creates options for an image whose sides are at most `maxPixelSize` pixels.
        public init(maxPixelSize: Double) {
            self.init(width: maxPixelSize, height: maxPixelSize, unit: .pixels)
        }

        /// Creates options for an image of this size.
        public init(
            width: Double, height: Double, unit: Unit = .points, contentMode: ContentMode = .aspectFit,
            filter: ResamplingFilter = .automatic
        ) {
            self.width = width
            self.height = height
            self.unit = unit
            self.contentMode = contentMode
            self.filter = filter
        }
    }
}
