internal import CTesseraKernels
internal import CTesseraLibDeflate
internal import Raster

/// Decompresses a zlib stream (RFC 1950) piece by piece.
package final class PNGInflater {
    /// How a call ended.
    package enum Status {
        /// The output buffer is full.
        case outputFull
        /// The input is used up.
        case needsInput
        /// The stream is complete and its checksum correct.
        case end
        /// The stream is complete and its checksum wrong.
        case wrongChecksum
        /// The next bytes aren't a valid zlib stream.
        case corrupt
    }

    private enum Part {
        case header
        case data
        case trailer
        case done(Status)
    }

    /// The greatest distance of a match.
    private static let historyByteCount = 1 << 15
    /// The size of the history and the data decompressed after it, before the history is moved.
    private static let windowByteCount = historyByteCount + (1 << 17)
    /// The size of the buffer for leftover input: at most a block header, and enough data after it to continue.
    private static let carryByteCount = 4 * Int(TESSERA_INFLATE_HEADER_BYTES)

    // The tables are large and the kernel changes them in place, so they need a stable address.
    private let state: UnsafeMutablePointer<tessera_inflate>
    private let window: UnsafeMutablePointer<UInt8>
    /// The offsets in the window where decompressed data ends, and up to which it has been delivered.
    private var filled = 0
    private var delivered = 0
    /// Input from earlier calls that was too short to process.
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

    /// Decompresses `input` into `output` until one of them is used up.
    ///
    /// - Parameter isFinal: Whether no input follows.
    /// - Returns: The number of bytes read and written, and why the call ended. With `needsInput`, all input was read.
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
                // The kernel leaves at most a block header; it processes anything longer.
                carryCount = input.count - used
                if carryCount > 0 { carry.update(from: rest.baseAddress! + taken, count: carryCount) }
                used = input.count
                if delivered == filled { return (used, made, .needsInput) }
            } else {
                // Enough of the new input to get past the end of the carry.
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
                    // Without progress the new input must be short, or it would have been enough.
                    carryCount += added
                    used += added
                    if delivered == filled { return (used, made, .needsInput) }
                }
            }
        }
    }

    /// Copies as much decompressed data to `output` as fits.
    private func deliver(_ output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(output.count, filled - delivered)
        guard count > 0, let target = output.baseAddress else { return 0 }
        target.update(from: window + delivered, count: count)
        delivered += count
        return count
    }

    /// Processes the next part of the stream.
    /// - Returns: The number of bytes read, and whether more input is needed.
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
            // Everything has been delivered: only the history is still needed.
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

    /// Decompresses a complete stream; returns nil if it is damaged or longer than `limit` bytes when decompressed.
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

/// A queue of input for the inflater, in pieces that are freed as they are used up.
struct PNGByteQueue {
    private static let pieceByteCount = 1 << 18

    private var pieces: [[UInt8]] = []
    /// The index of the first piece that has bytes left.
    private var first = 0
    /// The number of bytes removed from that piece.
    private var taken = 0
    /// The number of bytes in the queue.
    private(set) var count = 0

    /// Appends a copy of the bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        // Chunks are often small; filling pieces up saves an allocation for each.
        if let last = pieces.indices.last, last >= first, pieces[last].count + bytes.count <= Self.pieceByteCount {
            pieces[last].append(contentsOf: bytes)
            return
        }
        var piece: [UInt8] = []
        piece.reserveCapacity(max(bytes.count, Self.pieceByteCount))
        piece.append(contentsOf: bytes)
        pieces.append(piece)
    }

    /// Calls `body` with the next bytes and whether they are the last so far, and removes as many bytes as it used.
    mutating func withNext<R>(_ body: (UnsafeBufferPointer<UInt8>, Bool) -> (used: Int, result: R)) -> R? {
        guard first < pieces.count else { return nil }
        let isLast = first == pieces.count - 1
        let (used, result) = pieces[first].withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[taken...]), isLast)
        }
        taken += used
        count -= used
        if taken == pieces[first].count {
            // Bytes may be appended to a piece in use, but not to one that was used up.
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
