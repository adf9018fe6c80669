/// Entropy-coded data as it arrives, with stuffed zeros and restart markers removed, and a record of their positions.
///
/// Holds at most one piece at a time: data that was read is dropped before the next piece is added. Positions are counted
/// in the data without the removed bytes, from the scan's first byte.
struct JPEGFlatData: Sendable {
    /// A position before which bytes were removed.
    struct Gap: Sendable {
        let place: Int
        /// All bytes removed before the position.
        let skipped: Int
        /// The number of the removed restart marker; nil for a stuffed zero.
        let restart: UInt8?
    }

    /// The largest piece of the file that is usually added at once, in bytes.
    static let pieceByteCount = 1 << 16

    /// `count` bytes of data from `base` on, and the margin that may be read beyond them.
    private var bytes: [UInt8]
    private var base = 0
    private(set) var count = 0
    /// The position of the first byte.
    private(set) var start = 0
    /// The gaps that haven't been passed.
    private(set) var gaps: [Gap] = []
    /// The first gap in use.
    private(set) var firstGap = 0
    /// The first gap from there on left by a restart marker; the number of gaps if there is none.
    private var nextRestart = 0
    /// All bytes removed before the first gap.
    private(set) var skipped = 0
    /// Whether a marker ended the scan, or the caller reported the end of the bytes.
    private(set) var isEnded = false
    /// Whether the bytes ended without a marker.
    private(set) var isTruncated = false

    /// Bytes of the file added so far.
    private(set) var byteCount = 0
    /// Consecutive `FF`s whose meaning depends on the next byte.
    private var pendingMarks = 0
    private var skippedInAll = 0
    private let margin: Int
    private let pieceByteCount: Int

    /// - Parameters:
    ///   - margin: The number of bytes that may be read beyond the end.
    ///   - pieceByteCount: The largest piece of the file that is added at once.
    ///   - memory: The memory of other data with the same; empty for new memory.
    init(margin: Int, pieceByteCount: Int = Self.pieceByteCount, in memory: consuming [UInt8] = []) {
        self.margin = margin
        self.pieceByteCount = pieceByteCount
        bytes = memory.isEmpty ? [UInt8](repeating: 0, count: pieceByteCount + 2 * margin + 16) : memory
    }

    /// The data, and the margin that may be read beyond them.
    var span: RawSpan {
        @_lifetime(borrow self)
        get { bytes.span.bytes.extracting(droppingFirst: base) }
    }

    /// The position after the last byte.
    var end: Int { start + count }

    /// The position of the next restart marker, or the end.
    var limit: Int { nextRestart < gaps.count ? gaps[nextRestart].place : end }

    /// Whether the next restart marker has been seen.
    var hasRestart: Bool { nextRestart < gaps.count }

    /// Drops the data before a position, after which at most `margin` bytes may remain, and adds the next piece.
    mutating func take(_ piece: RawSpan, droppingBefore place: Int) {
        let (first, kept) = (base + place - start, end - place)
        bytes.withUnsafeMutableBytes { bytes in
            // `first` and `kept` are in bounds: a reader's position isn't beyond the end.
            for index in 0..<(first > 0 ? kept : 0) { bytes[index] = bytes[first + index] }
        }
        base = 0
        gaps.removeFirst(firstGap)
        nextRestart -= firstGap
        firstGap = 0
        start = place
        count = kept
        guard !isEnded else { return }
        append(piece)
        findRestart()
    }

    /// Returns the data that follow these, of the next piece: to be taken when these have been read.
    /// - Parameter memory: The memory of other data, which is used again; empty for new memory.
    func following(_ piece: RawSpan, in memory: consuming [UInt8]) -> JPEGFlatData {
        var next = JPEGFlatData(margin: margin, pieceByteCount: pieceByteCount, in: memory)
        // The bytes kept of these data come before the piece.
        next.base = margin
        next.start = end
        next.pendingMarks = pendingMarks
        next.skippedInAll = skippedInAll
        next.byteCount = byteCount
        (next.isEnded, next.isTruncated) = (isEnded, isTruncated)
        if !isEnded { next.append(piece) }
        return next
    }

    /// Drops the data before a position as `take(_:droppingBefore:)` does, and adds those that follow.
    /// - Returns: Memory for others.
    mutating func take(following next: consuming JPEGFlatData, droppingBefore place: Int) -> [UInt8] {
        let (first, kept) = (base + place - start, end - place)
        precondition(kept <= margin && next.start == end)
        for index in 0..<kept { next.bytes[margin - kept + index] = bytes[first + index] }
        next.base = margin - kept
        next.count += kept
        next.start = place
        next.gaps.insert(contentsOf: gaps[firstGap...], at: 0)
        next.skipped = skipped
        swap(&self, &next)
        findRestart()
        return next.bytes
    }

    private mutating func findRestart() {
        while nextRestart < gaps.count, gaps[nextRestart].restart == nil { nextRestart += 1 }
    }

    private mutating func append(_ piece: RawSpan) {
        precondition(piece.byteCount <= pieceByteCount && base + count <= margin)
        var read = 0
        while read < piece.byteCount, !isEnded {
            if pendingMarks > 0 {
                resolve(piece.byte(at: read))
                read += 1
                continue
            }
            (read, count) = copyRun(piece, from: read)
            if read < piece.byteCount {
                pendingMarks = 1
                read += 1
            }
        }
        byteCount += read
    }

