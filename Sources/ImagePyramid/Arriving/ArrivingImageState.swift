internal import ImageFormats
internal import Raster
internal import Synchronization

/// What is known of a picture that arrives, for whoever asks.
final class ArrivingImageState: Sendable {
    /// The header, as often as it was known more exactly.
    let headers = EventLog<ImageHeader>()
    let stores = EventLog<RawTileStore>()
    private let ending = Mutex<ImageError?>(nil)

    var error: ImageError? { ending.withLock { $0 } }

    /// Says that nothing more will become known, and why if that is too early.
    func end(_ error: ImageError?) {
        ending.withLock { $0 = error }
        headers.end()
        stores.end()
    }
}
