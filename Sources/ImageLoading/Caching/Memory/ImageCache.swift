internal import Platform
internal import Raster
internal import Synchronization

/// A memory cache of decoded images. All members can be called from any thread and return without waiting for I/O.
public protocol ImageCaching: AnyObject, Sendable {
    /// The image under `key`. Setting nil removes it.
    subscript(key: ImageCacheKey) -> ImageContainer? { get set }
    /// The keys of the cached variants of the image `group`, in any order.
    func keys(in group: String) -> [ImageCacheKey]
    /// Removes all images.
    func removeAll()
}

/// Caches decoded images in memory, with limits for bytes, number and age.
///
/// The cost of an image is the size of its pixels and of the encoded bytes attached to it. A deferred image is inserted
/// without pixels; those it decodes later are released under memory pressure. When room is needed, images that weren't
/// read recently are removed first.
public final class ImageCache: ImageCaching {
    /// The cache that pipelines share by default.
    public static let shared = ImageCache()

    private struct State {
        var ring = ImageCacheRing()
        var statistics = Statistics()
        var costLimit: Int
        var countLimit: Int
        var entryCostLimit = 0.1
        var ttl: Duration?

        mutating func evict(
            toCost cost: Int, count: Int, at time: ContinuousClock.Instant, into removed: inout [ImageCacheRing.Entry]
        ) {
            while ring.cost > cost || ring.count > count, let entry = ring.evict(at: time) {
                statistics.evictions += 1
                removed.append(entry)
            }
        }
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let observation = Mutex<MemoryPressureObservation?>(nil)

    /// Creates an empty cache.
    /// - Parameters:
    ///   - costLimit: The maximum total cost, in bytes.
    ///   - countLimit: The maximum number of images.
    ///   - ttl: How long an image stays valid; nil for no limit.
    ///   - memoryPressure: The source of memory pressure events; nil for none.
    public convenience init(
        costLimit: Int = ImageCache.defaultCostLimit, countLimit: Int = .max, ttl: Duration? = nil,
        memoryPressure: (any MemoryPressureSource)? = SystemMemoryPressure.shared
    ) {
        self.init(
            costLimit: costLimit, countLimit: countLimit, ttl: ttl, memoryPressure: memoryPressure,
            now: { ContinuousClock.now })
    }

    package init(
        costLimit: Int = .max, countLimit: Int = .max, ttl: Duration? = nil,
        memoryPressure: (any MemoryPressureSource)? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        state = Mutex(State(costLimit: max(0, costLimit), countLimit: max(0, countLimit), ttl: ttl))
        self.now = now
        let token = memoryPressure?.observe { [weak self] in self?.respond(to: $0) }
        observation.withLock { $0 = token }
    }

    /// 15 % of the memory that this process may use, at most 768 MiB.
    public static var defaultCostLimit: Int { min(768 << 20, SystemMemory().byteCount / 100 * 15) }

    /// The maximum total cost, in bytes. Setting a lower limit evicts images immediately.
    public var costLimit: Int {
        get { state.withLock { $0.costLimit } }
        set {
            state.withLock { $0.costLimit = max(0, newValue) }
            trim()
        }
    }

    /// The maximum number of images. Setting a lower limit evicts images immediately.
    public var countLimit: Int {
        get { state.withLock { $0.countLimit } }
        set {
            state.withLock { $0.countLimit = max(0, newValue) }
            trim()
        }
    }

    /// The fraction of `costLimit` that a single image may take, by default 0.1. Larger images are refused.
    public var entryCostLimit: Double {
        get { state.withLock { $0.entryCostLimit } }
        set { state.withLock { $0.entryCostLimit = newValue } }
    }

    /// How long an image that is stored from now on stays valid; nil for no limit.
    public var ttl: Duration? {
        get { state.withLock { $0.ttl } }
        set { state.withLock { $0.ttl = newValue } }
    }

    /// The cache's current contents, and the hits and misses since it was created.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            (statistics.cost, statistics.count) = (state.ring.cost, state.ring.count)
            return statistics
        }
    }
}

