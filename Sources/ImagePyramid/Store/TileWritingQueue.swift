internal import Dispatch

/// Work on one file, done in the order in which it comes, beside the thread that it comes from; when too much of it waits,
/// so does that thread.
///
/// One thread does it all: the system lets no two write to a file at once.
final class TileWritingQueue: Sendable {
    private let queue = DispatchQueue(label: "tessera.tiles", qos: .userInitiated)
    private let places = DispatchSemaphore(value: 0)

    /// Pieces that may wait or be under way; a piece is 4 MiB of tiles, or as many rows to be halved.
    private static let limit = 8

    init() {
        // A semaphore mustn't end with less than it began with.
        for _ in 0..<Self.limit { places.signal() }
    }

    /// Has `work` done.
    func perform(_ work: @escaping @Sendable () -> Void) {
        places.wait()
        queue.async { [places] in
            work()
            places.signal()
        }
    }

    /// Returns when nothing is left to be done.
    func wait() { queue.sync {} }
}
