internal import Dispatch
internal import Raster

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
