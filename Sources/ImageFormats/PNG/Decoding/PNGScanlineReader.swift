internal import CTesseraKernels
internal import Raster

/// Inflates stored rows and undoes their filters, a strip at a time.
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

    private let inflater: PNGInflater
    private let filterDistance: UInt32
    private let strip: PNGStrip
    private var rowByteCount = 0
    private var rowsPerStrip = 1
    /// The last row of the strip before; nil above the first row.
    private let prior: UnsafeMutablePointer<UInt8>
    private var hasPrior = false
    /// What ended the rows for good.
    private var failure: Stop?
    /// How many bytes were inflated behind the last row.
    private var surplus = 0

    /// A reader of rows of at most `rowByteCount` bytes.
    init(rowByteCount: Int, filterDistance: Int) throws(ImageError) {
        inflater = try PNGInflater()
        self.filterDistance = UInt32(filterDistance)
        strip = try PNGStrip(capacity: max(Self.stripByteCount, rowByteCount + 1))
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
        let fitting = max(1, strip.capacity / (rowByteCount + 1))
        // Four rows at a time is what the filters are quickest at.
        rowsPerStrip = fitting >= 8 ? fitting & ~3 : fitting
    }

    /// Reads up to `wanted` rows and hands them to `body`, in order, some at a time.
    /// - Returns: How many rows there were, and why there are no more.
    func read(_ queue: inout PNGByteQueue, upTo wanted: Int, _ body: (Rows) -> Void) -> (count: Int, stop: Stop) {
        if let failure { return (0, failure) }
        var done = 0
        while done < wanted {
            let stop = inflate(&queue, rows: min(wanted - done, rowsPerStrip))
            let whole = strip.count / (rowByteCount + 1)
            let undone = unfilter(whole)
            if undone > 0 {
                body(Rows(base: strip.base + 1, count: undone, stride: rowByteCount + 1))
                done += undone
            }
            guard undone == whole else {
                let stop = Stop.failed(ImageError(.corrupt, "a row of the PNG picture has an unknown filter"))
                failure = stop
                return (done, stop)
            }
            keepRest(whole)
            if case .failed = stop { failure = stop }
            if stop != .enough { return (done, stop) }
        }
        return (done, .enough)
    }

    private func inflate(_ queue: inout PNGByteQueue, rows: Int) -> Stop {
        let wanted = rows * (rowByteCount + 1)
        while strip.count < wanted {
            let room = UnsafeMutableBufferPointer(start: strip.base + strip.count, count: wanted - strip.count)
            let result = queue.withNext { input in
                let result = inflater.inflate(input, into: room)
                return (result.used, result)
            }
            guard let result else { return .needsInput }
            strip.count += result.made
            switch result.status {
            case .outputFull, .needsInput: continue
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

    private func unfilter(_ count: Int) -> Int {
        tessera_png_unfilter(strip.base, count, rowByteCount, filterDistance, hasPrior ? prior : nil)
    }

    /// Keeps the last whole row as the next one's prior, and what there is of the next one.
    private func keepRest(_ whole: Int) {
        guard whole > 0 else { return }
        let stride = rowByteCount + 1
        prior.update(from: strip.base + (whole - 1) * stride + 1, count: rowByteCount)
        hasPrior = true
        let rest = strip.count - whole * stride
        // The rest may overlap where it goes.
        if rest > 0 { strip.base.update(from: strip.base + whole * stride, count: rest) }
        strip.count = rest
    }

    /// Reads on behind the last row, up to the stream's check value.
    /// - Returns: `.enough` when the stream ended as it should.
    func readEnd(_ queue: inout PNGByteQueue) -> Stop {
        // Data beyond the picture is of no use and does no harm; a little is read to find the check value.
        while surplus < strip.capacity {
            let room = UnsafeMutableBufferPointer(start: strip.base, count: strip.capacity)
            // The inflater may have taken all input in already, and only need to be asked.
            let result =
                queue.withNext { input in
                    let result = inflater.inflate(input, into: room)
                    return (result.used, result)
                } ?? inflater.inflate(UnsafeBufferPointer(start: nil, count: 0), into: room)
            surplus += result.made
            switch result.status {
            case .outputFull: continue
            case .needsInput:
                if queue.count == 0 { return .needsInput }
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
