/// The tables defined by DHT and DQT segments before a scan, in the decoder's four slots of each kind.
package struct JPEGTables: Sendable {
    /// Huffman tables of DC differences, by destination.
    package private(set) var dc = [JPEGHuffmanTable?](repeating: nil, count: 4)
    /// Huffman tables of AC coefficients, by destination.
    package private(set) var ac = [JPEGHuffmanTable?](repeating: nil, count: 4)
    /// Quantisation steps in zigzag order, 64 a table, by destination.
    package private(set) var quantization = [[UInt16]?](repeating: nil, count: 4)
    /// The longest difference in bits, which a DC table's symbols don't exceed: 16 in a lossless frame (T.81, H.1.2.2).
    private var longestDifference: UInt8 = 15

    /// No tables, as before a JPEG's first segment.
    init() {}

    /// The tables in force when one of the structure's scans begins, by default the first.
    ///
    /// `data` begins at the JPEG's first byte and reaches at least to that scan.
    package init(_ structure: JPEGStructure, in data: RawSpan, scan: Int = 0) throws(JPEGBitstreamError) {
        if structure.frame?.process == .lossless { longestDifference = 16 }
        var scansLeft = scan
        for segment in structure.segments {
            if segment.marker == .startOfScan {
                if scansLeft == 0 { break }
                scansLeft -= 1
            }
            try read(segment, in: data)
        }
    }

    /// Reads the tables of a DHT or DQT segment; ignores any other.
    /// - Parameter start: The byte of the JPEG at which `data` begins.
    mutating func read(_ segment: JPEGSegment, in data: RawSpan, from start: Int = 0) throws(JPEGBitstreamError) {
        guard segment.marker == .huffmanTables || segment.marker == .quantizationTables else { return }
        guard segment.payload.lowerBound >= start, segment.payload.upperBound - start <= data.byteCount else {
            throw JPEGBitstreamError(.truncated, "\(segment.marker) is truncated", offset: segment.offset)
        }
        let payload = (segment.payload.lowerBound - start)..<(segment.payload.upperBound - start)
        if segment.marker == .huffmanTables {
            try readHuffmanTables(segment, data.extracting(payload))
        } else {
            try readQuantizationTables(segment, data.extracting(payload))
        }
    }

    /// T.81, B.2.4.2: class and destination, 16 counts, the symbols; repeated for each table.
    private mutating func readHuffmanTables(
        _ segment: JPEGSegment, _ data: RawSpan
    ) throws(JPEGBitstreamError) {
        var rest = 0..<data.byteCount
        while !rest.isEmpty {
            guard rest.count >= 17 else { throw tooShort(segment) }
            let place = data.byte(at: rest.lowerBound)
            let counts = (1...16).map { data.byte(at: rest.lowerBound + $0) }
            rest.removeFirst(17)
            let count = counts.reduce(0) { $0 + Int($1) }
            guard rest.count >= count else { throw tooShort(segment) }
            let symbols = rest.prefix(count).map { data.byte(at: $0) }
            rest.removeFirst(count)
            guard place & 0xEC == 0 else {
                throw JPEGBitstreamError(
                    .invalidHuffmanTable, "a Huffman table's class and destination are \(place)", offset: segment.offset
                )
            }
            let table = try JPEGHuffmanTable(counts: counts, symbols: symbols, offset: segment.offset)
            if place >> 4 == 1 {
                ac[Int(place & 3)] = table
            } else {
                // A DC symbol is a bit length.
                guard symbols.allSatisfy({ $0 <= longestDifference }) else {
                    throw JPEGBitstreamError(
                        .invalidHuffmanTable, "a table for DC differences has symbols beyond \(longestDifference)",
                        offset: segment.offset)
                }
                dc[Int(place)] = table
            }
        }
    }

    /// T.81, B.2.4.1: precision and destination, 64 steps of one byte or two; repeated for each table.
    private mutating func readQuantizationTables(
        _ segment: JPEGSegment, _ data: RawSpan
    ) throws(JPEGBitstreamError) {
        var rest = 0..<data.byteCount
        while !rest.isEmpty {
            let place = data.byte(at: rest.lowerBound)
            guard place & 0xEC == 0 else {
                throw JPEGBitstreamError(
                    .invalidQuantizationTable, "a quantisation table's precision and destination are \(place)",
                    offset: segment.offset)
            }
            let width = place >> 4 == 1 ? 2 : 1
            guard rest.count >= 1 + 64 * width else { throw tooShort(segment) }
            let start = rest.lowerBound + 1
            quantization[Int(place & 3)] = (0..<64).map { index in
                let high = width == 2 ? UInt16(data.byte(at: start + 2 * index)) << 8 : 0
                return high | UInt16(data.byte(at: start + width * index + width - 1))
            }
            rest.removeFirst(1 + 64 * width)
        }
    }

    private func tooShort(_ segment: JPEGSegment) -> JPEGBitstreamError {
        JPEGBitstreamError(
            .invalidSegmentLength, "\(segment.marker) is too short for its tables", offset: segment.offset)
    }
}

/// A Huffman table as a DHT segment lists it, with its codes assigned (ITU-T T.81, annex C).
package struct JPEGHuffmanTable: Hashable, Sendable {
    /// The longest code, in bits.
    package static let longestCode = 16

    /// The number of codes of each length from 1 bit to 16.
    package let counts: [UInt8]
    /// The symbols by ascending code.
    package let symbols: [UInt8]
    /// For each length, the first longer code, as the top bits of 16; `limits[0]` is unused.
    private let limits: [UInt32]
    /// For each length, the offset from a code's index among those of that length to its index in `symbols`.
    private let places: [Int]

    /// The table of the segment at `offset`; no code may consist of ones only (annex C.2).
    package init(counts: [UInt8], symbols: [UInt8], offset: Int = 0) throws(JPEGBitstreamError) {
        guard counts.count == Self.longestCode, counts.reduce(0, { $0 + Int($1) }) == symbols.count,
            symbols.count <= 256
        else {
            throw JPEGBitstreamError(
                .invalidHuffmanTable, "a Huffman table's number of symbols doesn't match its counts", offset: offset)
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
                    .invalidHuffmanTable, "a Huffman table has too many codes of \(length) bits",
                    offset: offset)
            }
            limits.append(code << (16 - length))
        }
        self.counts = counts
        self.symbols = symbols
        self.limits = limits
        self.places = places
    }

    /// For each window of so many bits what `entry` makes of the symbol whose code it begins with, and of the code's length;
    /// 0 where no code fits.
    func entries<Entry: FixedWidthInteger>(
        windowBits: Int, _ entry: (_ symbol: UInt8, _ length: Int) -> Entry
    ) -> [Entry] {
        var entries = [Entry](repeating: 0, count: 1 << windowBits)
        // Codes ascend with their lengths, so that each fills the windows behind those of the code before.
        var (window, place) = (0, 0)
        for length in 1...windowBits {
            for _ in 0..<counts[length - 1] {
                let end = window + 1 << (windowBits - length)
                let value = entry(symbols[place], length)
                for index in window..<end { entries[index] = value }
                (window, place) = (end, place + 1)
            }
        }
        return entries
    }

    /// The symbol whose code the 16 bits begin with, and the code's length; nil if there is none.
    package func symbol(of window: UInt16) -> (symbol: UInt8, length: Int)? {
        for length in 1...Self.longestCode where UInt32(window) < limits[length] {
            return (symbols[places[length] + Int(window) >> (16 - length)], length)
        }
        return nil
    }
}
