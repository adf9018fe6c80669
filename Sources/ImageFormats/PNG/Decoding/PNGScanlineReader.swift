internal import CTesseraKernels
internal import Dispatch
internal import Raster

/// Inflates stored rows and undoes their filters, a strip at a time; on two threads where there are many.
final class PNGScanlineReader {
    /// Why no more rows were read.
    enum Stop: Equatable {
        /// There are as many as were asked for.
        case enough
        /// The bytes so far hold no further row.
        case needsInput
        /// What comes next is no row.
        case failed(ImageError)
    }

    /// Rows with their filters undone: where the first one's pixels begin, how many there are, how far apart they are.
    struct Rows {
        let base: UnsafePointer<UInt8>
        let count: Int
        let stride: Int
    }

    private static let stripByteCount = 1 << 18
    /// So many strips are between the threads.
    private static let stripCount = 4

    private let inflater = PNGInflater()
    private let filterDistance: UInt32
    private let stripCapacity: Int
    /// The first one is in use whenever rows are read; the others when two threads read them.
    private var strips: [PNGStrip]
    private var rowByteCount = 0
    private var rowsPerStrip = 1
    /// The last row of the strip before, where there is one.
    private let prior: UnsafeMutablePointer<UInt8>
    private var hasPrior = false
    /// What ended the rows for good.
    private var failure: Stop?
    /// How many bytes were inflated behind the last row.
    private var surplus = 0

    /// A reader of rows of at most `rowByteCount` bytes.
    init(rowByteCount: Int, filterDistance: Int) {
        self.filterDistance = UInt32(filterDistance)
        stripCapacity = max(Self.stripByteCount, rowByteCount + 1)
        strips = [PNGStrip(capacity: stripCapacity)]
        // Vector loads may read behind the last pixel.
        prior = .allocate(capacity: rowByteCount + 16)
        prior.initialize(repeating: 0, count: rowByteCount + 16)
        begin(rowByteCount: rowByteCount)
    }

    deinit {
        prior.deallocate()
    }

    /// Begins a picture, or a pass, whose rows are this long.
    func begin(rowByteCount: Int) {
        self.rowByteCount = rowByteCount
        hasPrior = false
        let fitting = max(1, stripCapacity / (rowByteCount + 1))
        // Four rows at a time is what the filters are quickest at.
        rowsPerStrip = fitting >= 8 ? fitting & ~3 : fitting
    }

    /// Reads up to `wanted` rows and hands them to `body`, in order, some at a time.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the queue holds all that will come.
    ///   - body: May be called on another thread, but never twice at once nor after the return.
    /// - Returns: How many rows there were, and why there are no more.
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

    /// One thread inflates, the other undoes filters and hands on: neither can be divided, and they take about as long.
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
        // Moved, not copied: the pieces must have one owner to be dropped in place.
        var waiting = PNGByteQueue()
        swap(&waiting, &queue)
        // The closures share no variable: what one writes, the other never touches. Strips change hands under the
        // handoff's lock. So both can go to another thread.
        nonisolated(unsafe) let fill = { (index: Int) -> Bool in
            // A strip that is handed back is free to be overwritten; the first holds the beginning of a row perhaps.
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
            // The next call goes on with the first strip.
            strips[0].base.update(from: strips[last].base, count: strips[last].count)
            strips[0].count = strips[last].count
        }
        return (done, stop)
    }

    private static let unknownFilter = Stop.failed(
        ImageError(.corrupt, "a row of the PNG picture has an unknown filter"))

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
                return .failed(ImageError(.truncated, "the PNG picture's data ends before its last row"))
            case .corrupt:
                guard strip.count < wanted else { return .enough }
                return .failed(ImageError(.corrupt, "the PNG picture's data can't be inflated"))
            }
        }
        return .enough
    }

    /// Inflates from the queue's next bytes, or from what the inflater has kept of the last ones.
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

    /// Undoes the filters of a strip's first rows, hands those on that have one, and keeps the last for the next strip.
    private func unfilter(_ strip: PNGStrip, _ whole: Int, _ body: (Rows) -> Void) -> Int {
        let stride = rowByteCount + 1
        let undone = tessera_png_unfilter(strip.base, whole, rowByteCount, filterDistance, hasPrior ? prior : nil)
        guard undone > 0 else { return 0 }
        body(Rows(base: strip.base + 1, count: undone, stride: stride))
        prior.update(from: strip.base + (undone - 1) * stride + 1, count: rowByteCount)
        hasPrior = true
        return undone
    }

    /// Moves what there is of the next row to the strip's beginning.
    private func keepRest(of strip: PNGStrip, behind whole: Int) {
        let used = whole * (rowByteCount + 1)
        let rest = strip.count - used
        // The rest may overlap where it goes.
        if rest > 0, used > 0 { strip.base.update(from: strip.base + used, count: rest) }
        strip.count = rest
    }

    /// Reads on behind the last row, up to the stream's check value.
    /// - Returns: `.enough` when the stream ended as it should.
    func readEnd(_ queue: inout PNGByteQueue, isComplete: Bool) -> Stop {
        let strip = strips[0]
        // Data beyond the picture is of no use and does no harm; a little is read to find the check value.
        while surplus < strip.capacity {
            let room = UnsafeMutableBufferPointer(start: strip.base, count: strip.capacity)
            let (made, status) = inflate(&queue, isComplete: isComplete, into: room)
            surplus += made
            switch status {
            case .outputFull: continue
            case .needsInput: if queue.count == 0 { return .needsInput }
            case .end: return .enough
            case .wrongChecksum:
                return .failed(ImageError(.corrupt, "the check value of the PNG picture's data is wrong"))
            case .corrupt:
                return .failed(ImageError(.corrupt, "the PNG picture's data can't be inflated to its end"))
            }
        }
        return .enough
    }
}
