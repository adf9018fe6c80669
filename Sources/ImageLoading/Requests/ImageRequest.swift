public import Essentials
public import ImageFormats
public import Raster

/// What picture is wanted, and how.
///
/// ```swift
/// var request = ImageRequest(url: url, processors: [.effects(.scaleToFit(width: 200, height: 200))])
/// request.priority = .high
/// ```
public struct ImageRequest: Sendable {
    /// Where the picture's bytes, or the picture, come from.
    public enum Source: Sendable {
        /// `http`, `https`, `file` or `data`, or whatever else the pipeline's loader knows.
        case url(URL)
        /// Bytes from a closure, which is called when nothing is cached under the request's `imageID`.
        case data(@Sendable () async throws -> Data)
        /// A picture from a closure, likewise.
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

    /// Requests are copied into every job, context and response.
    private var fields: CopiedOnWrite<Fields>

    /// Where the picture comes from.
    public var source: Source {
        get { fields.source }
        set { fields.source = newValue }
    }
    /// What is done to the decoded picture, in this order.
    public var processors: [any ImageProcessing] {
        get { fields.processors }
        set { fields.processors = newValue }
    }
    /// How soon the picture is needed; a task's can be changed while it runs.
    public var priority: Priority {
        get { fields.priority }
        set { fields.priority = newValue }
    }
    /// What the caches are asked for and given.
    public var options: Options {
        get { fields.options }
        set { fields.options = newValue }
    }
    /// How much of what is cached is used without asking its server.
    public var cachePolicy: CachePolicy {
        get { fields.cachePolicy }
        set { fields.cachePolicy = newValue }
    }
    /// The small picture that is decoded instead of the whole one; nil for the whole one.
    public var thumbnail: ThumbnailOptions? {
        get { fields.thumbnail }
        set { fields.thumbnail = newValue }
    }
    /// Pixels per point of the picture that arrives.
    public var scale: Double {
        get { fields.scale }
        set { fields.scale = newValue }
    }
    /// Whether previews are made of bytes that have arrived; nil for what the pipeline does.
    public var isProgressiveDecodingEnabled: Bool? {
        get { fields.isProgressiveDecodingEnabled }
        set { fields.isProgressiveDecodingEnabled = newValue }
    }
    /// Headers to be sent beside the pipeline's own.
    public var headers: HTTPHeaders {
        get { fields.headers }
        set { fields.headers = newValue }
    }
    /// How pictures are decoded: colours, depth, which of several pictures, limits.
    public var decoding: DecodingOptions {
        get { fields.decoding }
        set { fields.decoding = newValue }
    }
    /// Anything else that decoders, processors and the pipeline's hooks are to know. Not part of any cache's keys.
    public var userInfo: [UserInfoKey: any Sendable] {
        get { fields.userInfo }
        set { fields.userInfo = newValue }
    }
    /// What the caches know the picture by instead of its URL; nil for the URL.
    ///
    /// To be set where a URL has parts that don't matter, such as a signature.
    public var imageID: String? {
        get { fields.imageID }
        set { fields.imageID = newValue }
    }

    /// The picture at `url`.
    public init(
        url: URL, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        userInfo: [UserInfoKey: any Sendable] = [:]
    ) {
        self.init(.url(url), nil, processors, priority, options, userInfo)
    }

    /// The picture in the bytes that `data` returns.
    /// - Parameter id: What the caches know it by.
    public init(
        id: String, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: Options = [],
        userInfo: [UserInfoKey: any Sendable] = [:], data: @escaping @Sendable () async throws -> Data
    ) {
        self.init(.data(data), id, processors, priority, options, userInfo)
    }

    /// The picture that `image` returns.
    /// - Parameter id: What the caches know it by.
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

    /// Where the picture is, if its source is a URL.
    public var url: URL? { if case .url(let url) = source { url } else { nil } }
}

extension ImageRequest: CustomStringConvertible {
    /// What people call the picture: its URL or its name in the caches.
    public var description: String { url?.absoluteString ?? imageID ?? "a picture without a name" }
}

extension ImageRequest {
    /// The name of something in `userInfo`.
    public typealias UserInfoKey = ImageContainer.UserInfoKey

    /// How soon a picture is needed. Work that several tasks share runs at the highest of theirs.
    public enum Priority: Int, Comparable, CaseIterable, Sendable {
        /// When there is nothing else to do.
        case veryLow
        /// Before it is visible: what prefetching uses.
        case low
        /// What is asked for.
        case normal
        /// What somebody waits for.
        case high
        /// What must not wait.
        case veryHigh

        /// Whether `a` can wait longer than `b`.
        public static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
    }

    /// What the caches are asked for and given, where it isn't everything.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt16
        /// Options of these bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The memory cache isn't asked.
        public static let disableMemoryCacheReads = Options(rawValue: 1 << 0)
        /// The memory cache doesn't get the picture.
        public static let disableMemoryCacheWrites = Options(rawValue: 1 << 1)
        /// Neither.
        public static let disableMemoryCache: Options = [.disableMemoryCacheReads, .disableMemoryCacheWrites]
        /// The disk cache isn't asked.
        public static let disableDiskCacheReads = Options(rawValue: 1 << 2)
        /// The disk cache gets neither the bytes nor the processed picture.
        public static let disableDiskCacheWrites = Options(rawValue: 1 << 3)
        /// Neither.
        public static let disableDiskCache: Options = [.disableDiskCacheReads, .disableDiskCacheWrites]
        /// Nothing is loaded: the picture comes from a cache or not at all.
        public static let returnCacheDataDontLoad = Options(rawValue: 1 << 4)
        /// Where the memory cache has the picture larger, that one is made smaller instead of loading.
        public static let usesLargerCachedImages = Options(rawValue: 1 << 5)
        /// Pixels are left to be decoded when they are asked for, wherever nothing has to be done to them.
        public static let skipDecompression = Options(rawValue: 1 << 6)
    }

    /// How much of what is cached is used without asking its server.
    public enum CachePolicy: Hashable, Sendable {
        /// Everything, however old: the default, for pictures that never change behind their URL.
        case useCache
        /// What is still fresh by its server's word; of the rest, the server is asked whether it has changed.
        case revalidate
        /// Everything; the server is asked afterwards about what is no longer fresh, for the next time.
        case staleWhileRevalidate
        /// Nothing: the picture is loaded and what is cached replaced.
        case reload
    }

    /// A smaller picture that the decoder makes: far cheaper, in time and memory, than decoding in full and scaling.
    public struct ThumbnailOptions: Hashable, Sendable {
        /// How the picture is brought to the size.
        public enum ContentMode: String, Hashable, Sendable {
            /// It lies wholly within the size.
            case aspectFit
            /// It covers the size and is cropped to it, about its middle. A smaller one is cropped to the size's
            /// proportions.
            case aspectFill
        }

        /// What the size counts.
        public enum Unit: Hashable, Sendable {
            /// Points of the request's scale.
            case points
            /// Pixels.
            case pixels
        }

        /// Width in `unit`s. In `aspectFit` one side may be infinite: the other one decides.
        public var width: Double
        /// Height in `unit`s.
        public var height: Double
        /// What the size counts.
        public var unit: Unit
        /// How the picture is brought to the size. It is never made larger, except for a drawing (SVG), which is drawn at it.
        public var contentMode: ContentMode
        /// How pixels of the size are made.
        public var filter: ResamplingFilter

        /// A picture no side of which is longer than `maxPixelSize`.
        public init(maxPixelSize: Double) {
            self.init(width: maxPixelSize, height: maxPixelSize, unit: .pixels)
        }

        /// A picture of this size.
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
