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
