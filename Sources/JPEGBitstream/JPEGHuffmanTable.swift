/// A Huffman table as a DHT segment lists it, with its codes assigned (ITU-T T.81, annex C).
package struct JPEGHuffmanTable: Hashable, Sendable {
    /// The longest code, in bits.
    package static let longestCode = 16

    /// How many codes there are of each length from 1 bit to 16.
    package let counts: [UInt8]
    /// The symbols by ascending code.
    package let symbols: [UInt8]
    /// For each length, the first code that is longer, as the top bits of 16; `limits[0]` is of no length.
    private let limits: [UInt32]
    /// For each length, what a code's number among those of that length has to be added to for its place in `symbols`.
    private let places: [Int]

    /// The table of the segment at `offset`; no code may consist of ones only (annex C.2).
    package init(counts: [UInt8], symbols: [UInt8], offset: Int = 0) throws(JPEGBitstreamError) {
        guard counts.count == Self.longestCode, counts.reduce(0, { $0 + Int($1) }) == symbols.count,
            symbols.count <= 256
        else {
            throw JPEGBitstreamError(
                .invalidHuffmanTable, "a Huffman table's symbols aren't as many as it counts", offset: offset)
        }
        var limits: [UInt32] = [0]
        var places = [0]
        var (code, place) = (UInt32(0), 0)
        for length in 1...Self.longestCode {
            let count = counts[length - 1]
            code <<= 1
            places.append(place - Int(code))
            code += UInt32(count)
            place += Int(count)
            guard count == 0 || code < 1 << length else {
                throw JPEGBitstreamError(
                    .invalidHuffmanTable, "a Huffman table has more codes of \(length) bits than there can be",
                    offset: offset)
            }
            limits.append(code << (16 - length))
        }
        self.counts = counts
        self.symbols = symbols
        self.limits = limits
        self.places = places
    }

    /// The symbol whose code the 16 bits begin with, and the code's length; nil where there is none.
    package func symbol(of window: UInt16) -> (symbol: UInt8, length: Int)? {
        for length in 1...Self.longestCode where UInt32(window) < limits[length] {
            return (symbols[places[length] + Int(window) >> (16 - length)], length)
        }
        return nil
    }
}
