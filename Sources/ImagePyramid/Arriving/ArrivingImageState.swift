internal import ImageFormats
internal import Raster
internal import Synchronization

/// The state of an arriving image that any task may query.
final class ArrivingImageState: Sendable {
    /// Each version of the header, the latest most exact.
    let headers = EventLog<ImageHeader>()
    let stores = EventLog<RawTileStore>()
    private let ending = Mutex<ImageError?>(nil)

    var error: ImageError? { ending.withLock { $0 } }

    /// Ends the logs, with the error if the end is premature.
    func end(_ error: ImageError?) {
        ending.withLock { $0 = error }
        headers.end()
        stores.end()
    }
}
