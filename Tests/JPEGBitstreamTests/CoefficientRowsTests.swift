import JPEGBitstream
import Testing

@Suite("Coefficients of all scans")
struct CoefficientRowsTests {
    /// A grey file: tables with the symbols 0 and 3 in one bit each, and the given scans.
    private static func file(
        _ frame: UInt8 = 0xC2, width: Int = 8, height: Int = 8, precision: UInt8 = 8,
        _ scans: (inout JPEGBuilder) -> Void
    ) -> [UInt8] {
        JPEGBuilder.image {
            $0.segment(0xDB, [0] + [UInt8](repeating: 2, count: 64))
            $0.frame(frame, precision: precision, width: width, height: height, components: [(1, 0x11, 0)])
            // One code of one bit, one of two.
            let lengths: [UInt8] = [1, 1] + [UInt8](repeating: 0, count: 14)
            $0.segment(0xC4, [0x00] + lengths + [0, 3])
            $0.segment(0xC4, [0x10] + lengths + [0, 1])
            scans(&$0)
        }
    }

    private static func rows(_ file: [UInt8]) throws(JPEGBitstreamError) -> JPEGCoefficientRows {
        JPEGCoefficientRows(
            try JPEGScanScript(
                JPEGStructure(of: file.span.bytes), head: file.span.bytes, data: file.span.bytes, from: 0))
    }

    @Test("A coefficient's bits come together from its scans")
    func refinement() throws {
        let file = Self.file {
            // DC: 10 for three bits, 101 is 5; shifted by one bit.
            $0.scan([(1, 0)], from: 0, to: 0, approximation: 0x01, data: [0b1010_1111])
            // The first AC coefficient: 10 for a run of 0 and one bit, 0 is -1; then the end.
            $0.scan([(1, 0)], from: 1, to: 63, approximation: 0x01, data: [0b1000_1111])
            $0.scan([(1, 0)], from: 0, to: 0, approximation: 0x10, data: [0b1111_1111, 0])
            // A new one at the second place, positive, before it the bit of the first; the end.
            $0.scan([(1, 0)], from: 1, to: 63, approximation: 0x10, data: [0b1011_0111])
        }
        var rows = try Self.rows(file)
        #expect(rows.isComplete && rows.layout.mcusDown == 1 && rows.steps == [[UInt16](repeating: 2, count: 64)])
        rows.decodeRow(file.span.bytes, from: 0)
        #expect(rows.failure == nil && rows.soundRowCount == 1)
        // The second in zigzag order stands below DC.
        #expect(rows.coefficients[0] == 11 && rows.coefficients[1] == -3 && rows.coefficients[8] == 1)
        #expect(rows.coefficients.count { $0 != 0 } == 3 && rows.masks == [0b110])
    }

    @Test(
        "Frames and scans that can't be are errors with a code and an offset",
        arguments: [
            (0xC2, 0, 5, 0x00, .invalidScan), (0xC2, 5, 4, 0x00, .invalidScan), (0xC2, 1, 64, 0x00, .invalidScan),
            (0xC2, 0, 0, 0x0E, .invalidScan), (0xC2, 0, 0, 0x20, .invalidScan), (0xC1, 0, 62, 0x00, .invalidScan),
            (0xC1, 1, 63, 0x00, .invalidScan), (0xC3, 0, 63, 0x00, .invalidFrame), (0xC9, 0, 63, 0x00, .invalidFrame),
            (0xC5, 0, 63, 0x00, .invalidFrame),
        ] as [(UInt8, UInt8, UInt8, UInt8, JPEGBitstreamError.Code)])
    func illegal(frame: UInt8, start: UInt8, end: UInt8, approximation: UInt8, code: JPEGBitstreamError.Code) throws {
        let file = Self.file(frame) { $0.scan([(1, 0)], from: start, to: end, approximation: approximation) }
        let error = #expect(throws: JPEGBitstreamError.self) { try Self.rows(file) }
        #expect(error?.code == code)
        if code == .invalidScan { #expect(error?.offset == JPEGStructure(of: file.span.bytes).scans[0].offset) }
    }

    @Test("Missing tables, other components, no height and other precisions are errors")
    func missing() {
        func code(_ file: [UInt8]) -> JPEGBitstreamError.Code? {
            #expect(throws: JPEGBitstreamError.self) { try Self.rows(file) }?.code
        }
        #expect(code(Self.file { $0.scan([(1, 0x10)]) }) == .invalidScan)
        #expect(code(Self.file(0xC1) { $0.scan([(1, 0x10)]) }) == .invalidHuffmanTable)
        #expect(code(Self.file(0xC1) { $0.scan([(1, 0x01)]) }) == .invalidHuffmanTable)
        #expect(code(Self.file(0xC1) { $0.scan([(2, 0x00)]) }) == .invalidScan)
        #expect(code(Self.file(0xC1, height: 0) { $0.scan([(1, 0)]) }) == .invalidFrame)
        #expect(code(Self.file(0xC1, precision: 10) { $0.scan([(1, 0)]) }) == .invalidFrame)
        #expect(code([0xFF, 0xD8, 0xFF, 0xD9]) == .truncated)
    }

    @Test("Data that ends, or has no code, ends a scan with an offset", arguments: [UInt8(0xC1), 0xC2])
    func damaged(frame: UInt8) throws {
        let whole = Self.file(frame, height: 80) {
            $0.scan([(1, 0)], from: 0, to: frame == 0xC2 ? 0 : 63, data: [UInt8](repeating: 0, count: 3))
        }
        let scan = JPEGStructure(of: whole.span.bytes).scans[0]
        for count in (scan.dataOffset)...(scan.dataOffset + 3) {
            let file = Array(whole[..<count])
            var rows = try Self.rows(file)
            while rows.rowCount < rows.layout.mcusDown { rows.decodeRow(file.span.bytes, from: 0) }
            // Three bytes hold all sequential blocks: the file lacks only its end marker, and is whole.
            let isWhole = frame == 0xC1 && count == scan.dataOffset + 3
            #expect(rows.failure?.code == (isWhole ? nil : .truncated))
            #expect(isWhole || rows.failure?.offset == count)
            // A block takes one bit or two, and ten are needed.
            let blocks = (count - scan.dataOffset) * (frame == 0xC2 ? 8 : 4)
            #expect(rows.soundRowCount == min(blocks + 1, 10))
        }
        let invalid = Self.file(frame) {
            $0.scan([(1, 0)], from: 0, to: frame == 0xC2 ? 0 : 63, data: [0xFF, 0, 0xFF, 0])
        }
        var rows = try Self.rows(invalid)
        rows.decodeRow(invalid.span.bytes, from: 0)
        #expect(rows.failure?.code == .invalidEntropyData && rows.soundRowCount == 1)
    }
}
