public import Essentials
public import ImageFormats
public import Raster

extension ImagePipeline {
    /// The components and settings of a pipeline.
    ///
    /// Its closures, and custom decoders, processors and encoders, are called concurrently, on these threads:
    ///
    /// | code | runs on |
    /// |---|---|
    /// | `makeImageDecoder`, `makeImageEncoder`, decoders, processors, encoders | `executor` |
    /// | `dataLoader`, `authorize`, a request's own data source, observers | the concurrent pool |
    /// | `loadImage`'s callbacks | the actor of the code that they are written in, else the pool |
    /// | `makeImageID` | the thread that makes the request, before the call returns, and the pool |
    /// | observers' `taskWasCreated` | the thread that makes the request, before the call returns |
    ///
    /// Only callbacks may run on the main actor, and none is called under a lock. A data source, decoder or processor may
    /// request other images. If it waits for the image that it is making, the request fails with
    /// `Error.circularRequest`.
    public struct Configuration: Sendable {
        /// Loads bytes: from files, data URLs and, if the package is built with the trait `HTTP`, servers.
        public var dataLoader: any DataLoading = DataLoader()
        /// Retries, rate limit, resumption, size limit and authorisation.
        public var dataFetching = DataFetching()
        /// The cache of decoded images; nil for none.
        public var imageCache: (any ImageCaching)? = ImageCache.shared
        /// The cache of bytes on disk; nil, the default, for none.
        public var dataCache: (any DataCaching)?
        /// Selects the items that are stored on disk.
        public var dataCacheOptions = DataCacheOptions()
        /// The codecs to decode and encode with, for instance isolated ones; nil for the current
        /// `CodecRegistry.default`.
        public var codecs: CodecRegistry?
        /// Returns a decoder for the given bytes; by default from `ImageDecoderRegistry.shared`.
        public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? {
            get { ownMakeImageDecoder ?? { ImageDecoderRegistry.shared.decoder(for: $0) } }
            set { ownMakeImageDecoder = newValue }
        }
        private var ownMakeImageDecoder: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
        /// Whether only built-in decoders are registered, so that the pipeline may read files itself.
        var usesOwnDecodersOnly: Bool {
            ownMakeImageDecoder == nil && ImageDecoderRegistry.shared.hasOwnDecodersOnly
        }
        /// Returns an encoder for the disk cache; by default from `ImageEncoderRegistry.shared`.
        public var makeImageEncoder: @Sendable (ImageEncodingContext) -> (any ImageEncoding)? = {
            ImageEncoderRegistry.shared.encoder(for: $0)
        }
        /// Returns the name of a URL in the caches: by default its text. Can leave out the query items of a signature,
        /// for instance.
        public var makeImageID: @Sendable (URL) -> String = { $0.absoluteString }

        /// Whether requests for the same image share loading, decoding and processing.
        public var isTaskCoalescingEnabled = true
        /// Whether previews are decoded from the bytes received so far, unless a request sets it.
        public var isProgressiveDecodingEnabled = false
        /// Whether previews are stored in the memory cache until the final image replaces them; never on disk.
        public var isStoringPreviewsInMemoryCache = false

        /// The approximate number of loaded, undecoded bytes at which no further loading starts.
        public var maximumUndecodedByteCount = 256 << 20
        /// The queue for loading: 6 concurrent jobs, 3 of them reserved for requests of at least normal priority.
        public var dataLoadingQueue = Queue(width: 6, reservedWidth: 3)
        /// The queue for decoding: one job per processor.
        public var imageDecodingQueue = Queue(width: ImageExecutor.processorCount)
        /// The queue for processing: one job per processor.
        public var imageProcessingQueue = Queue(width: ImageExecutor.processorCount)
        /// The queue for encoding: one job.
        public var imageEncodingQueue = Queue(width: 1)
        /// The executor of decoding, processing and encoding.
        public var executor = ImageExecutor.shared

        /// The observers of the pipeline's tasks.
        public var observers: [any ImagePipelineObserving] = []

        /// The default configuration: the shared memory cache, no disk cache.
        public init() {}
    }

    /// The concurrency and order of one stage's jobs.
    public struct Queue: Hashable, Sendable {
        /// The order of requests with equal priority.
        public enum Order: Hashable, Sendable {
            /// The oldest request first.
            case firstInFirstOut
            /// The newest request first, as it is the most likely to be on screen.
            case lastInFirstOut
        }

        /// The maximum number of concurrent jobs, at least 1.
        public var width: Int
        /// The order of requests with equal priority.
        public var order: Order
        /// The number of places that requests below normal priority leave free. They always get one.
        public var reservedWidth: Int

        /// Creates a queue; a `width` below 1 counts as 1.
        public init(width: Int, order: Order = .firstInFirstOut, reservedWidth: Int = 0) {
            self.width = max(1, width)
            self.order = order
            self.reservedWidth = max(0, reservedWidth)
        }
    }

    /// Selects the items that a pipeline stores on disk.
    public struct DataCacheOptions: Hashable, Sendable {
        /// The original bytes, the processed images, or both.
        public var storedItems: Set<DataCacheItem> = [.originalImageData]

        /// Creates options; by default, the original bytes are stored.
        public init(storedItems: Set<DataCacheItem> = [.originalImageData]) { self.storedItems = storedItems }
    }
}

/// An item that a pipeline stores on disk, if there is a decoder for it. Data that can't be decoded is removed, and
/// loaded again if it came from disk.
public enum DataCacheItem: Hashable, Sendable {
    /// The original bytes.
    case originalImageData
    /// The processed image, encoded. For requests without processors and thumbnail, the original bytes.
    case finalImage
}

extension ImagePipeline.Configuration {
    /// The default configuration with a disk cache in `name/images` in `$XDG_CACHE_HOME` or `~/.cache`.
    ///
    /// If neither `XDG_CACHE_HOME` nor `HOME` is an absolute path, there is no disk cache.
    /// - Parameters:
    ///   - name: The folder's name; nil for the program's.
    ///   - byteLimit: The maximum size of the cache, in bytes.
    public static func withDataCache(name: String? = nil, byteLimit: Int = 150 << 20) -> Self {
        var configuration = Self()
        let environment = ProcessInfo.processInfo.environment
        let folder =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.cache" : nil }
        if let folder {
            let name = name ?? ProcessInfo.processInfo.processName
            configuration.dataCache = DataCache(directory: "\(folder)/\(name)/images", byteLimit: byteLimit)
        }
        return configuration
    }

    /// Returns a `makeImageID` closure that removes the named query items, such as those of a signature, and ignores
    /// the order of the others.
    public static func imageID(withoutQueryItems names: Set<String>) -> @Sendable (URL) -> String {
        { url in
            let text = url.absoluteString
            guard let question = text.firstIndex(of: "?") else { return text }
            let end = text[question...].firstIndex(of: "#") ?? text.endIndex
            let items = text[text.index(after: question)..<end].split(separator: "&", omittingEmptySubsequences: false)
                .filter { !names.contains(String($0.prefix { $0 != "=" })) }
                .sorted()
            return text[..<question] + (items.isEmpty ? "" : "?") + items.joined(separator: "&") + text[end...]
        }
    }
}