    /// Adds the byte after one or more `FF`.
    private mutating func resolve(_ byte: UInt8) {
        switch byte {
        case 0 where pendingMarks == 1:
            bytes[base + count] = 0xFF
            count += 1
            skippedInAll += 1
            gaps.append(Gap(place: end, skipped: skippedInAll, restart: nil))
            pendingMarks = 0
        case 0xFF:
            pendingMarks += 1
        case 0xD0...0xD7:
            skippedInAll += pendingMarks + 1
            gaps.append(Gap(place: end, skipped: skippedInAll, restart: byte & 7))
            pendingMarks = 0
        default:
            finish(isTruncated: false)
        }
    }

    /// Copies up to the next `FF` that isn't followed by a zero in the piece, and records those zeros; returns the offset of
    /// that `FF`, and the new count.
    private mutating func copyRun(_ piece: RawSpan, from offset: Int) -> (read: Int, count: Int) {
        var (read, written) = (offset, base + count)
        var (skipped, gaps): (Int, [Gap]) = (skippedInAll, [])
        swap(&gaps, &self.gaps)
        let origin = start - base
        bytes.withUnsafeMutableBytes { bytes in
            // The buffer has room for the kept data, a piece, and 16 bytes that whole words may touch.
            while read &+ 16 <= piece.byteCount {
                let word = piece.unsafeLoadUnaligned(fromUncheckedByteOffset: read, as: UInt64.self)
                bytes.storeBytes(of: word, toByteOffset: written, as: UInt64.self)
                let marks = RawSpan.marks(of: UInt64(littleEndian: word))
                guard marks != 0 else {
                    read &+= 8
                    written &+= 8
                    continue
                }
                let length = marks.trailingZeroBitCount &>> 3
                read &+= length
                written &+= length
                guard piece.byte(at: read &+ 1) == 0 else { return }
                read &+= 2
                written &+= 1
                skipped &+= 1
                gaps.append(Gap(place: origin &+ written, skipped: skipped, restart: nil))
            }
            while read < piece.byteCount, piece.byte(at: read) != 0xFF {
                bytes[written] = piece.byte(at: read)
                read &+= 1
                written &+= 1
            }
        }
        swap(&gaps, &self.gaps)
        skippedInAll = skipped
        return (read, written - base)
    }

    /// Marks the end of the scan's bytes.
    mutating func finish(isTruncated: Bool) {
        guard !isEnded else { return }
        isEnded = true
        self.isTruncated = isTruncated
        // The margin beyond the end is zero.
        for index in (base + count)..<(base + count + margin + 16) { bytes[index] = 0 }
    }

    /// Advances to a position, past the gaps before it; a restart marker at it is kept on request.
    mutating func skip(to place: Int, keepingRestart: Bool) {
        while firstGap < gaps.count, gaps[firstGap].place <= place {
            if gaps[firstGap].place == place, gaps[firstGap].restart != nil, keepingRestart { break }
            skipped = gaps[firstGap].skipped
            firstGap += 1
        }
        nextRestart = max(nextRestart, firstGap)
        findRestart()
    }

    /// Advances to a position; false if there is a restart marker before it.
    mutating func pass(to place: Int) -> Bool {
        while firstGap < gaps.count, gaps[firstGap].place <= place {
            guard gaps[firstGap].restart == nil else { return gaps[firstGap].place == place }
            skipped = gaps[firstGap].skipped
            firstGap += 1
        }
        return true
    }

    /// Advances over the restart marker at a position; false if it has another number.
    mutating func passRestart(_ number: UInt8, at place: Int) -> Bool {
        guard pass(to: place), firstGap < gaps.count, gaps[firstGap].place == place,
            gaps[firstGap].restart == number
        else { return false }
        skipped = gaps[firstGap].skipped
        firstGap += 1
        nextRestart = firstGap
        findRestart()
        return true
    }
}

/// Reads bits of data whose stuffed zeros were removed.
///
/// Unchecked: the caller guarantees that eight bytes may be read at every position.
struct JPEGFlatReader: ~Escapable {
    private let data: RawSpan
    private var offset: Int
    /// The buffered bits, from the top. The bits below them may already hold the following ones.
    var bits: UInt64
    private var count: Int

    @_lifetime(copy data)
    init(_ data: RawSpan, at position: Int) {
        self.data = data
        offset = position >> 3
        bits = 0
        count = 0
        fill()
        drop(position & 7)
    }

    /// The first bit that wasn't dropped, counted from the data's first.
    var position: Int { offset &* 8 &- count }

    /// Buffers at least 56 bits.
    @inline(__always)
    mutating func fill() {
        // A word has no invalid bit pattern; see above for the bounds.
        let word = UInt64(
            bigEndian: data.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        offset &+= (63 &- count) &>> 3
        count |= 56
    }

    /// Drops bits, at most as many as are buffered.
    @inline(__always)
    mutating func drop(_ length: UInt64) {
        bits &<<= length
        count &-= Int(truncatingIfNeeded: length)
    }

    /// Drops bits, at most as many as are buffered.
    @inline(__always)
    mutating func drop(_ length: Int) { drop(UInt64(truncatingIfNeeded: length)) }
}
