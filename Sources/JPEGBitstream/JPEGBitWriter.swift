/// Writes entropy-coded data: stuffs a zero after each `FF`.
struct JPEGBitWriter: ~Copyable, ~Escapable {
    private var target: MutableRawSpan
    /// The next byte.
    private(set) var offset: Int
    /// Buffered bits, from the top; below them are zeros.
    private var bits: UInt64 = 0
    /// How many are buffered, at most 63.
    private var count = 0

    /// A writer from the given byte on, into bytes that must have room for everything written.
    @_lifetime(copy target)
    init(_ target: consuming MutableRawSpan, from offset: Int) {
        self.target = target
        self.offset = offset
    }

    /// Writes the upper bits of a word, 1 to 64; the bits below must be zero.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func put(_ word: UInt64, _ length: Int) {
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        let sum = count &+ length
        if sum < 64 {
            count = sum
        } else {
            write(bits)
            // The part of the word that didn't fit, if any.
            bits = (word &<< UInt64(truncatingIfNeeded: 63 &- count)) &<< 1
            count = sum &- 64
        }
    }

    /// Copies whole bytes of a source whose stuffed zeros are neither side's data.
    /// - Returns: The offset after the last byte, and after its stuffed zero if it is an `FF`; nil if there is a marker among them.
    @_lifetime(self: copy self)
    mutating func putBytes(of source: RawSpan, from start: Int, until end: Int) -> Int? {
        writeWholeBytes()
        // Copies, to stay in registers. Of the carry only the lowest bits count, as many as are buffered.
        var (read, written) = (start, offset)
        let shift = UInt64(truncatingIfNeeded: count)
        var carry = (bits &>> 1) &>> (63 &- shift)
        while read < end {
            var word = UInt64(0)
            var (length, endsWithFF) = (1, false)
            if read &+ 8 <= end {
                let bytes = source.word(at: read)
                let marks = RawSpan.marks(of: bytes)
                word = bytes.byteSwapped
                let sum = (carry &<< (63 &- shift)) &<< 1 | word &>> shift
                if marks | RawSpan.marks(of: sum) == 0 {
                    target.storeBytes(of: sum.bigEndian, toByteOffset: written, as: UInt64.self)
                    carry = word
                    read &+= 8
                    written &+= 8
                    continue
                }
                endsWithFF = marks != 0
                // Up to and including the first FF.
                length = endsWithFF ? marks.trailingZeroBitCount &>> 3 &+ 1 : 8
            } else {
                let byte = source.byte(at: read)
                word = UInt64(byte) &<< 56
                endsWithFF = byte == 0xFF
            }
            let sum = (carry &<< (63 &- shift)) &<< 1 | word &>> shift
            written = put(sum, byteCount: length, at: written)
            carry = word &>> UInt64(truncatingIfNeeded: 64 &- 8 &* length)
            read &+= length
            if endsWithFF {
                guard read < source.byteCount, source.byte(at: read) == 0 else { return nil }
                read &+= 1
            }
        }
        offset = written
        bits = (carry &<< (63 &- shift)) &<< 1
        return read
    }

    /// Writes the first bytes of a word at an offset, a zero after each `FF`; returns the offset after them.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func put(_ word: UInt64, byteCount: Int, at place: Int) -> Int {
        let unused = (UInt64.max &>> UInt64(truncatingIfNeeded: 8 &* byteCount &- 1)) &>> 1
        if RawSpan.marks(of: word & ~unused) == 0 {
            // The bytes after them are overwritten later.
            target.storeBytes(of: word.bigEndian, toByteOffset: place, as: UInt64.self)
            return place &+ byteCount
        }
        var (place, rest) = (place, word)
        for _ in 0..<byteCount {
            let byte = UInt8(truncatingIfNeeded: rest &>> 56)
            rest &<<= 8
            target.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
            place &+= 1
            guard byte == 0xFF else { continue }
            target.storeBytes(of: 0, toByteOffset: place, as: UInt8.self)
            place &+= 1
        }
        return place
    }

    /// Pads the last byte with ones, and writes all bits.
    @_lifetime(self: copy self)
    mutating func finish() {
        let missing = -count & 7
        if missing > 0 { put(.max << UInt64(64 - missing), missing) }
        writeWholeBytes()
    }

    /// Writes all whole bytes.
    @_lifetime(self: copy self)
    private mutating func writeWholeBytes() {
        while count >= 8 {
            write(UInt8(truncatingIfNeeded: bits >> 56))
            bits <<= 8
            count -= 8
        }
    }

    /// Writes a marker, on a byte boundary.
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
