internal import CTessera
internal import ImageFormats
internal import Raster

/// The caller's progress callback. Used by the thread that the caller called on.
struct ProgressCallback {
    private let function: tessera_progress?
    private let context: UnsafeMutableRawPointer?
    private let interruption: Interruption

    private init(_ function: tessera_progress?, _ context: UnsafeMutableRawPointer?, _ interruption: Interruption) {
        self.function = function
        self.context = context
        self.interruption = interruption
    }

    /// Runs `body`, in which a callback can end coding.
    static func following<R>(
        _ function: tessera_progress?, _ context: UnsafeMutableRawPointer?,
        _ body: (ProgressCallback?) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        guard function != nil else { return try body(nil) }
        return try Interruption.interruptible { (interruption) throws(ImageError) in
            let progress = ProgressCallback(function, context, interruption)
            try progress.report(0)
            let result = try body(progress)
            // There is nothing left to cancel.
            try? progress.report(1)
            return result
        }
    }

    /// Calls the callback.
    /// - Throws: `cancelled` if it asks for that.
    func report(_ fraction: Double) throws(ImageError) {
        if LibraryCall.callback({ function?(context, fraction) ?? 0 }) != 0 { interruption.request() }
        try Interruption.check()
    }

    /// Reports progress to `callback` while the rows of `source` are read.
    static func observe(_ source: any RowSource, _ callback: ProgressCallback?) -> any RowSource {
        guard let callback else { return source }
        return ObservedRowSource(source, callback)
    }

    private final class ObservedRowSource: RowSource {
        private let source: any RowSource
        private let callback: ProgressCallback
        private var done = 0
        private var reported = 0

        init(_ source: any RowSource, _ callback: ProgressCallback) {
            self.source = source
            self.callback = callback
        }

        var info: BitmapInfo { source.info }
        var coverage: PixelRegion { source.coverage }

        func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
            // At most a hundred calls for an image.
            let step = max(1, info.size.height / 100)
            if done - reported >= step {
                reported = done
                try callback.report(Double(done) / Double(info.size.height))
            }
            var part = rows.extracting(0..<min(rows.count, max(16, step)))
            let count = try source.read(into: &part)
            done += count
            return count
        }
    }
}
