internal import Platform
internal import Raster
internal import Synchronization

/// A cache of decoded pictures. Called from any thread; answers at once.
public protocol ImageCaching: AnyObject, Sendable {
    /// The picture under `key`. Setting nil removes it.
    subscript(key: ImageCacheKey) -> ImageContainer? { get set }
    /// The keys under which variants of the picture `group` are kept, in any order.
    func keys(in group: String) -> [ImageCacheKey]
    /// Removes everything.
    func removeAll()
}

/// Decoded pictures in memory, within limits of bytes, number and age.
///
/// A picture costs the bytes that its pixels take, and those of the encoded bytes that it has with it; a deferred
/// picture has no pixels when it comes in, and memory pressure takes those that it decodes later. Where room is needed,
/// what wasn't read since the last time goes first.
public final class ImageCache: ImageCaching {
    /// The cache that pipelines share unless they are given their own.
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

    /// An empty cache.
    /// - Parameters:
    ///   - costLimit: How many bytes it holds at most.
    ///   - countLimit: How many pictures it holds at most.
    ///   - ttl: For how long a picture is good; nil for ever.
    ///   - memoryPressure: What tells that memory is short; nil for nothing.
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

    /// How many bytes it holds at most. A lower limit takes effect at once.
    public var costLimit: Int {
        get { state.withLock { $0.costLimit } }
        set {
            state.withLock { $0.costLimit = max(0, newValue) }
            trim()
        }
    }

    /// How many pictures it holds at most. A lower limit takes effect at once.
    public var countLimit: Int {
        get { state.withLock { $0.countLimit } }
        set {
            state.withLock { $0.countLimit = max(0, newValue) }
            trim()
        }
    }

    /// How much of `costLimit` one picture may take: 0.1 unless set. Larger ones are refused.
    public var entryCostLimit: Double {
        get { state.withLock { $0.entryCostLimit } }
        set { state.withLock { $0.entryCostLimit = newValue } }
    }

    /// For how long a picture is good that comes in from now on; nil for ever.
    public var ttl: Duration? {
        get { state.withLock { $0.ttl } }
        set { state.withLock { $0.ttl = newValue } }
    }

    /// What it holds now, and what came of asking it so far.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            (statistics.cost, statistics.count) = (state.ring.cost, state.ring.count)
            return statistics
        }
    }
}

extension ImageCache {
    /// The picture under `key`. Setting nil removes it, and so does setting one that is refused.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            let entry = state.withLock { state in
                let entry = state.ring.entry(for: key)
                if entry == nil { state.statistics.misses += 1 } else { state.statistics.hits += 1 }
                return entry
            }
            guard let entry else { return nil }
            // The clock is asked only where time matters, and not under the lock.
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

    /// Keeps `container` under `key`, in place of what is there.
    /// - Parameter ttl: For how long it is good; nil for the cache's own.
    /// - Returns: False where it is refused: it takes more than `entryCostLimit` of the cache. What was under the key is
    ///   gone all the same, being out of date.
    @discardableResult
    public func store(_ container: ImageContainer, for key: ImageCacheKey, ttl: Duration? = nil) -> Bool {
        store(container, cost: container.cacheCost, for: key, ttl: ttl)
    }

    /// As the public one, for a picture that keeps more alive than it knows of: `cost` is in bytes.
    @discardableResult
    package func store(
        _ container: ImageContainer, cost: Int, for key: ImageCacheKey, ttl: Duration? = nil
    ) -> Bool {
        let time = now()
        var removed: [ImageCacheRing.Entry] = []
        // Without this the optimiser lets go of them under the lock.
        defer { withExtendedLifetime(removed) {} }
        return state.withLock { state in
            if let old = state.ring.remove(key) { removed.append(old) }
            let limit = Double(state.costLimit) * state.entryCostLimit
            guard Double(cost) <= limit, cost <= state.costLimit, state.countLimit > 0 else {
                state.statistics.refusals += 1
                return false
            }
            // Room is made before: the newcomer isn't among those that may have to go.
            state.evict(toCost: state.costLimit - cost, count: state.countLimit - 1, at: time, into: &removed)
            let expiration = (ttl ?? state.ttl).map { time.advanced(by: $0) }
            state.ring.insert(ImageCacheRing.Entry(container, cost: cost, expiration: expiration), for: key)
            return true
        }
    }

    /// The keys under which variants of the picture `group` are kept, in any order.
    public func keys(in group: String) -> [ImageCacheKey] {
        let time = now()
        return state.withLock { $0.ring.keys(in: group, at: time) }
    }

    /// Removes everything.
    public func removeAll() {
        var old = ImageCacheRing()
        state.withLock { swap(&$0.ring, &old) }
        withExtendedLifetime(old) {}
    }

    /// Removes pictures until what is left takes at most `cost` bytes.
    public func trim(toCost cost: Int) { trim { _ in (max(0, cost), .max) } }

    /// Removes pictures until at most `count` are left.
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

    /// Lets go of half of what is held, or of all of it, and of the pixels that can be made again.
    private func respond(to pressure: MemoryPressure) {
        switch pressure {
        case .warning: trim { ($0.ring.cost / 2, .max) }
        case .critical: removeAll()
        }
        ImageMemory.removeDecodedPixels()
    }

    /// What a cache holds, and what came of asking it.
    public struct Statistics: Hashable, Sendable {
        /// Reads that found a picture.
        public var hits = 0
        /// Reads that found none.
        public var misses = 0
        /// Pictures that went to make room, or because memory was short.
        public var evictions = 0
        /// Pictures that were too large to be taken.
        public var refusals = 0
        /// Bytes of what is held.
        public var cost = 0
        /// Pictures that are held.
        public var count = 0
    }
}

extension ImageContainer {
    /// The bytes that the container takes: pixels, encoded bytes attached to it, those that a picture not decoded yet is
    /// going to be decoded from, and what its animation keeps.
    var cacheCost: Int {
        // Whoever provides pixels may have said anything.
        [data?.count ?? 0, animation?.byteCount ?? 0].reduce(image.byteCount) { sum, count in
            let sum = sum.addingReportingOverflow(count)
            return sum.overflow ? .max : sum.partialValue
        }
    }
}
