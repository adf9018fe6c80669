public import Essentials
public import ImageLoading

/// The advanced options of a request, as in Nuke 9.
///
/// Decoders find `userInfo` in `ImageDecodingContext.request.userInfo`.
public struct ImageRequestOptions: Sendable {
    /// Which uses of the memory cache are allowed.
    public struct MemoryCacheOptions: Hashable, Sendable {
        /// Whether an image in the cache may be returned.
        public var isReadAllowed: Bool
        /// Whether the image may be stored.
        public var isWriteAllowed: Bool

        /// Creates options; by default, everything is allowed.
        public init(isReadAllowed: Bool = true, isWriteAllowed: Bool = true) {
            self.isReadAllowed = isReadAllowed
            self.isWriteAllowed = isWriteAllowed
        }
    }

    /// Which uses of the memory cache are allowed.
    public var memoryCacheOptions: MemoryCacheOptions
    /// The image's name in the caches, such as its URL without a token; nil for the URL.
    public var filteredURL: String?
    /// Further information for decoders, processors and the pipeline's closures.
    public var userInfo: [ImageRequest.UserInfoKey: any Sendable]

    /// Creates options.
    public init(
        memoryCacheOptions: MemoryCacheOptions = MemoryCacheOptions(), filteredURL: String? = nil,
        userInfo: [ImageRequest.UserInfoKey: any Sendable] = [:]
    ) {
        self.memoryCacheOptions = memoryCacheOptions
        self.filteredURL = filteredURL
        self.userInfo = userInfo
    }
}

extension ImageRequest {
    /// Creates a request for the image at `url` with Nuke 9's options.
    public init(
        url: URL, processors: [any ImageProcessing] = [], priority: Priority = .normal, options: ImageRequestOptions
    ) {
        var restrictions: Options = []
        if !options.memoryCacheOptions.isReadAllowed { restrictions.insert(.disableMemoryCacheReads) }
        if !options.memoryCacheOptions.isWriteAllowed { restrictions.insert(.disableMemoryCacheWrites) }
        self.init(
            url: url, processors: processors, priority: priority, options: restrictions, userInfo: options.userInfo)
        imageID = options.filteredURL
    }
}
