public import Essentials
internal import Synchronization

/// Loads images in advance: a few at a time, with low priority, in the order given.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(pipeline: pipeline)
/// prefetcher.startPrefetching(with: urlsBelow)
/// prefetcher.stopPrefetching(with: urlsAbove)
/// ```
/// Releasing the prefetcher cancels the loads in progress.
public final class ImagePrefetcher: Sendable {
    /// The cache that images are prefetched into.
    public enum Destination: Hashable, Sendable {
        /// The caches that the requests use; images are decoded and processed, ready to display.
        case memoryCache
        /// The disk cache only; bytes aren't decoded.
        case diskCache
    }

    private struct Entry {
        let request: ImageRequest
        /// Distinguishes the entry from earlier ones under the same key.
        let number: Int
        var isStarted = false
        var work: Work?
    }

    private struct State {
        var entries: [ImageCacheKey: Entry] = [:]
        /// The entries not started yet, including some that were stopped.
        var waiting: ArraySlice<(key: ImageCacheKey, number: Int)> = []
        var lastNumber = 0
        var runningCount = 0
        var isPaused = false
        var priority = ImageRequest.Priority.low
        var didComplete: (@Sendable () -> Void)?

        /// Removes a running or waiting entry.
        mutating func remove(_ key: ImageCacheKey) -> Entry? {
            guard let entry = entries.removeValue(forKey: key) else { return nil }
            if entry.isStarted { runningCount -= 1 }
            return entry
        }
    }

    private let pipeline: ImagePipeline
    private let destination: Destination
    private let maximumConcurrentRequestCount: Int
    private let state = Mutex(State())

    /// Creates a prefetcher.
    /// - Parameter maximumConcurrentRequestCount: The number of images to load concurrently, at least 1.
    public init(
        pipeline: ImagePipeline = .shared, destination: Destination = .memoryCache,
        maximumConcurrentRequestCount: Int = 2
    ) {
        self.pipeline = pipeline
        self.destination = destination
        self.maximumConcurrentRequestCount = max(1, maximumConcurrentRequestCount)
    }

    deinit { stopPrefetching() }

