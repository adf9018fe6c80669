internal import CTesseraKernels
internal import Dispatch
internal import Raster

/// Inflates stored rows and reverses their filters, a strip at a time; uses two threads for many rows.
final class PNGScanlineReader {
    /// Why a call read no more rows.
    enum Stop: Equatable {
        /// The requested number of rows was read.
        case enough
        /// The available bytes hold no further row.
        case needsInput
        /// The next row is damaged or missing.
        case failed(ImageError)
    }

    /// Unfiltered rows: the address of the first one's pixels, the number of rows, and their stride in bytes.
    struct Rows {
        let base: UnsafePointer<UInt8>
        let count: Int
        let stride: Int
    }

    private static let stripByteCount = 1 << 18
    /// The number of strips shared by the two threads.
    private static let stripCount = 4

    private let inflater = PNGInflater()
    private let filterDistance: UInt32
    private let stripCapacity: Int
    /// Strips of rows. The first is used for every read, the others only with two threads.
    private var strips: [PNGStrip]
    private var rowByteCount = 0
    private var rowsPerStrip = 1
    /// The last row of the previous strip, if any.
    private let prior: UnsafeMutablePointer<UInt8>
    private var hasPrior = false
    /// The failure that ended reading.
    private var failure: Stop?
    /// The number of bytes inflated after the last row.
    private var surplus = 0

    /// Creates a reader for rows of at most `rowByteCount` bytes.
    init(rowByteCount: Int, filterDistance: Int) {
        self.filterDistance = UInt32(filterDistance)
        stripCapacity = max(Self.stripByteCount, rowByteCount + 1)
        strips = [PNGStrip(capacity: stripCapacity)]
        // Vector loads may read past the last pixel.
        prior = .allocate(capacity: rowByteCount + 16)
        prior.initialize(repeating: 0, count: rowByteCount + 16)
        begin(rowByteCount: rowByteCount)
    }

    deinit {
        prior.deallocate()
    }

    /// Begins an image, or an interlacing pass, with rows of this length.
    func begin(rowByteCount: Int) {
        self.rowByteCount = rowByteCount
        hasPrior = false
        let fitting = max(1, stripCapacity / (rowByteCount + 1))
        // The filters are fastest with four rows at a time.
        rowsPerStrip = fitting >= 8 ? fitting & ~3 : fitting
    }

    /// Reads up to `wanted` rows and passes them to `body`, in order, some at a time.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the queue holds all remaining data.
    ///   - body: May be called on another thread, but never concurrently nor after the return.
    /// - Returns: The number of rows read, and why reading ended.
    func read(
        _ queue: inout PNGByteQueue, isComplete: Bool, upTo wanted: Int, _ body: (Rows) -> Void
    ) -> (count: Int, stop: Stop) {
        if let failure { return (0, failure) }
        let isLarge = wanted >= 4 * rowsPerStrip && queue.count >= 1 << 16
        let result =
            isLarge && ImageExecutor.processorCount > 1
            ? withoutActuallyEscaping(body) {
                readOnTwoThreads(&queue, isComplete: isComplete, upTo: wanted, $0)
            }
            : readOnOneThread(&queue, isComplete: isComplete, upTo: wanted, body)
        if case .failed = result.stop { failure = result.stop }
        return result
    }

    private func readOnOneThread(
        _ queue: inout PNGByteQueue, isComplete: Bool, upTo wanted: Int, _ body: (Rows) -> Void
    ) -> (count: Int, stop: Stop) {
        var done = 0
        while done < wanted {
            let strip = strips[0]
            let stop = inflate(&queue, isComplete: isComplete, into: strip, rows: min(wanted - done, rowsPerStrip))
            let whole = strip.count / (rowByteCount + 1)
            let undone = unfilter(strip, whole, body)
            done += undone
            guard undone == whole else { return (done, Self.unknownFilter) }
            keepRest(of: strip, behind: whole)
            if stop != .enough { return (done, stop) }
        }
        return (done, .enough)
    }

