internal import ImageFormats
internal import Raster
internal import Synchronization

/// What is known of a picture that arrives, for whoever asks.
final class ArrivingImageState: Sendable {
    private struct State {
        var header: ImageHeader?
        var store: RawTileStore?
        var error: ImageError?
    }

    let headers = EventLog<ImageHeader>()
    let stores = EventLog<RawTileStore>()
    private let state = Mutex(State())

    var header: ImageHeader? { state.withLock { $0.header } }
    var store: RawTileStore? { state.withLock { $0.store } }
    var error: ImageError? { state.withLock { $0.error } }

    func set(_ header: ImageHeader) {
        state.withLock { $0.header = header }
        headers.tell(header, summary: [header])
    }

    func set(_ store: RawTileStore) {
        state.withLock { $0.store = store }
        stores.tell(store)
    }

    /// Says that nothing more will become known, and why if that is too early.
    func end(_ error: ImageError?) {
        state.withLock { $0.error = error }
        headers.end()
        stores.end()
    }
}
