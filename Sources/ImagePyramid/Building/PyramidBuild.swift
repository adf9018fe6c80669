internal import Dispatch
internal import ImageFormats
internal import Raster

/// One run of a `PyramidBuilder`.
final class PyramidBuild {
    private let builder: PyramidBuilder
    private let rows: PyramidRows
    private var maker: TileMaker
    private let queue = TileQueue()
    private let orientation: Orientation
    private let progress: ((PyramidProgress) -> Void)?
    private let encoder: TileEncoder
    private let layout: LevelLayout
    /// Bytes of strips that may wait for the other threads; beyond that, this thread encodes too.
    private var waitingLimit = 0

    init(
        _ builder: PyramidBuilder, _ rows: PyramidRows, orientation: Orientation, sink: any TileSink,
        progress: ((PyramidProgress) -> Void)?
    ) throws(ImageError) {
        self.builder = builder
        self.rows = rows
        self.orientation = orientation
        self.progress = progress
        var layout = rows.layout
        layout.averagesLight = builder.averagesLight
        self.layout = layout
        let plan = try LevelStripPlan(sink.geometry, layout: layout, orientation: orientation)
        maker = TileMaker(plan: plan, alpha: rows.alpha, sink: sink, codecs: builder.codecs)
        encoder = try maker.makeEncoder()
        maker.copier = rows.makeCopier(builder, orientation: orientation, queue: queue, sink: sink)
    }

    func run() throws(ImageError) {
        // For each level, one strip is being filled, one waits, and two may be in use by threads.
        let strips = try LevelStrips(
            maker.sink.geometry, layout: layout, orientation: orientation, byteLimit: builder.byteLimit / 4
        ) { [self] (strip) throws(ImageError) in
            if strip.level == 0, let copier = maker.copier {
                try telling { () throws(ImageError) in try copier.take(strip) }
            } else {
                queue.add(strip)
            }
            try encodeWhileAhead()
        }
        waitingLimit = strips.byteCount / 2
        let threads = TileThreads(maker, queue: queue, count: ImageExecutor.processorCount - 1)
        var inputFailure: ImageError?
        do throws(ImageError) {
            inputFailure = try decode(into: strips)
            try maker.copier?.finish()
            while let job = queue.nextJob() {
                try maker.make(job, by: encoder, queue)
                try lookAround(strips)
            }
        } catch {
            queue.fail(error)
        }
        threads.finish()
        if let failure = queue.failure { throw failure }
        report(strips)
        try Interruption.check()
        if inputFailure == nil || builder.keepsPartial { try maker.sink.finish() }
        if let inputFailure { throw inputFailure }
    }

    /// Decodes all rows. Returns an error that ended the input early, after queueing the tiles that are kept.
    private func decode(into strips: LevelStrips) throws(ImageError) -> ImageError? {
        var inputFailure: ImageError?
        while !strips.isComplete, inputFailure == nil {
            try lookAround(strips)
            do throws(ImageError) {
                try rows.decode(into: strips)
            } catch  where Self.isOfInput(error) && queue.failure == nil {
                inputFailure = error
            }
        }
        if inputFailure == nil {
            do throws(ImageError) {
                try rows.finish()
            } catch {
                inputFailure = error
            }
        }
        if let inputFailure {
            guard builder.keepsPartial else { throw inputFailure }
            try strips.finishPartially(blank: layout.blank(rows.alpha, background: maker.sink.encoding.background))
        }
        return inputFailure
    }

    private static func isOfInput(_ error: ImageError) -> Bool {
        [.truncated, .corrupt, .inputOutput].contains(error.code)
    }

    /// Encodes tiles while too many wait for the other threads.
    private func encodeWhileAhead() throws(ImageError) {
        while queue.waitingByteCount > waitingLimit, let job = queue.nextJob() {
            try telling { () throws(ImageError) in try maker.make(job, by: encoder, queue) }
        }
        if let failure = queue.failure { throw failure }
    }

    /// Calls `body`, whose errors don't stem from the input, and records its failure in the queue.
    private func telling(_ body: () throws(ImageError) -> Void) throws(ImageError) {
        do throws(ImageError) {
            try body()
        } catch {
            queue.fail(error)
            throw error
        }
    }

    private func lookAround(_ strips: LevelStrips) throws(ImageError) {
        if let failure = queue.failure { throw failure }
        guard !Task.isCancelled else { throw ImageError(.cancelled, "the pyramid was cancelled") }
        report(strips)
        try Interruption.check()
    }

    private func report(_ strips: LevelStrips) {
        progress?(
            PyramidProgress(
                rowCount: strips.rowCount, totalRowCount: strips.plan.storedSize(0).height,
                tileCount: queue.doneCount, totalTileCount: maker.sink.geometry.tileCount))
    }
}
