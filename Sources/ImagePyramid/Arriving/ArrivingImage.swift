public import ImageFormats
public import Raster
internal import Synchronization

/// An image whose tiles are made while its bytes arrive, from a network, a pipe, or a file that is still being written.
///
/// Rows are decoded as far as the bytes reach; a row of tiles of any level is readable as soon as it is whole. An image
/// in passes (a progressive JPEG, an interlaced PNG) is complete after the first pass and improves with each. Little
/// work remains after the last byte.
///
/// ```swift
/// let image = ArrivingImage(chunks)
/// for await event in image.events {
///     switch event {
///     case .header(let header): show(header.size)
///     case .tiles(let range): redraw(range)
///     case .preview, .pass, .complete: break
///     case .failed(let error): show(error)
///     }
/// }
/// ```
///
/// If the input ends early or is damaged, finished tiles stay, and `error` gives the reason. Releasing the image stops
/// decoding.
public final class ArrivingImage: Sendable {
    /// Options for decoding an arriving image.
    public struct Options: Sendable {
        /// The options of decoding, always to sRGB with 8 bits a channel.
        public var decoding: DecodingOptions
        /// The options of the tile store.
        public var tiles: RawTileStore.Options
        /// The orientation to apply to stored rows; nil for the file's.
        public var orientation: Orientation?
        /// Whether tiles show each pass; if false, only the last.
        public var showsPasses: Bool
        /// The format if it is known for all of the bytes; a JPNG begins as a JPEG and is identified only at its end.
        var format: ImageFormat?

        /// Creates options, by default for the file's orientation, showing passes.
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

    /// A step of decoding.
    public enum Event: Hashable, Sendable {
        /// The header is known, or more exact than before.
        case header(ImageHeader)
        /// A small version of the image, of this size, is available immediately. Only for a `TiledImage`.
        case preview(PixelSize)
        /// These tiles are readable, or have improved.
        case tiles(TileRange)
        /// This many passes are complete, in every tile.
        case pass(Int)
        /// All tiles are available and final.
        case complete
        /// No more tiles will come, because of this error; finished tiles stay.
        case failed(ImageError)
    }

    private let state = ArrivingImageState()
    private let task: Task<Void, Never>

    /// Starts decoding the bytes in `chunks`, which come in pieces of any size: arrays of bytes, Foundation's `Data`,
    /// or any other sequence of bytes.
    ///
    /// Chunks are requested as fast as they are decoded, on threads of `ImageExecutor`.
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
                        ?? ImageError(.inputOutput, "the image's bytes stopped coming: \(error)"))
            }
        }
    }

    deinit { task.cancel() }

    /// Stops decoding: no further tiles come, and `error` becomes `cancelled`. Finished tiles stay.
    public func cancel() { task.cancel() }

    /// The error that left tiles missing; nil while they may still come, and when all are available.
    public var error: ImageError? { state.stores.latest?.error ?? state.error }

    /// Whether all tiles are available and final.
    public var isComplete: Bool { state.stores.latest?.isComplete ?? false }

    /// Returns the file's header as soon as it is known. `Options.orientation` doesn't change it.
    /// - Throws: The error of reading the header; `cancelled` if the task is.
    public func header() async throws(ImageError) -> ImageHeader {
        if let header = state.headers.latest { return header }
        for await header in state.headers.listen() { return header }
        throw state.error ?? ImageError(.cancelled, "the image's header is no longer wanted")
    }

    /// Returns the tile store as soon as it exists: when the header is known, or shortly after.
    ///
    /// The store has the image's geometry and orientation, lends tiles, and outlives the image.
    /// - Throws: The error that prevented its creation; `cancelled` if the task is.
    public func store() async throws(ImageError) -> RawTileStore {
        if let store = state.stores.latest { return store }
        for await store in state.stores.listen() { return store }
        throw state.error ?? ImageError(.cancelled, "the image's tiles are no longer wanted")
    }

    /// Returns a tile as soon as it is available; for an image in passes, as of the first pass.
    /// - Throws: `invalidParameter` for an address outside the geometry, `cancelled` if the task is, or the error that
    ///   ended the image if the tile will never come.
    public func tile(_ address: TileAddress) async throws(ImageError) -> Image { try await store().tile(address) }

    /// Returns a tile if it is available, otherwise nil.
    /// - Throws: `outOfMemory`.
    public func readyTile(_ address: TileAddress) throws(ImageError) -> Image? {
        guard let store = state.stores.latest, store.geometry.contains(address) else { return nil }
        return try store.readyTile(address)
    }

    /// Returns the available part of the whole image, with no side longer than `maxSide`; nil before the store exists.
    /// - Throws: `invalidParameter` for a side less than 1; `outOfMemory`.
    public func overview(maxSide: Int) throws(ImageError) -> TileSnapshot? {
        try state.stores.latest?.overview(maxSide: maxSide)
    }

    /// Waits until all tiles are available.
    /// - Throws: The error that left tiles missing; `cancelled` if the task is.
    public func complete() async throws(ImageError) {
        let store = try await store()
        for await event in store.events {
            if case .complete = event { return }
            if case .failed(let error) = event { throw error }
        }
        throw ImageError(.cancelled, "the image is no longer wanted")
    }

    /// Everything that happened so far, and everything that will; ends after the last event. Supports any number of
    /// listeners.
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
