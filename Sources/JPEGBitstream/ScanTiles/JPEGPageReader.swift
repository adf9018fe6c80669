/// Reads the variable-length numbers of an index's pages: seven bits in each byte, the lowest first, and the top bit set in all bytes
/// but the last.
struct JPEGPageReader: ~Escapable {
    private let page: RawSpan
    /// The next byte.
    private(set) var offset = 0

    @_lifetime(copy page)
    init(_ page: RawSpan) { self.page = page }

    /// - Throws: ``JPEGBitstreamError/Code/invalidIndex``, with the offset in the page.
    @_lifetime(self: copy self)
    mutating func next() throws(JPEGBitstreamError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard offset < page.byteCount else {
                throw JPEGBitstreamError(.invalidIndex, "the page is truncated", offset: offset)
            }
            let byte = page.byte(at: offset)
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw JPEGBitstreamError(.invalidIndex, "a number has more than 63 bits", offset: offset)
    }
}

extension [UInt8] {
    /// Appends a number that ``JPEGPageReader/next()`` reads.
    mutating func appendVariable(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
