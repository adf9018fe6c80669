internal import Dispatch
internal import ImageFormats
internal import Raster
internal import Synchronization

/// The tiles that wait to be encoded, strip by strip in the order in which the strips came, for several threads.
final class TileQueue: Sendable {
    /// Work that one thread has taken.
    enum Job {
        case tile(LevelStrip.Tile, LevelStrip)
        /// Tiles to be copied, as far as bytes have come.
        case copying
    }

    private struct State {
        var isCopyingRequested = false
        var strips: [(strip: LevelStrip, next: Int)] = []
        var head = 0
        /// Bytes of the strips that have tiles nobody has taken.
        var waitingByteCount = 0
        var doneCount = 0
        var failure: ImageError?
    }

    private let state = Mutex(State())
    /// One for each tile that waits and each request to copy, and one for each thread when there will be no more.
    private let signals = DispatchSemaphore(value: 0)

    /// Adds the strip's tiles, but for some at the beginning.
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
        // A signal stands for one thing to do: a thread that finds none takes it for the end.
        if isNew { signals.signal() }
    }

    /// What is to be done next, once there is anything; nil when there will be no more.
    func waitForJob() -> Job? {
        signals.wait()
        return take()
    }

    /// What is to be done next, if there is anything.
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

    /// Remembers what ends the build; the first failure counts.
    func fail(_ error: ImageError) {
        var dropped: [(strip: LevelStrip, next: Int)] = []
        state.withLock { state in
            if state.failure == nil { state.failure = error }
            swap(&state.strips, &dropped)
            (state.head, state.waitingByteCount) = (0, 0)
        }
        // Their memory goes back without the lock.
        withExtendedLifetime(dropped) {}
    }

    /// Says to `threadCount` threads that there will be no more.
    func close(threadCount: Int) {
        for _ in 0..<threadCount { signals.signal() }
    }

    var failure: ImageError? { state.withLock { $0.failure } }
    var waitingByteCount: Int { state.withLock { $0.waitingByteCount } }
    var doneCount: Int { state.withLock { $0.doneCount } }
}

/// The threads that encode while another one decodes.
final class TileThreads {
    private let group = DispatchGroup()
    private let queue: TileQueue
    private let count: Int

    /// Starts `count` threads that make the tiles in `queue`.
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

    /// Waits until all tiles in the queue are made, or one has failed.
    func finish() {
        queue.close(threadCount: count)
        group.wait()
    }
}

/// Encodes tiles and hands them to the sink; shared by all threads, each with an encoder of its own.
struct TileMaker: Sendable {
    let plan: LevelStripPlan
    let alpha: AlphaMode
    let sink: any TileSink
    let codecs: CodecRegistry
    /// What copies tiles instead of encoding them, where that can be done.
    var copier: TileCopier?

    func makeEncoder() throws(ImageError) -> TileEncoder {
        try TileEncoder(sink.encoding, plan: plan, alpha: alpha, codecs: codecs)
    }

    /// Does what is to be done; a tile that the sink has isn't made.
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
