extension ImageRequest {
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
}
