internal import Raster

/// A session with a worker for one image. It validates everything that the worker sends.
package final class IsolatedSession {
    /// The limits on the image, and how to decode it.
    let options: DecodingOptions
    /// The image's header, once known.
    private(set) var header: ImageHeader?
    /// The frames received so far.
    private(set) var frames: [AnimationFrame] = []
    private(set) var prefersWholeInput = false

    private let worker: DecodingWorkerProcess
    private let give: (DecodingWorkerProcess) -> Void

    /// Begins an image in `worker`. When the session ends and the worker can begin another image, calls `give` with it.
    package init(
        _ worker: DecodingWorkerProcess, _ beginning: Request.Beginning,
        give: @escaping (DecodingWorkerProcess) -> Void = { _ in }
    ) throws(ImageError) {
        self.worker = worker
        self.give = give
        options = beginning.options
        _ = try ask(.begin(beginning))
    }

    deinit {
        guard (try? worker.tell(.end)) != nil else { return }
        give(worker)
    }

    /// Sends bytes of the file.
    func append(_ bytes: RawSpan) throws(ImageError) {
        var rest = bytes
        while rest.byteCount > 0 {
            let count = min(rest.byteCount, SharedLayout.inputByteCount)
            worker.putInput(rest.extracting(first: count))
            _ = try ask(.append(byteCount: count))
            rest = rest.extracting(droppingFirst: count)
        }
    }

    /// Sends a request, and updates the header and frames from the reply.
    /// - Throws: The decoder's error, or the reason why the worker has failed.
    func ask(_ request: Request) throws(ImageError) -> Reply.Outcome {
        let message = try worker.ask(request)
        let reply: Reply
        do throws(ImageError) {
            reply = try Reply(message, limits: options.limits, canvas: header?.storedSize)
            try take(reply)
        } catch {
            // A file may exceed the limits, but the worker's decoder should have reported that itself.
            throw worker.fail(error)
        }
        if case .failed(let error) = reply.outcome { throw error }
        return reply.outcome
    }

    /// Sends a request that starts decoding, and checks the resulting info against `size`.
    func started(_ request: Request, within size: PixelSize) throws(ImageError) -> BitmapInfo {
        guard case .started(let info) = try ask(request) else { throw worker.fail(MessageReader.failure) }
        return try checked(info, within: size)
    }

    /// Checks that `info` is within `size`, and in sRGB if the options ask for that.
    func checked(_ info: BitmapInfo, within size: PixelSize) throws(ImageError) -> BitmapInfo {
        guard info.size.width <= size.width, info.size.height <= size.height,
            let stride = SharedLayout.bytesPerRow(info),
            options.color == .asStored || info.profile == .sRGB
        else { throw worker.fail(MessageReader.failure) }
        try worker.makeRoom(forRow: stride)
        return info
    }

    /// Reads rows of `info` into `rows`, starting with the first.
    func read(_ info: BitmapInfo, into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        let wanted = try rowCount(rows.count, of: info)
        guard case .read(let delivery) = try ask(.read(rowCount: wanted)) else { throw refuse() }
        guard case .rows(let count) = delivery else { return delivery }
        guard count <= wanted else { throw refuse() }
        try copyRows(count, of: info, into: &rows)
        return delivery
    }

    /// The number of rows, at most `wanted`, that fit in the shared memory.
    func rowCount(_ wanted: Int, of info: BitmapInfo) throws(ImageError) -> Int {
        guard let stride = SharedLayout.bytesPerRow(info), stride > 0 else { throw MessageReader.failure }
        return max(1, min(wanted, worker.rowsByteCount / stride))
    }

    /// Copies `count` rows that the worker has made.
    func copyRows(
        _ count: Int, of info: BitmapInfo, into rows: inout MutablePixelRows, at first: Int = 0
    ) throws(ImageError) {
        try worker.copyRows(count, of: info, into: &rows, at: first)
    }

    /// Ends the worker after an invalid reply.
    func refuse() -> ImageError { worker.fail(MessageReader.failure) }

    private func take(_ reply: Reply) throws(ImageError) {
        if let new = reply.header {
            try MessageReader.require(header == nil || header?.storedSize == new.storedSize)
            header = new
        }
        prefersWholeInput = reply.prefersWholeInput
        // One frame over the limit is kept, to show that there are too many.
        let room = max(0, options.limits.maximumFrameCount - frames.count)
        frames += reply.frames.prefix(room == .max ? room : room + 1)
    }
}
