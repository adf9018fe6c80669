internal import CTesseraKernels
internal import CTesseraLibDeflate
internal import Raster

/// Unpacks a zlib stream (RFC 1950) piece by piece.
package final class PNGInflater {
    /// How a call ended.
    package enum Status {
        /// The room for output is full.
        case outputFull
        /// The input is used up.
        case needsInput
        /// The stream is complete and its check value right.
        case end
        /// The stream is complete; its check value is wrong.
        case wrongChecksum
        /// What comes next is no zlib stream.
        case corrupt
    }

    private enum Part {
        case header
        case data
        case trailer
        case done(Status)
    }

    /// How far back a match reaches.
    private static let historyByteCount = 1 << 15
    /// The history and what is unpacked behind it, before the next move.
    private static let windowByteCount = historyByteCount + (1 << 17)
    /// Room for what is left of the pieces of input: at most a block's header, and enough behind it to go on.
    private static let carryByteCount = 4 * Int(TESSERA_INFLATE_HEADER_BYTES)

    // The tables are large and the kernel changes them in place, so they live at one address.
    private let state: UnsafeMutablePointer<tessera_inflate>
    private let window: UnsafeMutablePointer<UInt8>
    /// Where the next byte is unpacked to, and up to where the output has been handed out.
    private var filled = 0
    private var delivered = 0
    /// Input from earlier calls that was too little to go on with.
    private let carry: UnsafeMutablePointer<UInt8>
    private var carryCount = 0
    private var part = Part.header
    private var checksum: UInt32 = 1

    package init() {
        state = .allocate(capacity: 1)
        tessera_inflate_begin(state)
        window = .allocate(capacity: Self.windowByteCount)
        carry = .allocate(capacity: Self.carryByteCount)
    }

    deinit {
        state.deallocate()
        window.deallocate()
        carry.deallocate()
    }

    /// Unpacks from `input` to `output` as far as both reach.
    ///
    /// - Parameter isFinal: Whether no input follows, so that nothing is gained by waiting for more.
    /// - Returns: How many bytes were used and made, and why there are no more. All input is used when more is needed.
    package func inflate(
        _ input: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>, isFinal: Bool
    ) -> (used: Int, made: Int, status: Status) {
        var used = 0
        var made = 0
        while true {
            made += deliver(UnsafeMutableBufferPointer(rebasing: output[made...]))
            if case .done(let status) = part, delivered == filled { return (used, made, status) }
            if made == output.count { return (used, made, .outputFull) }
            let rest = UnsafeBufferPointer(rebasing: input[used...])
            if carryCount == 0 {
                let (taken, waits) = advance(rest, isFinal: isFinal)
                used += taken
                guard waits else { continue }
                // The kernel leaves no more than a block's header; anything longer it goes on with.
                carryCount = input.count - used
                if carryCount > 0 { carry.update(from: rest.baseAddress! + taken, count: carryCount) }
                used = input.count
                if delivered == filled { return (used, made, .needsInput) }
            } else {
                // Enough of the new input to get over the seam.
                let added = min(rest.count, Self.carryByteCount - carryCount)
                if added > 0 { (carry + carryCount).update(from: rest.baseAddress!, count: added) }
                let total = carryCount + added
                let isEnd = isFinal && added == rest.count
                let (taken, waits) = advance(UnsafeBufferPointer(start: carry, count: total), isFinal: isEnd)
                if taken >= carryCount {
                    used += taken - carryCount
                    carryCount = 0
                    continue
                }
                carryCount -= taken
                if taken > 0 { carry.update(from: carry + taken, count: carryCount + added) }
                if waits {
                    // Without progress the new input must have been short, or there would have been enough.
                    carryCount += added
                    used += added
                    if delivered == filled { return (used, made, .needsInput) }
                }
            }
        }
    }

    /// Hands out what has been unpacked, as much as fits.
    private func deliver(_ output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(output.count, filled - delivered)
        guard count > 0, let target = output.baseAddress else { return 0 }
        target.update(from: window + delivered, count: count)
        delivered += count
        return count
    }

    /// Goes on with the stream.
    /// - Returns: How many bytes were used, and whether it takes more to go on.
    private func advance(_ input: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> (taken: Int, waits: Bool) {
        switch part {
        case .header:
            guard input.count >= 2 else { return (0, true) }
            let (method, flags) = (Int(input[0]), Int(input[1]))
            // Deflate, a window of at most 32 KB, a multiple of 31, no dictionary.
            let isRight = method & 15 == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0 && flags & 32 == 0
            part = isRight ? .data : .done(.corrupt)
            return (2, false)
        case .data: return advanceData(input, isFinal: isFinal)
        case .trailer:
            guard input.count >= 4 else { return (0, true) }
            let stored = input[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
            part = .done(stored == checksum ? .end : .wrongChecksum)
            return (4, false)
        case .done: return (0, false)
        }
    }

    private func advanceData(_ input: UnsafeBufferPointer<UInt8>, isFinal: Bool) -> (taken: Int, waits: Bool) {
        if filled == Self.windowByteCount {
            // All of it has been handed out: only the history is still needed.
            window.update(from: window + filled - Self.historyByteCount, count: Self.historyByteCount)
            filled = Self.historyByteCount
            delivered = filled
        }
        var next: UnsafePointer<UInt8>? = input.baseAddress
        let end = input.baseAddress.map { $0 + input.count }
        var target: UnsafeMutablePointer<UInt8>? = window + filled
        let result = tessera_inflate_run(
            state, &next, end, window, &target, window + Self.windowByteCount, isFinal ? 1 : 0)
        let taken = input.baseAddress.flatMap { base in next.map { $0 - base } } ?? 0
        let made = target.map { $0 - (window + filled) } ?? 0
        checksum = libdeflate_adler32(checksum, window + filled, made)
        filled += made
        switch Int(result) {
        case TESSERA_INFLATE_END: part = .trailer
        case TESSERA_INFLATE_CORRUPT: part = .done(.corrupt)
        case TESSERA_INFLATE_NEEDS_INPUT: return (taken, true)
        default: break
        }
        return (taken, false)
    }

    /// Unpacks a small stream that is all there; nil when it is wrong or unpacks to more than `limit` bytes.
    static func unpack(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        let inflater = PNGInflater()
        var unpacked: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 15)
        return bytes.withUnsafeBufferPointer { input -> [UInt8]? in
            var rest = input
            while true {
                let (used, made, status) = piece.withUnsafeMutableBufferPointer {
                    inflater.inflate(rest, into: $0, isFinal: true)
                }
                rest = UnsafeBufferPointer(rebasing: rest[used...])
                guard made <= limit - unpacked.count else { return nil }
                unpacked.append(contentsOf: piece[..<made])
                switch status {
                case .end: return unpacked
                case .outputFull: continue
                default: return nil
                }
            }
        }
    }
}

/// Bytes that wait for the inflater, in pieces that are dropped as they are used up.
struct PNGByteQueue {
    private static let pieceByteCount = 1 << 18

    private var pieces: [[UInt8]] = []
    /// The first piece that still has bytes.
    private var first = 0
    /// How many bytes of that piece have been taken.
    private var taken = 0
    /// How many bytes there are.
    private(set) var count = 0

    /// Takes bytes in.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        // Chunks are often small; pieces that are filled up spare an allocation each.
        if let last = pieces.indices.last, last >= first, pieces[last].count + bytes.count <= Self.pieceByteCount {
            pieces[last].append(contentsOf: bytes)
            return
        }
        var piece: [UInt8] = []
        piece.reserveCapacity(max(bytes.count, Self.pieceByteCount))
        piece.append(contentsOf: bytes)
        pieces.append(piece)
    }

    /// Lends the bytes that come next, says whether they are the last so far, and drops as many as `body` says it used.
    mutating func withNext<R>(_ body: (UnsafeBufferPointer<UInt8>, Bool) -> (used: Int, result: R)) -> R? {
        guard first < pieces.count else { return nil }
        let isLast = first == pieces.count - 1
        let (used, result) = pieces[first].withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[taken...]), isLast)
        }
        taken += used
        count -= used
        if taken == pieces[first].count {
            // What follows may still be appended to a piece in use, but not to an empty one.
            pieces[first] = []
            first += 1
            taken = 0
            if first == pieces.count || first >= 64 {
                pieces.removeFirst(first)
                first = 0
            }
        }
        return result
    }
}