    /// Whether no new loads start. Loads in progress continue.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { $0.isPaused = newValue }
            fill()
        }
    }

    /// The priority of the loads, by default `low`. Setting it takes effect immediately; the requests' priorities are
    /// ignored.
    public var priority: ImageRequest.Priority {
        get { state.withLock { $0.priority } }
        set {
            let works = state.withLock { state in
                state.priority = newValue
                return state.entries.values.compactMap(\.work)
            }
            for work in works { work.setPriority(newValue) }
        }
    }

    /// Called whenever all requested images have been loaded, have failed or were already cached: on the concurrent
    /// pool, or inside `startPrefetching` if nothing needs to be loaded.
    public var didComplete: (@Sendable () -> Void)? {
        get { state.withLock { $0.didComplete } }
        set {
            // Releases the old closure outside the lock.
            var value = newValue
            state.withLock { swap(&$0.didComplete, &value) }
        }
    }

    /// Starts loading the images at `urls`.
    public func startPrefetching(with urls: [URL]) { startPrefetching(with: urls.map { ImageRequest(url: $0) }) }

    /// Starts loading the images for `requests`. Those already cached, loading or waiting are skipped.
    public func startPrefetching(with requests: [ImageRequest]) {
        let wanted = requests.filter { !isCached($0) }.map { (key: key($0), request: $0) }
        let (isDone, didComplete) = state.withLock { state in
            for (key, request) in wanted where state.entries[key] == nil {
                state.lastNumber += 1
                state.entries[key] = Entry(request: request, number: state.lastNumber)
                state.waiting.append((key, state.lastNumber))
            }
            return (state.entries.isEmpty && !requests.isEmpty, state.didComplete)
        }
        fill()
        if isDone { didComplete?() }
    }

    /// Cancels loading the images at `urls`.
    public func stopPrefetching(with urls: [URL]) { stopPrefetching(with: urls.map { ImageRequest(url: $0) }) }

    /// Cancels loading the images for `requests`.
    public func stopPrefetching(with requests: [ImageRequest]) {
        let keys = requests.map { key($0) }
        stop(state.withLock { state in keys.compactMap { state.remove($0) } })
        fill()
    }

    /// Cancels all loads.
    public func stopPrefetching() {
        stop(
            state.withLock { state in
                let entries = Array(state.entries.values)
                (state.entries, state.waiting, state.runningCount) = ([:], [], 0)
                return entries
            })
    }

    private func stop(_ entries: [Entry]) {
        for entry in entries { entry.work?.cancel() }
    }

    private func isCached(_ request: ImageRequest) -> Bool {
        guard destination == .memoryCache, let response = pipeline.cachedResponse(for: request) else { return false }
        return !response.isPreview
    }

    /// The key by which requests count as equal.
    private func key(_ request: ImageRequest) -> ImageCacheKey {
        switch destination {
        case .memoryCache: pipeline.loader.cacheKey(request)
        case .diskCache: ImageCacheKey(group: pipeline.loader.group(request))
        }
    }

    /// Starts waiting loads up to the limit.
    private func fill() {
        while let (key, entry, priority) = next() {
            var request = entry.request
            request.priority = priority
            let work = Self.begin(request, to: destination, in: pipeline) { [weak self] in
                self?.finish(key, entry.number)
            }
            guard let work else {
                finish(key, entry.number)
                continue
            }
            let current: ImageRequest.Priority? = state.withLock { state in
                guard state.entries[key]?.number == entry.number else { return nil }
                state.entries[key]!.work = work
                return state.priority
            }
            // Stopped, or changed in priority, while it was being started.
            if let current {
                if current != priority { work.setPriority(current) }
            } else {
                work.cancel()
            }
        }
    }

    private func next() -> (ImageCacheKey, Entry, ImageRequest.Priority)? {
        state.withLock { state in
            guard !state.isPaused, state.runningCount < maximumConcurrentRequestCount else { return nil }
            while let (key, number) = state.waiting.popFirst() {
                guard let entry = state.entries[key], entry.number == number else { continue }
                state.entries[key]!.isStarted = true
                state.runningCount += 1
                return (key, entry, state.priority)
            }
            return nil
        }
    }

    private func finish(_ key: ImageCacheKey, _ number: Int) {
        let (entry, didComplete) = state.withLock { state -> (Entry?, (@Sendable () -> Void)?) in
            guard state.entries[key]?.number == number else { return (nil, nil) }
            let entry = state.remove(key)
            return (entry, state.entries.isEmpty ? state.didComplete : nil)
        }
        guard entry != nil else { return }
        fill()
        didComplete?()
    }
}

extension ImagePrefetcher {
    /// A load in progress.
    struct Work: Sendable {
        let cancel: @Sendable () -> Void
        let setPriority: @Sendable (ImageRequest.Priority) -> Void
    }

    /// Starts loading `request`; nil if it can't. `completion` is called at the end, also after cancellation.
    static func begin(
        _ request: ImageRequest, to destination: Destination, in pipeline: ImagePipeline,
        completion: @escaping @Sendable () -> Void
    ) -> Work? {
        switch destination {
        case .memoryCache:
            let task = pipeline.imageTask(with: request)
            Task {
                _ = try? await task.response
                completion()
            }
            return Work(cancel: { task.cancel() }, setPriority: { task.priority = $0 })
        case .diskCache:
            let (loader, inbox) = (pipeline.loader, DataInbox())
            guard let subscription = try? loader.load(request, for: .bytes(inbox)) else { return nil }
            Task {
                _ = try? await inbox.last()
                completion()
            }
            return Work(
                cancel: {
                    inbox.finish(.failure(CancellationError()))
                    loader.graph.unsubscribe(subscription)
                }, setPriority: { loader.graph.setPriority($0, of: subscription) })
        }
    }
}
