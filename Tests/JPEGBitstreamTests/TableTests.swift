import Testing

import JPEGBitstream

@Suite("JPEG tables")
struct TableTests {
    /// One code of each of the given lengths, for symbols 0, 1, 2 …
    static func counts(_ lengths: [Int]) -> [UInt8] {
        (1...16).map { length in UInt8(lengths.filter { $0 == length }.count) }
    }

    static func tables(_ steps: (inout JPEGBuilder) -> Void) throws(JPEGBitstreamError) -> JPEGTables {
        let file = JPEGBuilder.image {
            steps(&$0)
            $0.frame()
            $0.scan()
        }
        return try JPEGTables(JPEGStructure(of: file.span.bytes), in: file.span.bytes)
    }

    @Test("Codes are assigned in order and looked up")
    func codes() throws {
        // 00, 01, 100, 1010 and sixteen bits of 1011000000000000.
        let table = try JPEGHuffmanTable(counts: Self.counts([2, 2, 3, 4, 16]), symbols: [9, 8, 7, 6, 5])
        let found: [(UInt16, UInt8, Int)] = [
            (0x0000, 9, 2), (0x3FFF, 9, 2), (0x4000, 8, 2), (0x7FFF, 8, 2), (0x8000, 7, 3), (0x9FFF, 7, 3),
            (0xA000, 6, 4), (0xAFFF, 6, 4), (0xB000, 5, 16),
        ]
        for (window, symbol, length) in found {
            let code = try #require(table.symbol(of: window))
            #expect(code == (symbol, length), "\(window)")
        }
        for window: UInt16 in [0xB001, 0xC000, 0xFFFF] { #expect(table.symbol(of: window) == nil) }
        #expect(try JPEGHuffmanTable(counts: Self.counts([]), symbols: []).symbol(of: 0) == nil)
    }

    @Test(
        "Lengths that give no prefix code are refused",
        arguments: [
            [1, 1], [1, 2, 2], [1, 1, 1], [2, 2, 2, 2], [1, 2, 3, 3], [Int](repeating: 7, count: 128),
        ]
    )
    func noCode(lengths: [Int]) {
        #expect(throws: JPEGBitstreamError.self) {
            try JPEGHuffmanTable(counts: Self.counts(lengths), symbols: lengths.map { UInt8($0 & 15) })
        }
    }

    @Test("The number of symbols must match the counts")
    func symbolCount() {
        for (counts, symbols) in [([UInt8](repeating: 0, count: 15), 0), (Self.counts([1]), 0), (Self.counts([]), 1)] {
            #expect(throws: JPEGBitstreamError.self) {
                try JPEGHuffmanTable(counts: counts, symbols: [UInt8](repeating: 0, count: symbols))
            }
        }
    }

    @Test("The last table of a destination applies, also of several in a segment")
    func destinations() throws {
        let tables = try Self.tables {
            $0.segment(0xC4, [0x00] + Self.counts([1]) + [3] + [0x13] + Self.counts([1]) + [0x23])
            $0.segment(0xC4, [0x00] + Self.counts([1]) + [5])
            $0.segment(0xDB, [0x01] + (1...64) + [0x12] + (1...64).flatMap { [1, $0] as [UInt8] })
            $0.segment(0xDB, [])
        }
        #expect(tables.dc.map { $0?.symbols } == [[5], nil, nil, nil])
        #expect(tables.ac.map { $0?.symbols } == [nil, nil, nil, [0x23]])
        #expect(tables.quantization == [nil, Array(1...64), Array(257...320), nil])
    }

    static let hostile: [(UInt8, [UInt8], JPEGBitstreamError.Code)] = [
        (0xC4, [0], .invalidSegmentLength),
        (0xC4, [0] + counts([1]), .invalidSegmentLength),
        (0xC4, [0] + [UInt8](repeating: 255, count: 16), .invalidSegmentLength),
        (0xC4, [0] + counts([1]) + [0, 0], .invalidSegmentLength),
        (0xC4, [0x04] + counts([1]) + [0], .invalidHuffmanTable),
        (0xC4, [0x20] + counts([1]) + [0], .invalidHuffmanTable),
        (0xC4, [0xF0] + counts([1]) + [0], .invalidHuffmanTable),
        (0xC4, [0x00] + counts([1]) + [16], .invalidHuffmanTable),
        (0xC4, [0x10] + counts([1, 1]) + [0, 1], .invalidHuffmanTable),
        (
            0xC4, [0x10] + counts([Int](repeating: 16, count: 255)) + [UInt8](repeating: 0, count: 254),
            .invalidSegmentLength
        ),
        (0xDB, [0], .invalidSegmentLength),
        (0xDB, [0] + [UInt8](repeating: 1, count: 63), .invalidSegmentLength),
        (0xDB, [0x10] + [UInt8](repeating: 1, count: 127), .invalidSegmentLength),
        (0xDB, [0x04] + [UInt8](repeating: 1, count: 64), .invalidQuantizationTable),
        (0xDB, [0x20] + [UInt8](repeating: 1, count: 128), .invalidQuantizationTable),
    ]

    @Test("Malformed segments are refused with their offset", arguments: hostile.indices)
    func refused(index: Int) {
        let (marker, payload, code) = Self.hostile[index]
        let error = #expect(throws: JPEGBitstreamError.self) { try Self.tables { $0.segment(marker, payload) } }
        #expect(error?.code == code && error?.offset == 2)
    }

    @Test("Bytes that end within a table are an error")
    func truncated() throws {
        let file = JPEGBuilder.image {
            $0.segment(0xDB, [0] + (1...64))
            $0.frame()
            $0.scan()
        }
        let structure = JPEGStructure(of: file.span.bytes)
        for end in [2, 5, 40, 70] {
            #expect(throws: JPEGBitstreamError.self) {
                try JPEGTables(structure, in: file.span.bytes.extracting(first: end))
            }
        }
    }
}
