import ImageFormats
import JPEGBitstream
import Testing
import TestSupport

/// Huffman codes made for a scan.
@Suite("JPEG: optimal codes")
struct JPEGOptimalCodesTests {
    /// The length of each symbol's code.
    private func lengths(_ codes: JPEGOptimalCodes) -> [UInt8: Int] {
        var lengths: [UInt8: Int] = [:]
        var place = 0
        for (index, count) in codes.lengthCounts.enumerated() {
            for _ in 0..<count {
                lengths[codes.symbols[place]] = index + 1
                place += 1
            }
        }
        return lengths
    }

    private func counts(_ some: [Int: UInt32]) -> [UInt32] { (0..<256).map { some[$0] ?? 0 } }

    @Test("Every table is valid, and its codes stand for the symbols that occur", arguments: 0..<40)
    func valid(seed: Int) throws {
        var random = SeededGenerator(UInt64(seed))
        let counts = (0..<256).map { _ in
            Bool.random(using: &random) ? UInt32.random(in: 0...(1 << UInt32.random(in: 0...30)), using: &random) : 0
        }
        let codes = JPEGOptimalCodes(counts: counts)
        _ = try JPEGHuffmanTable(counts: codes.lengthCounts, symbols: codes.symbols)
        #expect(Set(codes.symbols) == Set((0..<256).filter { counts[$0] > 0 }.map { UInt8($0) }))
    }

    @Test("Frequent symbols have short codes, of which none is all ones")
    func frequent() {
        let lengths = lengths(JPEGOptimalCodes(counts: counts([0: 100, 17: 40, 200: 30, 255: 5])))
        #expect(lengths == [0: 1, 17: 2, 200: 3, 255: 4])
    }

    @Test("Codes that would be longer have 16 bits")
    func long() throws {
        // Each symbol is as frequent as all rarer ones together, which takes a code a bit longer than the last one's.
        let powers = Dictionary(uniqueKeysWithValues: (0..<28).map { ($0, UInt32(1) << UInt32($0)) })
        let codes = JPEGOptimalCodes(counts: counts(powers))
        _ = try JPEGHuffmanTable(counts: codes.lengthCounts, symbols: codes.symbols)
        #expect(codes.symbols.count == 28 && codes.lengthCounts[15] > 0)
        #expect(lengths(codes)[27] == 1)
    }

    @Test("A scan without symbols has a table with one")
    func none() throws {
        let codes = JPEGOptimalCodes(counts: counts([:]))
        #expect(codes.lengthCounts == [1] + [UInt8](repeating: 0, count: 15))
    }
}
