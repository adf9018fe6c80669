internal import Raster
internal import Synchronization

extension Source {
    /// A stream's buffered pieces and its consumers.
    struct StreamState {
        /// The pieces read for a header and not delivered again yet, in order.
        var kept: [[UInt8]] = []
        /// The only consumer that may read, once one has read without keeping.
        var owner: Int?
        var consumerCount = 0
    }

    /// Returns a number that identifies a consumer of this source; 0 if it isn't a stream.
    func makeConsumer() -> Int {
        guard isStream else { return 0 }
        return stream.withLock { state in
            state.consumerCount += 1
            return state.consumerCount
        }
    }

    /// Removes and returns up to `count` bytes of the next kept piece; nil if none is left.
    /// - Throws: `invalidParameter` if another consumer has read from the stream.
    func takeKept(for consumer: Int, upTo count: Int) throws(ImageError) -> [UInt8]? {
        try stream.withLock { (state) throws(ImageError) in
            guard state.owner ?? consumer == consumer else { throw isUsedUp }
            state.owner = consumer
            guard let first = state.kept.first else { return nil }
            guard first.count > count else { return state.kept.removeFirst() }
            state.kept[0].removeFirst(count)
            return Array(first.prefix(count))
        }
    }

    /// Returns the kept piece at `index`, without removing it; nil if it hasn't been read.
    /// - Throws: `invalidParameter` if a consumer that keeps nothing has read from the stream.
    func keptPiece(at index: Int) throws(ImageError) -> [UInt8]? {
        try stream.withLock { (state) throws(ImageError) in
            guard state.owner == nil else { throw isUsedUp }
            return index < state.kept.count ? state.kept[index] : nil
        }
    }

    /// Keeps a piece for the next consumer.
    func keep(_ piece: [UInt8]) { stream.withLock { $0.kept.append(piece) } }

    private var isUsedUp: ImageError {
        ImageError(.invalidParameter, "\(name) can be read only once: its bytes come in sequence, and some were read")
    }
}
