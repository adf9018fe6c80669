public import ImageFormats
public import Raster
internal import Synchronization

/// A picture whose tiles are made while its bytes come: from a network, a pipe, a file that somebody is writing.
///
/// Rows are decoded as far as the bytes reach; a row of tiles can be read as soon as it is whole, of all levels, while the
/// rest is under way. A picture that comes in passes (a progressive JPEG, an interlaced PNG) is there in full after the
/// first, and gets better with each. After the last byte, little is left to be done.
///
/// ```swift
/// let picture = ArrivingImage(chunks)
/// for await event in picture.events {
///     switch event {
///     case .header(let header): show(header.size)
///     case .tiles(let range): redraw(range)
///     case .preview, .pass, .complete: break
///     case .failed(let error): show(error)
///     }
/// }
/// ```
///
/// Input that ends early, or is damaged, leaves the tiles that there are; `error` says what is wrong. A picture that nobody
/// holds any more stops arriving.
public final class ArrivingImage: Sendable {
    /// How a picture is made.
    public struct Options: Sendable {
        /// How it is decoded, and what it may ask for. Always to sRGB of eight bits.
        public var decoding: DecodingOptions
        /// How its tiles are kept.
        public var tiles: RawTileStore.Options
        /// How its rows have to be turned to stand upright; nil for what the file says.
        public var orientation: Orientation?
        /// Whether each pass is shown; else the last one alone is.
        public var showsPasses: Bool
        /// What the bytes are known to be in full, which those of a JPNG don't say before their end.
        var format: ImageFormat?

        /// As the file says, with passes.
        public init(
            decoding: DecodingOptions = DecodingOptions(), tiles: RawTileStore.Options = RawTileStore.Options(),
            orientation: Orientation? = nil, showsPasses: Bool = true
        ) {
            self.decoding = decoding
            self.tiles = tiles
            self.orientation = orientation
            self.showsPasses = showsPasses
        }
    }

    /// What became known or possible.
    public enum Event: Hashable, Sendable {
        /// The size and what else the header says, or says more exactly than before.
        case header(ImageHeader)
        /// A small picture of the whole, of this size, can be had at once. Of a `TiledImage` alone.
        case preview(PixelSize)
        /// These tiles can be read now, or again: better than before.
        case tiles(TileRange)
        /// This many passes are complete: every tile shows as much.
        case pass(Int)
        /// All tiles are there, and won't change.
        case complete
        /// No more will come, for this reason; the tiles that are there stay.
        case failed(ImageError)
    }

    private let state = ArrivingImageState()
    private let task: Task<Void, Never>

    /// A picture of the bytes that `chunks` bring, in pieces of any size: arrays of bytes, Foundation's `Data`, or anything
    /// else of bytes.
    ///
    /// Bytes are asked for as fast as they can be decoded, on threads of `ImageExecutor`.
    public init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, options: Options = Options(), registry: CodecRegistry = .default
    ) where Chunks.Element: Sequence<UInt8> {
        let state = state
        task = Task.detached(executorPreference: ImageExecutor.shared, priority: .userInitiated) {
            let arrival = ArrivingImageDecoder(options: options, registry: registry, state: state)
            do {
                for try await chunk in chunks { try arrival.append(Array(chunk)) }
                try arrival.finish()
            } catch {
                arrival.fail(
                    error as? ImageError
                        ?? ImageError(.inputOutput, "the picture's bytes stopped coming: \(error)"))
            }
        }
    }

    deinit { task.cancel() }

    /// Ends it: no further tile comes, and `error` says that it was cancelled. Tiles that are there stay.
    public func cancel() { task.cancel() }

    /// Why tiles are missing that will never come; nil while they may, and when all are there.
    public var error: ImageError? { state.stores.latest?.error ?? state.error }

    /// Whether all tiles are there, and won't change.
    public var isComplete: Bool { state.stores.latest?.isComplete ?? false }

    /// What the file says of the picture, as soon as that is known. `Options.orientation` is not in it.
    /// - Throws: What kept it from being known; `cancelled` when the task is.
    public func header() async throws(ImageError) -> ImageHeader {
        if let header = state.headers.latest { return header }
        for await header in state.headers.listen() { return header }
        throw state.error ?? ImageError(.cancelled, "the picture's header is no longer wanted")
    }

    /// Where the tiles are, as soon as there is such a place: when the header is known, or not much later.
    ///
    /// The store has the picture's geometry and orientation, lends tiles, and stays when the picture is let go of.
    /// - Throws: What kept it from being made; `cancelled` when the task is.
    public func store() async throws(ImageError) -> RawTileStore {
        if let store = state.stores.latest { return store }
        for await store in state.stores.listen() { return store }
        throw state.error ?? ImageError(.cancelled, "the picture's tiles are no longer wanted")
    }

    /// A tile as soon as it is there; of a picture that comes in passes, as the first one shows it.
    /// - Throws: `invalidParameter` when there is no such tile; `cancelled` when the task is; and when it will never come,
    ///   what ended the picture.
    public func tile(_ address: TileAddress) async throws(ImageError) -> Image { try await store().tile(address) }

    /// A tile if it is there.
    /// - Throws: `outOfMemory`.
    public func readyTile(_ address: TileAddress) throws(ImageError) -> Image? {
        guard let store = state.stores.latest, store.geometry.contains(address) else { return nil }
        return try store.readyTile(address)
    }

    /// What is there of the whole picture, no side longer than `maxSide`; nil before the first byte of it is decoded.
    /// - Throws: `invalidParameter` for a side less than 1; `outOfMemory`.
    public func overview(maxSide: Int) throws(ImageError) -> TileSnapshot? {
        try state.stores.latest?.overview(maxSide: maxSide)
    }

    /// Waits until all tiles are there.
    /// - Throws: What kept some from being made; `cancelled` when the task is.
    public func complete() async throws(ImageError) {
        let store = try await store()
        for await event in store.events {
            if case .complete = event { return }
            if case .failed(let error) = event { throw error }
        }
        throw ImageError(.cancelled, "the picture is no longer wanted")
    }

    /// What happened, from the first on, and what will happen; ends when nothing more will. For any number of listeners.
    public var events: AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        let state = state
        let task = Task {
            await withTaskGroup { group in
                group.addTask {
                    for await header in state.headers.listen() { continuation.yield(.header(header)) }
                }
                group.addTask {
                    var isOver = false
                    for await store in state.stores.listen() {
                        for await event in store.events {
                            if case .complete = event { isOver = true }
                            if case .failed = event { isOver = true }
                            continuation.yield(Event(event))
                        }
                    }
                    if !isOver, let error = state.error { continuation.yield(.failed(error)) }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension ArrivingImage.Event {
    fileprivate init(_ event: RawTileStore.Event) {
        self =
            switch event {
            case .tiles(let range): .tiles(range)
            case .pass(let count): .pass(count)
            case .complete: .complete
            case .failed(let error): .failed(error)
            }
    }
}
