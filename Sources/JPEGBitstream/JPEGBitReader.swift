/// Reads the bits of entropy-coded data: removes the stuffed zero after each `FF`, and stops before a marker or the end.
///
/// Past the end it reads zeros, and `count` becomes negative; callers check that from time to time.
package struct JPEGBitReader: ~Escapable {
    private let data: RawSpan
    /// The next byte.
    package private(set) var offset: Int
    /// The buffered bits, from the top. The bits below them may already hold the following ones.
    package var bits: UInt64 = 0
    /// How many are buffered; negative after reading past the end.
    package var count = 0

    /// A reader of the data from the given byte on.
    @_lifetime(copy data)
    package init(_ data: RawSpan, from offset: Int = 0) {
        self.data = data
        self.offset = offset
    }

    /// A reader that goes on where another stopped, whose values these are.
    @_lifetime(copy data)
    init(_ data: RawSpan, offset: Int, bits: UInt64, count: Int) {
        self.data = data
        self.offset = offset
        self.bits = bits
        self.count = count
    }

    /// Buffers at least 32 bits, unless the data ends.
    @inline(__always)
    package mutating func fill() {
        if count < 32 { take() }
    }

    @inline(__always)
    private mutating func take() {
        if offset &+ 8 <= data.byteCount, count >= 0 {
            // A word has no invalid bit pattern, and the load checks its bounds.
            let word = UInt64(bigEndian: data.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
            // The zero-byte test on the complement: it may report an FF that isn't there, but misses none.
            if (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
                bits |= word &>> UInt64(truncatingIfNeeded: count)
                offset &+= (63 &- count) &>> 3
                count |= 56
                return
            }
        }
        takeBytes()
    }

    @inline(__always)
    private mutating func takeBytes() {
        (offset, bits, count) = Self.takingBytes(data, offset, bits, count)
    }

    /// Reads byte by byte until more than 56 bits are buffered, or a marker or the end is next.
    ///
    /// Takes and returns values, so that the reader can stay in registers.
    @inline(never)
    private static func takingBytes(
        _ data: RawSpan, _ offset: Int, _ bits: UInt64, _ count: Int
    ) -> (offset: Int, bits: UInt64, count: Int) {
        var (offset, bits, count) = (offset, bits, count)
        while 0...56 ~= count, offset < data.byteCount {
            let byte = data.byte(at: offset)
            if byte == 0xFF {
                guard offset + 1 < data.byteCount, data.byte(at: offset + 1) == 0 else { break }
                offset += 1
            }
            offset += 1
            bits |= UInt64(byte) << UInt64(56 - count)
            count += 8
        }
        return (offset, bits, count)
    }

    /// Drops bits, at most 32 after a `fill()`.
    @inline(__always)
    package mutating func drop(_ length: Int) {
        bits &<<= UInt64(truncatingIfNeeded: length)
        count &-= length
    }

    /// The first bit that wasn't dropped, counted from the data's first; only valid if no bits were read past the end.
    package var position: Int {
        var place = offset
        let byteCount = (count + 7) / 8
        // The eighth byte back may be a zero that follows an FF.
        if byteCount < 8, offset >= 8, RawSpan.marks(of: data.word(at: offset - 8)) == 0 {
            place -= byteCount
        } else {
            for _ in 0..<byteCount {
                place -= place > 1 && data.byte(at: place - 1) == 0 && data.byte(at: place - 2) == 0xFF ? 2 : 1
            }
        }
        return place * 8 + (8 - count % 8) % 8
    }

    /// Continues after the restart marker with the given number, 0 to 7.
    /// - Returns: False unless that marker follows the last bits, which fill up a byte.
    package mutating func restart(_ number: Int) -> Bool {
        takeBytes()
        guard 0...7 ~= count, offset + 1 < data.byteCount, data.byte(at: offset) == 0xFF,
            data.byte(at: offset + 1) == JPEGMarker.restart(UInt8(number & 7)).rawValue
        else { return false }
        offset += 2
        bits = 0
        count = 0
        return true
    }
}
