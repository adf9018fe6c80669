extension ImageCache {
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
