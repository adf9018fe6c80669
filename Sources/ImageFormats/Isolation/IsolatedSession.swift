internal import Raster

/// One picture in a worker, from its first byte until nobody wants it any more. Everything that the worker says of it
/// is checked here.
package final class IsolatedSession {
    /// What pictures may ask for, and how they are decoded.
    let options: DecodingOptions
    /// What is known of the picture.
    private(set) var header: ImageHeader?
    /// The frames that are there.
    private(set) var frames: [AnimationFrame] = []
    private(set) var prefersWholeInput = false

    private let worker: DecodingWorkerProcess
    private let give: (DecodingWorkerProcess) -> Void

    /// Begins with a picture in `worker`, which `give` gets when the picture has ended and the worker can begin with
    /// another.
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

    /// Hands over bytes.
    func append(_ bytes: RawSpan) throws(ImageError) {
        var rest = bytes
        while rest.byteCount > 0 {
            let count = min(rest.byteCount, SharedLayout.inputByteCount)
            worker.putInput(rest.extracting(first: count))
            _ = try ask(.append(byteCount: count))
            rest = rest.extracting(droppingFirst: count)
        }
    }

    /// Asks, and takes in what is new.
    /// - Throws: What the decoder threw, or why there is none any more.
    func ask(_ request: Request) throws(ImageError) -> Reply.Outcome {
        let message = try worker.ask(request)
        let reply: Reply
        do throws(ImageError) {
            reply = try Reply(message, limits: options.limits, canvas: header?.storedSize)
            try take(reply)
        } catch {
            // A picture beyond the limits is none of the worker's making; but a decoder that keeps to them says so
            // itself.
            throw worker.fail(error)
        }
        if case .failed(let error) = reply.outcome { throw error }
        return reply.outcome
    }

    /// What pixels are: within what was asked for.
    func started(_ request: Request, within size: PixelSize) throws(ImageError) -> BitmapInfo {
        guard case .started(let info) = try ask(request) else { throw worker.fail(MessageReader.failure) }
        return try checked(info, within: size)
    }

    /// What pixels are, converted by the worker where sRGB was asked for.
    func checked(_ info: BitmapInfo, within size: PixelSize) throws(ImageError) -> BitmapInfo {
        guard info.size.width <= size.width, info.size.height <= size.height,
            let stride = SharedLayout.bytesPerRow(info),
            options.color == .asStored || info.profile == .sRGB
        else { throw worker.fail(MessageReader.failure) }
        try worker.makeRoom(forRow: stride)
        return info
    }

    /// Reads rows of `info` into `rows`, from the first on.
    func read(_ info: BitmapInfo, into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery {
        let wanted = try rowCount(rows.count, of: info)
        guard case .read(let delivery) = try ask(.read(rowCount: wanted)) else { throw refuse() }
        guard case .rows(let count) = delivery else { return delivery }
        guard count <= wanted else { throw refuse() }
        try copyRows(count, of: info, into: &rows)
        return delivery
    }

    /// How many of `wanted` rows there is room for at a time.
    func rowCount(_ wanted: Int, of info: BitmapInfo) throws(ImageError) -> Int {
        guard let stride = SharedLayout.bytesPerRow(info), stride > 0 else { throw MessageReader.failure }
        return max(1, min(wanted, worker.rowsByteCount / stride))
    }

    /// Takes `count` rows that the worker has made.
    func copyRows(
        _ count: Int, of info: BitmapInfo, into rows: inout MutablePixelRows, at first: Int = 0
    ) throws(ImageError) {
        try worker.copyRows(count, of: info, into: &rows, at: first)
    }

    /// Ends the worker, which said what can't be.
    func refuse() -> ImageError { worker.fail(MessageReader.failure) }

    private func take(_ reply: Reply) throws(ImageError) {
        if let new = reply.header {
            try MessageReader.require(header == nil || header?.storedSize == new.storedSize)
            header = new
        }
        prefersWholeInput = reply.prefersWholeInput
        // One more than the limit shows that there are too many.
        let room = max(0, options.limits.maximumFrameCount - frames.count)
        frames += reply.frames.prefix(room == .max ? room : room + 1)
    }
}
