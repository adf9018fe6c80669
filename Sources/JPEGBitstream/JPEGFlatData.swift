/// Entropy-coded data as it arrives, with the zero after each `FF` and the restart markers taken out, and the record of where.
///
/// Holds no more than a piece at a time: what the reader has passed is dropped before the next piece comes in. Places are counted
/// in the data without what was taken out, from the scan's first byte.
struct JPEGFlatData: Sendable {
    /// A place from which on more bytes of the file were left out than before it.
    struct Gap: Sendable {
        let place: Int
        /// Bytes left out before the place in all.
        let skipped: Int
        /// The number of the restart marker that stood there; nil where it was a stuffed zero.
        let restart: UInt8?
    }

    /// How many bytes of the file are taken at most at a time.
    static let pieceByteCount = 1 << 16

    /// The bytes, `count` of them, and what may be read beyond them.
    private(set) var bytes: [UInt8]
    private(set) var count = 0
    /// The place of the first byte.
    private(set) var start = 0
    /// The gaps that weren't passed.
    private(set) var gaps: [Gap] = []
    /// The first gap that matters.
    private(set) var firstGap = 0
    /// The first gap from there on that a restart marker left; the number of gaps if there is none.
    private var nextRestart = 0
    /// Bytes left out before the first gap in all.
    private(set) var skipped = 0
    /// Whether a marker that ends the scan was met, or the bytes are said to have ended.
    private(set) var isEnded = false
    /// Whether the bytes ended without a marker.
    private(set) var isTruncated = false

    /// Bytes taken in, of the file.
    private(set) var byteCount = 0
    /// `FF`s in a row that were taken and don't yet tell what they are.
    private var pendingMarks = 0
    private var skippedInAll = 0
    private let margin: Int

    /// - Parameter margin: How many bytes may be read beyond the end.
    init(margin: Int) {
        self.margin = margin
        bytes = [UInt8](repeating: 0, count: Self.pieceByteCount + 2 * margin + 16)
    }

    /// The place after the last byte.
    var end: Int { start + count }

    /// The place at which the next restart marker stood, or the end.
    var limit: Int { nextRestart < gaps.count ? gaps[nextRestart].place : end }

    /// Whether the next restart marker is at hand.
    var hasRestart: Bool { nextRestart < gaps.count }

    /// Drops what lies before a place, of which at most `margin` bytes may lie behind it, and takes the next piece.
    mutating func take(_ piece: RawSpan, droppingBefore place: Int) {
        let dropped = place - start
        let kept = count - dropped
        bytes.withUnsafeMutableBytes { bytes in
            // `dropped` and `kept` lie inside: a reader's place isn't beyond the end.
            for index in 0..<(dropped > 0 ? kept : 0) { bytes[index] = bytes[dropped + index] }
        }
        gaps.removeFirst(firstGap)
        nextRestart -= firstGap
        firstGap = 0
        start = place
        count = kept
        guard !isEnded else { return }
        append(piece)
        findRestart()
    }

    private mutating func findRestart() {
        while nextRestart < gaps.count, gaps[nextRestart].restart == nil { nextRestart += 1 }
    }

    private mutating func append(_ piece: RawSpan) {
        precondition(piece.byteCount <= Self.pieceByteCount && count <= margin)
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

    /// Takes the byte after one or more `FF`.
    private mutating func resolve(_ byte: UInt8) {
        switch byte {
        case 0 where pendingMarks == 1:
            bytes[count] = 0xFF
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

    /// Copies up to the next `FF`; gives where that is, and the new count.
    private mutating func copyRun(_ piece: RawSpan, from offset: Int) -> (read: Int, count: Int) {
        var (read, written) = (offset, count)
        bytes.withUnsafeMutableBytes { bytes in
            // A piece and what is kept fit: the buffer has that much room and 16 bytes more, which whole words may touch.
            while read &+ 8 <= piece.byteCount {
                let word = piece.unsafeLoadUnaligned(fromUncheckedByteOffset: read, as: UInt64.self)
                bytes.storeBytes(of: word, toByteOffset: written, as: UInt64.self)
                let marks = RawSpan.marks(of: UInt64(littleEndian: word))
                if marks != 0 {
                    let length = marks.trailingZeroBitCount &>> 3
                    read &+= length
                    written &+= length
                    return
                }
                read &+= 8
                written &+= 8
            }
            while read < piece.byteCount, piece.byte(at: read) != 0xFF {
                bytes[written] = piece.byte(at: read)
                read &+= 1
                written &+= 1
            }
        }
        return (read, written)
    }

    /// Says that no more bytes belong to the scan.
    mutating func finish(isTruncated: Bool) {
        guard !isEnded else { return }
        isEnded = true
        self.isTruncated = isTruncated
        // What may be read beyond the end is zero.
        for index in count..<(count + margin + 16) { bytes[index] = 0 }
    }

    /// Goes on to a place; false where a restart marker stood before it.
    mutating func pass(to place: Int) -> Bool {
        while firstGap < gaps.count, gaps[firstGap].place <= place {
            guard gaps[firstGap].restart == nil else { return gaps[firstGap].place == place }
            skipped = gaps[firstGap].skipped
            firstGap += 1
        }
        return true
    }

    /// Goes on over the restart marker that stood at a place; false if it wasn't the one of the number.
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

/// Reads the bits of data from which stuffed zeros were taken out.
///
/// Nothing is checked: who reads knows that eight bytes may be read from wherever the reader comes to.
struct JPEGFlatReader: ~Escapable {
    private let data: RawSpan
    private var offset: Int
    /// The bits at hand, from the top. Below them there may be more, the same that will come.
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

    /// Makes sure of 56 bits.
    @inline(__always)
    mutating func fill() {
        // A word has no invalid bit pattern; see above for the bounds.
        let word = UInt64(
            bigEndian: data.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        offset &+= (63 &- count) &>> 3
        count |= 56
    }

    /// Drops bits, at most as many as there are for sure.
    @inline(__always)
    mutating func drop(_ length: Int) {
        bits &<<= UInt64(truncatingIfNeeded: length)
        count &-= length
    }
}
