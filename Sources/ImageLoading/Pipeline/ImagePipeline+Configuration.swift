#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Raster

extension ImagePipeline {
    /// What a pipeline is made of.
    public struct Configuration: Sendable {
        /// What loads bytes: over HTTP where that is built in, from files and data URLs.
        public var dataLoader: any DataLoading = DataLoader()
        /// How loading goes on where a server fails, and how much it may take.
        public var dataFetching = DataFetching()
        /// Decoded pictures; nil for no such cache.
        public var imageCache: (any ImageCaching)? = ImageCache.shared
        /// Bytes on disk; nil, unless set, for no such cache.
        public var dataCache: (any DataCaching)?
        /// What is kept on disk.
        public var dataCacheOptions = DataCacheOptions()
        /// Finds a decoder: asks `ImageDecoderRegistry.shared` unless set.
        public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? = {
            ImageDecoderRegistry.shared.decoder(for: $0)
        }
        /// Finds an encoder, for the disk cache: asks `ImageEncoderRegistry.shared` unless set.
        public var makeImageEncoder: @Sendable (ImageEncodingContext) -> (any ImageEncoding)? = {
            ImageEncoderRegistry.shared.encoder(for: $0)
        }
        /// What the caches call a URL: its text unless set, for instance without the query items of a signature.
        public var makeImageID: @Sendable (URL) -> String = { $0.absoluteString }

        /// Whether previews are made of bytes that have arrived, where a request doesn't say.
        public var isProgressiveDecodingEnabled = false
        /// Whether previews go to the memory cache, until the final picture takes their place. They never go to disk.
        public var isStoringPreviewsInMemoryCache = false

        /// Bytes that are loaded and not yet decoded, at about which loading waits for decoding.
        public var maximumUndecodedByteCount = 256 << 20
        /// The line for loading: 6 at a time, 3 of them for what isn't prefetched.
        public var dataLoadingQueue = Queue(width: 6, reservedWidth: 3)
        /// The line for decoding: as many at a time as there are processors.
        public var imageDecodingQueue = Queue(width: ImageExecutor.processorCount)
        /// The line for processing.
        public var imageProcessingQueue = Queue(width: ImageExecutor.processorCount)
        /// The line for encoding.
        public var imageEncodingQueue = Queue(width: 1)
        /// Where decoding, processing and encoding run.
        public var executor = ImageExecutor.shared

        /// Those who are told what happens.
        public var observers: [any ImagePipelineObserving] = []

        /// The standard: the shared memory cache, nothing on disk.
        public init() {}
    }

    /// What a pipeline keeps on disk.
    public struct DataCacheOptions: Hashable, Sendable {
        /// The bytes as they came, the processed pictures, or both.
        public var storedItems: Set<DataCacheItem> = [.originalImageData]

        /// These items.
        public init(storedItems: Set<DataCacheItem> = [.originalImageData]) { self.storedItems = storedItems }
    }
}
