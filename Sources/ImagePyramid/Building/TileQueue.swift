internal import Dispatch
internal import ImageFormats
internal import Raster
internal import Synchronization

/// The tiles that wait to be encoded by several threads, strip by strip in order of arrival.
final class TileQueue: Sendable {
    /// One piece of work for a thread.
    enum Job {
        case tile(LevelStrip.Tile, LevelStrip)
        /// Copying the tiles whose bytes have come.
        case copying
    }

    private struct State {
        var isCopyingRequested = false
        var strips: [(strip: LevelStrip, next: Int)] = []
        var head = 0
        /// Bytes of the strips with waiting tiles.
        var waitingByteCount = 0
        var doneCount = 0
        var failure: ImageError?
    }

    private let state = Mutex(State())
    /// One for each waiting tile and each request to copy, and one for each thread at the end.
    private let signals = DispatchSemaphore(value: 0)

    /// Adds the strip's tiles from `first` on.
    func add(_ strip: LevelStrip, from first: Int = 0) {
        state.withLock { state in
            state.strips.append((strip, first))
            state.waitingByteCount += strip.byteCount
        }
        for _ in first..<strip.tileCount { signals.signal() }
    }

    func requestCopying() {
        let isNew = state.withLock { state in
            defer { state.isCopyingRequested = true }
            return !state.isCopyingRequested
        }
        // One signal stands for one job: a thread that finds none ends.
        if isNew { signals.signal() }
    }

    /// Waits for the next job; returns nil at the end.
    func waitForJob() -> Job? {
        signals.wait()
        return take()
    }

    /// Returns the next job, if there is one.
    func nextJob() -> Job? {
        guard signals.wait(timeout: .now()) == .success else { return nil }
        return take()
    }

    private func take() -> Job? {
        enum Taken { case tile(LevelStrip, Int), copying, nothing }
        let taken: Taken = state.withLock { state in
            guard state.failure == nil else { return .nothing }
            if state.isCopyingRequested {
                state.isCopyingRequested = false
                return .copying
            }
            guard state.head < state.strips.count else { return .nothing }
            let (strip, index) = state.strips[state.head]
            state.strips[state.head].next += 1
            if index + 1 == strip.tileCount {
                state.waitingByteCount -= strip.byteCount
                state.head += 1
                if state.head == state.strips.count || state.head >= 32 {
                    state.strips.removeFirst(state.head)
                    state.head = 0
                }
            }
            return .tile(strip, index)
        }
        return switch taken {
        case .tile(let strip, let index): .tile(strip.tile(index), strip)
        case .copying: .copying
        case .nothing: nil
        }
    }

    /// Counts a tile that is in the sink.
    func didFinish() { state.withLock { $0.doneCount += 1 } }

    /// Ends the build with an error, dropping waiting tiles. Only the first error is kept.
    func fail(_ error: ImageError) {
        var dropped: [(strip: LevelStrip, next: Int)] = []
        state.withLock { state in
            if state.failure == nil { state.failure = error }
            swap(&state.strips, &dropped)
            (state.head, state.waitingByteCount) = (0, 0)
        }
        // The strips' memory is released outside the lock.
        withExtendedLifetime(dropped) {}
    }

    /// Ends `threadCount` threads once the queue is empty.
    func close(threadCount: Int) {
        for _ in 0..<threadCount { signals.signal() }
    }

    var failure: ImageError? { state.withLock { $0.failure } }
    var waitingByteCount: Int { state.withLock { $0.waitingByteCount } }
    var doneCount: Int { state.withLock { $0.doneCount } }
}

/// The threads that encode tiles while the calling thread decodes.
final class TileThreads {
    private let group = DispatchGroup()
    private let queue: TileQueue
    private let count: Int

    /// Starts `count` threads that encode the tiles in `queue`.
    init(_ maker: TileMaker, queue: TileQueue, count: Int) {
        self.queue = queue
        self.count = count
        let threads = DispatchQueue(label: "tessera.tiles", qos: .userInitiated, attributes: .concurrent)
        for _ in 0..<count {
            threads.async(group: group) {
                do throws(ImageError) {
                    let encoder = try maker.makeEncoder()
                    while let job = queue.waitForJob() { try maker.make(job, by: encoder, queue) }
                } catch {
                    queue.fail(error)
                }
            }
        }
    }

    /// Waits until all tiles in the queue are encoded, or one has failed.
    func finish() {
        queue.close(threadCount: count)
        group.wait()
    }
}

/// Encodes tiles and passes them to the sink; shared by all threads, each with its own encoder.
struct TileMaker: Sendable {
    let plan: LevelStripPlan
    let alpha: AlphaMode
    let sink: any TileSink
    let codecs: CodecRegistry
    /// Copies tiles instead of encoding them, where possible.
    var copier: TileCopier?

    func makeEncoder() throws(ImageError) -> TileEncoder {
        try TileEncoder(sink.encoding, plan: plan, alpha: alpha, codecs: codecs)
    }

    /// Does a job, skipping a tile that the sink already has.
    func make(_ job: TileQueue.Job, by encoder: TileEncoder, _ queue: TileQueue) throws(ImageError) {
        guard case .tile(let tile, let strip) = job else {
            try copier?.run()
            return
        }
        let (sink, address) = (sink, tile.address)
        if !sink.contains(address) {
            try encoder.encode(tile, of: strip) { (bytes) throws(ImageError) in
                try sink.write(bytes, at: address)
            }
        }
        queue.didFinish()
    }
}
