public import Essentials
public import ImageFormats
public import Raster

extension ImagePipeline {
    /// What a pipeline is made of.
    ///
    /// Its closures, and a program's own decoders, processors and encoders, are called from any thread, several at a time:
    ///
    /// | what | where |
    /// |---|---|
    /// | `makeImageDecoder`, `makeImageEncoder`, decoders, processors, encoders | `executor` |
    /// | `dataLoader`, `authorize`, a request's own data source, callbacks, observers | the concurrent pool |
    /// | `makeImageID`, observers' `taskWasCreated` | whoever makes the request, before the call returns; `makeImageID` on the pool too |
    ///
    /// None is called on the main actor for the caller's being there, and none under a lock. A data source, decoder or
    /// processor may request other images. One that waits for the image that it is itself a part of gets
    /// `Error.circularRequest`.
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
        /// The codecs by which pictures are decoded and encoded, such as isolated ones; nil for `CodecRegistry.default`, as
        /// it is when a picture is at hand.
        public var codecs: CodecRegistry?
        /// Finds a decoder: asks `ImageDecoderRegistry.shared` unless set.
        public var makeImageDecoder: @Sendable (ImageDecodingContext) -> (any ImageDecoding)? {
            get { ownMakeImageDecoder ?? { ImageDecoderRegistry.shared.decoder(for: $0) } }
            set { ownMakeImageDecoder = newValue }
        }
        private var ownMakeImageDecoder: (@Sendable (ImageDecodingContext) -> (any ImageDecoding)?)?
        /// Whether no decoder of the program's own may want a file's bytes.
        var usesOwnDecodersOnly: Bool {
            ownMakeImageDecoder == nil && ImageDecoderRegistry.shared.hasOwnDecodersOnly
        }
        /// Finds an encoder, for the disk cache: asks `ImageEncoderRegistry.shared` unless set.
        public var makeImageEncoder: @Sendable (ImageEncodingContext) -> (any ImageEncoding)? = {
            ImageEncoderRegistry.shared.encoder(for: $0)
        }
        /// What the caches call a URL: its text unless set, for instance without the query items of a signature.
        public var makeImageID: @Sendable (URL) -> String = { $0.absoluteString }

        /// Whether requests for the same image share its loading, decoding and processing.
        public var isTaskCoalescingEnabled = true
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

    /// How much of one kind of work is done at a time, and in what order.
    public struct Queue: Hashable, Sendable {
        /// Which of several requests of one priority is served first.
        public enum Order: Hashable, Sendable {
            /// The first.
            case firstInFirstOut
            /// The last: what was asked for most recently is what is on screen.
            case lastInFirstOut
        }

        /// How many work at a time, at least 1.
        public var width: Int
        /// Which of several requests of one priority is served first.
        public var order: Order
        /// How many places requests of less than normal priority leave free. One is theirs in any case.
        public var reservedWidth: Int

        /// A queue of this width.
        public init(width: Int, order: Order = .firstInFirstOut, reservedWidth: Int = 0) {
            self.width = max(1, width)
            self.order = order
            self.reservedWidth = max(0, reservedWidth)
        }
    }

    /// What a pipeline keeps on disk.
    public struct DataCacheOptions: Hashable, Sendable {
        /// The bytes as they came, the processed pictures, or both.
        public var storedItems: Set<DataCacheItem> = [.originalImageData]

        /// These items.
        public init(storedItems: Set<DataCacheItem> = [.originalImageData]) { self.storedItems = storedItems }
    }
}

/// What a pipeline keeps on disk: what there is a decoder for. What turns out not to be decodable is removed, and loaded
/// again if it came from disk.
public enum DataCacheItem: Hashable, Sendable {
    /// The bytes as they came.
    case originalImageData
    /// The picture after processing, encoded again. Of a request without processors, the bytes as they came.
    case finalImage
}

extension ImagePipeline.Configuration {
    /// The standard with a cache for bytes in the user's cache folder: `$XDG_CACHE_HOME` or `~/.cache`, in it `name`.
    ///
    /// Where there is neither, nothing is kept on disk.
    /// - Parameters:
    ///   - name: The folder's name; nil for the program's.
    ///   - byteLimit: How many bytes are kept at most.
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

    /// A name for URLs that leaves out query items which don't tell pictures apart, such as those of a signature; the
    /// order of the others doesn't matter.
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
