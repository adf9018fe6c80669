/// Writes entropy-coded data: puts a zero after each `FF`.
struct JPEGBitWriter: ~Copyable, ~Escapable {
    private var target: MutableRawSpan
    /// The byte that comes next.
    private(set) var offset: Int
    /// Bits that aren't written, from the top; below them are zeros.
    private var bits: UInt64 = 0
    /// How many there are, at most 63.
    private var count = 0

    /// A writer into bytes that are enough for all that will be put, from a byte on.
    @_lifetime(copy target)
    init(_ target: consuming MutableRawSpan, from offset: Int) {
        self.target = target
        self.offset = offset
    }

    /// Puts the upper bits of a word, 1 to 64; below them it is zero.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func put(_ word: UInt64, _ length: Int) {
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        let sum = count &+ length
        if sum < 64 {
            count = sum
        } else {
            write(bits)
            // What of the word didn't fit; of a word that did, nothing.
            bits = (word &<< UInt64(truncatingIfNeeded: 63 &- count)) &<< 1
            count = sum &- 64
        }
    }

    /// Puts whole words of a source, up to one with an `FF` or that makes one; gives the offset behind them.
    @_lifetime(self: copy self)
    mutating func putWords(of source: RawSpan, from start: Int, until end: Int) -> Int {
        // Copies, so that they stay in registers.
        var (read, written, rest) = (start, offset, bits)
        let count = UInt64(truncatingIfNeeded: count)
        while read &+ 8 <= end {
            let word = source.word(at: read).byteSwapped
            let sum = rest | word &>> count
            guard RawSpan.marks(of: word) | RawSpan.marks(of: sum) == 0 else { break }
            target.storeBytes(of: sum.bigEndian, toByteOffset: written, as: UInt64.self)
            rest = (word &<< (63 &- count)) &<< 1
            read &+= 8
            written &+= 8
        }
        (offset, bits) = (written, rest)
        return read
    }

    /// Fills up the last byte with ones, and writes all.
    @_lifetime(self: copy self)
    mutating func finish() {
        let missing = -count & 7
        if missing > 0 { put(.max << UInt64(64 - missing), missing) }
        while count > 0 {
            write(UInt8(truncatingIfNeeded: bits >> 56))
            bits <<= 8
            count -= 8
        }
    }

    /// Writes a marker, between bytes.
    @_lifetime(self: copy self)
    mutating func putMarker(_ marker: JPEGMarker) {
        target.storeBytes(of: 0xFF, toByteOffset: offset, as: UInt8.self)
        target.storeBytes(of: marker.rawValue, toByteOffset: offset + 1, as: UInt8.self)
        offset += 2
    }

    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func write(_ word: UInt64) {
        if RawSpan.marks(of: word) == 0 {
            target.storeBytes(of: word.bigEndian, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        } else {
            writeBytes(word)
        }
    }

    @inline(never)
    @_lifetime(self: copy self)
    private mutating func writeBytes(_ word: UInt64) {
        for index in 0..<8 { write(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))) }
    }

    @_lifetime(self: copy self)
    private mutating func write(_ byte: UInt8) {
        target.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        offset += 1
        if byte == 0xFF {
            target.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
    }
}