    /// Inflates on one thread and reverses filters on the other: neither can be divided, and they take about as long.
    private func readOnTwoThreads(
        _ queue: inout PNGByteQueue, isComplete: Bool, upTo wanted: Int, _ body: @escaping (Rows) -> Void
    ) -> (count: Int, stop: Stop) {
        while strips.count < Self.stripCount { strips.append(PNGStrip(capacity: stripCapacity)) }
        let strips = strips
        let handoff = PNGStripHandoff(stripCount: Self.stripCount)
        var asked = 0
        var stop = Stop.enough
        var last = 0
        var done = 0
        var isWrong = false
        // Swapped, not copied: the pieces must have one owner to be dropped in place.
        var waiting = PNGByteQueue()
        swap(&waiting, &queue)
        // The closures share no variables: each writes only its own. Strips change hands under the handoff's lock. So
        // both closures can run on another thread.
        nonisolated(unsafe) let fill = { (index: Int) -> Bool in
            // A returned strip may be overwritten; the first may hold the beginning of a row.
            if asked > 0 { strips[index].count = 0 }
            let rows = min(wanted - asked, self.rowsPerStrip)
            stop = self.inflate(&waiting, isComplete: isComplete, into: strips[index], rows: rows)
            asked += rows
            last = index
            return stop == .enough && asked < wanted
        }
        nonisolated(unsafe) let empty = { (index: Int) in
            let whole = strips[index].count / (self.rowByteCount + 1)
            guard !isWrong else { return }
            let undone = self.unfilter(strips[index], whole, body)
            done += undone
            if undone < whole { isWrong = true }
        }
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            if thread == 0 { handoff.fillAll(fill, empty: empty) } else { handoff.emptyAll(empty) }
        }
        swap(&waiting, &queue)
        if isWrong { return (done, Self.unknownFilter) }
        keepRest(of: strips[last], behind: strips[last].count / (rowByteCount + 1))
        if last != 0 {
            // The next call continues with the first strip.
            strips[0].base.update(from: strips[last].base, count: strips[last].count)
            strips[0].count = strips[last].count
        }
        return (done, stop)
    }

    private static let unknownFilter = Stop.failed(
        ImageError(.corrupt, "a row of the PNG image has an unknown filter"))

    private func inflate(_ queue: inout PNGByteQueue, isComplete: Bool, into strip: PNGStrip, rows: Int) -> Stop {
        let wanted = rows * (rowByteCount + 1)
        while strip.count < wanted {
            let room = UnsafeMutableBufferPointer(start: strip.base + strip.count, count: wanted - strip.count)
            let (made, status) = inflate(&queue, isComplete: isComplete, into: room)
            strip.count += made
            switch status {
            case .outputFull: continue
            case .needsInput: if queue.count == 0 { return strip.count < wanted ? .needsInput : .enough }
            case .end, .wrongChecksum:
                guard strip.count < wanted else { return .enough }
                return .failed(ImageError(.truncated, "the PNG image's data ends before its last row"))
            case .corrupt:
                guard strip.count < wanted else { return .enough }
                return .failed(ImageError(.corrupt, "the PNG image's data can't be inflated"))
            }
        }
        return .enough
    }

    /// Inflates the queue's next bytes, or input that the inflater has kept.
    private func inflate(
        _ queue: inout PNGByteQueue, isComplete: Bool, into room: UnsafeMutableBufferPointer<UInt8>
    ) -> (made: Int, status: PNGInflater.Status) {
        let result = queue.withNext { input, isLast in
            let result = inflater.inflate(input, into: room, isFinal: isComplete && isLast)
            return (result.used, result)
        }
        let (_, made, status) =
            result ?? inflater.inflate(UnsafeBufferPointer(start: nil, count: 0), into: room, isFinal: isComplete)
        return (made, status)
    }

    /// Reverses the filters of a strip's complete rows, passes on those with a valid filter, and keeps the last row for
    /// the next strip.
    private func unfilter(_ strip: PNGStrip, _ whole: Int, _ body: (Rows) -> Void) -> Int {
        let stride = rowByteCount + 1
        let undone = tessera_png_unfilter(strip.base, whole, rowByteCount, filterDistance, hasPrior ? prior : nil)
        guard undone > 0 else { return 0 }
        body(Rows(base: strip.base + 1, count: undone, stride: stride))
        prior.update(from: strip.base + (undone - 1) * stride + 1, count: rowByteCount)
        hasPrior = true
        return undone
    }

    /// Moves the beginning of an incomplete row to the strip's beginning.
    private func keepRest(of strip: PNGStrip, behind whole: Int) {
        let used = whole * (rowByteCount + 1)
        let rest = strip.count - used
        // Source and target may overlap.
        if rest > 0, used > 0 { strip.base.update(from: strip.base + used, count: rest) }
        strip.count = rest
    }

    /// Reads past the last row, up to the stream's checksum.
    /// - Returns: `.enough` if the checksum is correct, or after more than a strip of surplus data.
    func readEnd(_ queue: inout PNGByteQueue, isComplete: Bool) -> Stop {
        let strip = strips[0]
        // Data beyond the image is ignored; a limited amount is read to find the checksum.
        while surplus < strip.capacity {
            let room = UnsafeMutableBufferPointer(start: strip.base, count: strip.capacity)
            let (made, status) = inflate(&queue, isComplete: isComplete, into: room)
            surplus += made
            switch status {
            case .outputFull: continue
            case .needsInput: if queue.count == 0 { return .needsInput }
            case .end: return .enough
            case .wrongChecksum:
                return .failed(ImageError(.corrupt, "the check value of the PNG image's data is wrong"))
            case .corrupt:
                return .failed(ImageError(.corrupt, "the PNG image's data can't be inflated to its end"))
            }
        }
        return .enough
    }
}