extension ImageCache {
    /// The image under `key`. Setting nil or an image that is refused removes the old one.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            let entry = state.withLock { state in
                let entry = state.ring.entry(for: key)
                if entry == nil { state.statistics.misses += 1 } else { state.statistics.hits += 1 }
                return entry
            }
            guard let entry else { return nil }
            // Reads the clock only for entries that can expire, and outside the lock.
            guard entry.expiration != nil, entry.isExpired(at: now()) else { return entry.container }
            let expired = state.withLock { state in
                state.statistics.hits -= 1
                state.statistics.misses += 1
                return state.ring.remove(key, if: entry)
            }
            withExtendedLifetime(expired) {}
            return nil
        }
        set {
            if let newValue { store(newValue, for: key) } else { remove(key) }
        }
    }

    /// Stores `container` under `key`, in place of the old one.
    /// - Parameter ttl: How long it stays valid; nil for the cache's own `ttl`.
    /// - Returns: False if it is refused because it takes more than `entryCostLimit` of the cache. The old image under
    ///   the key is removed in any case, as it is out of date.
    @discardableResult
    public func store(_ container: ImageContainer, for key: ImageCacheKey, ttl: Duration? = nil) -> Bool {
        store(container, cost: container.cacheCost, for: key, ttl: ttl)
    }

    /// Stores an image with the given cost in bytes, for images that keep more memory alive than `cacheCost` counts.
    @discardableResult
    package func store(
        _ container: ImageContainer, cost: Int, for key: ImageCacheKey, ttl: Duration? = nil
    ) -> Bool {
        let time = now()
        var removed: [ImageCacheRing.Entry] = []
        // Keeps the optimiser from releasing them under the lock.
        defer { withExtendedLifetime(removed) {} }
        return state.withLock { state in
            if let old = state.ring.remove(key) { removed.append(old) }
            let limit = Double(state.costLimit) * state.entryCostLimit
            guard Double(cost) <= limit, cost <= state.costLimit, state.countLimit > 0 else {
                state.statistics.refusals += 1
                return false
            }
            // Makes room before inserting, so that the new image isn't evicted.
            state.evict(toCost: state.costLimit - cost, count: state.countLimit - 1, at: time, into: &removed)
            let expiration = (ttl ?? state.ttl).map { time.advanced(by: $0) }
            state.ring.insert(ImageCacheRing.Entry(container, cost: cost, expiration: expiration), for: key)
            return true
        }
    }

    /// The keys of the cached variants of the image `group`, in any order. Expired ones are left out.
    public func keys(in group: String) -> [ImageCacheKey] {
        let time = now()
        return state.withLock { $0.ring.keys(in: group, at: time) }
    }

    /// Removes all images.
    public func removeAll() {
        var old = ImageCacheRing()
        state.withLock { swap(&$0.ring, &old) }
        withExtendedLifetime(old) {}
    }

    /// Evicts images until the total cost is at most `cost` bytes.
    public func trim(toCost cost: Int) { trim { _ in (max(0, cost), .max) } }

    /// Evicts images until at most `count` are left.
    public func trim(toCount count: Int) { trim { _ in (.max, max(0, count)) } }

    private func trim() { trim { ($0.costLimit, $0.countLimit) } }

    private func trim(_ limits: (State) -> (cost: Int, count: Int)) {
        let time = now()
        var removed: [ImageCacheRing.Entry] = []
        state.withLock { state in
            let (cost, count) = limits(state)
            state.evict(toCost: cost, count: count, at: time, into: &removed)
        }
        withExtendedLifetime(removed) {}
    }

    private func remove(_ key: ImageCacheKey) {
        let old = state.withLock { $0.ring.remove(key) }
        withExtendedLifetime(old) {}
    }

    /// Evicts half of the total cost on a warning and everything when critical, and releases pixels that can be decoded
    /// again.
    private func respond(to pressure: MemoryPressure) {
        switch pressure {
        case .warning: trim { ($0.ring.cost / 2, .max) }
        case .critical: removeAll()
        }
        ImageMemory.removeDecodedPixels()
    }

    /// A cache's contents, hits and misses.
    public struct Statistics: Hashable, Sendable {
        /// The number of reads that found an image.
        public var hits = 0
        /// The number of reads that found none, or an expired one.
        public var misses = 0
        /// The number of images removed to make room or on a memory warning, but not by `removeAll()` or when critical.
        public var evictions = 0
        /// The number of images refused because they were too large.
        public var refusals = 0
        /// The total cost of the cached images, in bytes.
        public var cost = 0
        /// The number of cached images.
        public var count = 0
    }
}

extension ImageContainer {
    /// The size of the container in bytes: pixels, attached encoded bytes, those that a deferred image is decoded from,
    /// and the memory that its animation keeps.
    var cacheCost: Int {
        // A custom provider may report any size.
        [data?.count ?? 0, animation?.byteCount ?? 0].reduce(image.byteCount) { sum, count in
            let sum = sum.addingReportingOverflow(count)
            return sum.overflow ? .max : sum.partialValue
        }
    }
}
