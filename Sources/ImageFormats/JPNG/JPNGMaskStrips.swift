internal import Dispatch
internal import Raster
internal import Synchronization

/// Decodes a mask a few strips ahead on another thread, while the calling thread decodes the colours.
///
/// Strips are immutable bitmaps, so no memory is shared while it is written. If the other thread hasn't started when
/// the first row is requested, the calling thread decodes the mask: it never waits for a thread that may not come.
final class JPNGMaskStrips: RowSource {
    let info: BitmapInfo
    private let queue: Queue
    /// The source, if the calling thread took it over.
    private var own: (any RowSource)?
    private var isFirst = true
    private var current: Bitmap?
    private var used = 0

    /// The number of strips decoded ahead: enough to even out slow and fast rows.
    private static let ahead = 8

    /// A source passed between threads. Unchecked because it is either in the queue or with the one thread that took it
    /// out, never both.
    private struct Transferred: @unchecked Sendable {
        let source: any RowSource
    }

    /// The state shared by both threads.
    private final class Queue: Sendable {
        struct State {
            var source: Transferred?
            var strips: [Bitmap] = []
            var failure: ImageError?
            var isAbandoned = false
        }
        let state: Mutex<State>
        /// Counts the strips that are ready, and the end.
        let ready = DispatchSemaphore(value: 0)
        /// Counts the free places for strips.
        let room = DispatchSemaphore(value: JPNGMaskStrips.ahead)

        init(_ source: Transferred) { state = Mutex(State(source: source)) }

        func takeSource() -> (any RowSource)? {
            state.withLock { state in
                defer { state.source = nil }
                return state.source
            }?.source
        }
    }

    /// Starts to read `source`, which no one else may use from then on.
    init(_ source: any RowSource) {
        info = source.info
        queue = Queue(Transferred(source: source))
        DispatchQueue.global(qos: .userInitiated).async { [queue] in
            guard let source = queue.takeSource() else { return }
            Self.produce(source, into: queue)
        }
    }

    deinit {
        queue.state.withLock {
            $0.isAbandoned = true
            $0.source = nil
        }
        // Wakes a producer that waits for room; a semaphore's value must not be below its initial value at the end.
        for _ in 0...Self.ahead { queue.room.signal() }
    }

    private static func produce(_ source: any RowSource, into queue: Queue) {
        let shape = source.info.strip(byteCount: 1 << 17)
        var left = source.info.size.height
        do throws(ImageError) {
            while left > 0 {
                queue.room.wait()
                if queue.state.withLock({ $0.isAbandoned }) { return }
                var info = shape
                info.size.height = min(left, shape.size.height)
                let strip = try readStrip(from: source, info)
                left -= strip.height
                queue.state.withLock { $0.strips.append(strip) }
                queue.ready.signal()
            }
            try Self.readEnd(of: source)
        } catch {
            queue.state.withLock { $0.failure = error }
        }
        queue.ready.signal()
    }

    /// Throws the error that a source reports after its last row.
    private static func readEnd(of source: any RowSource) throws(ImageError) {
        var info = source.info
        info.size.height = 1
        var row = try MutableBitmap(uninitialized: info)
        var rows = row.mutableRows
        guard try source.read(into: &rows) == 0 else { throw ImageError(.corrupt, "the mask has too many rows") }
    }

    /// Reads the rows that one call to the source returns.
    private static func readStrip(from source: any RowSource, _ info: BitmapInfo) throws(ImageError) -> Bitmap {
        var strip = try MutableBitmap(uninitialized: info)
        let count = try strip.withMutableRows(0..<info.size.height) { (rows) throws(ImageError) in
            try source.read(into: &rows)
        }
        guard count > 0 else { throw ImageError(.truncated, "the mask has too few rows") }
        return try strip.freeze().cropped(to: PixelRect(x: 0, y: 0, width: info.size.width, height: count))
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        if isFirst {
            isFirst = false
            own = queue.takeSource()
        }
        if let own { return try own.read(into: &rows) }
        if current == nil {
            guard let strip = try nextStrip() else { return 0 }
            (current, used) = (strip, 0)
        }
        let strip = current!
        let count = min(rows.count, strip.height - used)
        rows.copy(strip.rows.extracting(used..<(used + count)))
        used += count
        if used == strip.height { current = nil }
        return count
    }

    private func nextStrip() throws(ImageError) -> Bitmap? {
        queue.ready.wait()
        let (strip, failure) = queue.state.withLock { state in
            state.strips.isEmpty ? (nil, state.failure) : (state.strips.removeFirst(), nil)
        }
        guard let strip else {
            // The end is signalled once and may be reached again.
            queue.ready.signal()
            if let failure { throw failure }
            return nil
        }
        queue.room.signal()
        return strip
    }
}

/// A reusable buffer for a few rows of an image.
final class PixelStrip {
    private var bitmap: MutableBitmap
    private let height: Int
    private var filled = 0

    /// Creates a buffer for `height` rows of an image with `info`, at most the image's height.
    init(_ info: BitmapInfo, height: Int) throws(ImageError) {
        var info = info
        info.size.height = min(info.size.height, height)
        self.height = info.size.height
        bitmap = try MutableBitmap(uninitialized: info)
    }

    /// Calls `body` with room for at most `count` rows; `body` returns the number that it filled.
    func fill(
        _ count: Int, _ body: (inout MutablePixelRows) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        filled = try bitmap.withMutableRows(0..<min(count, height), body)
        return filled
    }

    /// Calls `body` with the rows filled last.
    func withRows(_ body: (borrowing PixelRows) -> Void) {
        bitmap.withMutableRows(0..<filled) { body($0.readOnly) }
    }
}
