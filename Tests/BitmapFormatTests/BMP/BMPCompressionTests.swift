import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Run lengths and fax codes.
@Suite("BMP compression")
struct BMPCompressionTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var bits: Int
        var data: [UInt8]
        /// Indices (or blue, of colours whose channels are all the same) row by row from the bottom.
        var rows: [[UInt8]]
        var code: ImageError.Code?
    }

    /// Pictures of 6 × 3.
    static let cases: [Case] = [
        Case(
            testDescription: "runs", bits: 8, data: [6, 1, 0, 0, 3, 2, 3, 3, 0, 0, 6, 4, 0, 0, 0, 1],
            rows: [[1, 1, 1, 1, 1, 1], [2, 2, 2, 3, 3, 3], [4, 4, 4, 4, 4, 4]]),
        Case(
            testDescription: "no mark at the end", bits: 8, data: [6, 1, 0, 0, 3, 2, 3, 3, 0, 0, 6, 4],
            rows: [[1, 1, 1, 1, 1, 1], [2, 2, 2, 3, 3, 3], [4, 4, 4, 4, 4, 4]]),
        Case(
            testDescription: "literals, odd and even", bits: 8,
            data: [0, 3, 7, 8, 9, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 6, 9, 0, 1],
            rows: [[7, 8, 9, 1, 2, 3], [1, 2, 3, 4, 5, 6], [9, 9, 9, 9, 9, 9]]),
        Case(
            testDescription: "deltas in a row and down", bits: 8,
            data: [1, 5, 0, 2, 2, 0, 1, 6, 0, 2, 1, 1, 1, 7, 0, 1],
            rows: [[5, 0, 0, 6, 0, 0], [0, 0, 0, 0, 0, 7], [0, 0, 0, 0, 0, 0]]),
        Case(
            testDescription: "delta over a row", bits: 8, data: [2, 5, 0, 2, 1, 2, 2, 6, 0, 1],
            rows: [[5, 5, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 6, 6, 0]]),
        Case(
            testDescription: "early ends", bits: 8, data: [2, 5, 0, 0, 0, 0, 1, 6, 0, 1],
            rows: [[5, 5, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [6, 0, 0, 0, 0, 0]]),
        Case(
            testDescription: "runs beyond the side are cut", bits: 8,
            data: [200, 1, 9, 9, 0, 0, 6, 2, 0, 0, 255, 3, 0, 1],
            rows: [[1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2], [3, 3, 3, 3, 3, 3]]),
        Case(
            testDescription: "a delta beyond the side", bits: 8, data: [1, 1, 0, 2, 200, 0, 1, 9, 0, 0, 6, 2, 0, 1],
            rows: [[1, 0, 0, 0, 0, 0], [2, 2, 2, 2, 2, 2], [0, 0, 0, 0, 0, 0]]),
        Case(
            testDescription: "a delta beyond the top", bits: 8, data: [6, 1, 0, 2, 0, 200, 1, 9, 0, 1],
            rows: [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]], code: .corrupt),
        Case(
            testDescription: "a row too many", bits: 8, data: [6, 1, 0, 0, 6, 2, 0, 0, 6, 3, 0, 0, 6, 4, 0, 1],
            rows: [[1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2], [3, 3, 3, 3, 3, 3]]),
        Case(
            testDescription: "cut in a row", bits: 8, data: [6, 1, 0, 0, 3, 2],
            rows: [[1, 1, 1, 1, 1, 1], [2, 2, 2, 0, 0, 0]], code: .truncated),
        Case(
            testDescription: "cut in a literal", bits: 8, data: [6, 1, 0, 0, 0, 6, 3, 4, 5],
            rows: [[1, 1, 1, 1, 1, 1], [3, 4, 5, 0, 0, 0]], code: .truncated),
        Case(
            testDescription: "four bits", bits: 4,
            data: [5, 0x12, 1, 0x30, 0, 0, 0, 5, 0x45, 0x67, 0x80, 0, 0, 0, 6, 0xAA, 0, 1],
            rows: [[1, 2, 1, 2, 1, 3], [4, 5, 6, 7, 8, 0], [10, 10, 10, 10, 10, 10]]),
        Case(
            testDescription: "OS/2's of 24 bits", bits: 24,
            data: [2, 9, 9, 9, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0, 6, 5, 5, 5, 0, 0, 0, 1],
            rows: [[9, 9, 1, 2, 3, 0], [5, 5, 5, 5, 5, 5], [0, 0, 0, 0, 0, 0]]),
    ]

    private static func fixture(_ testCase: Case) -> BMPFixture {
        var fixture = BMPFixture(width: 6, height: 3, bitsPerPixel: testCase.bits)
        fixture.data = testCase.data
        switch testCase.bits {
        case 8: (fixture.compression, fixture.palette) = (1, BMPFixture.colors(256))
        case 4: (fixture.compression, fixture.palette) = (2, BMPFixture.colors(16))
        default: (fixture.compression, fixture.headerByteCount) = (4, 64)
        }
        return fixture
    }

    @Test("Runs, literals, deltas and ends decode for any split", arguments: cases)
    func runs(of testCase: Case) {
        let fixture = Self.fixture(testCase)
        func color(_ index: UInt8) -> RGBA8 {
            fixture.palette.isEmpty ? RGBA8(index, index, index) : fixture.palette[Int(index)]
        }
        // Rows that the file ends before are black, above those that it has.
        let missing = [[RGBA8]](repeating: [RGBA8](repeating: RGBA8(0, 0, 0), count: 6), count: 3 - testCase.rows.count)
        let expected = Array((missing + testCase.rows.reversed().map { $0.map(color) }).joined())
        for round in 0..<4 {
            let splits = round == 3 ? [] : DecoderSession.splits(of: fixture.file.count, round: round)
            let session = DecoderSession(BMPCodec(), fixture.file, splits: splits)
            #expect(session.bitmap?.pixels == expected)
            #expect(session.error?.code == testCase.code)
            #expect(session.rows == 3)
        }
    }

    @Test("Top-down rows come with their runs")
    func topDown() {
        var fixture = Self.fixture(Self.cases[0])
        fixture.isTopDown = true
        let file = fixture.file
        let session = DecoderSession(BMPCodec(), file, splits: Array(1..<file.count))
        #expect(session.firstRowByteCount == file.count - 12)
        #expect(session.bitmap?.pixels.map(\.red) == Self.cases[0].rows.joined().map { fixture.palette[Int($0)].red })
    }

    @Test(
        "Huffman codes written by libtiff decode", .needsPillow,
        arguments: [
            PixelSize(width: 13, height: 9), PixelSize(width: 700, height: 40), PixelSize(width: 6000, height: 6),
        ])
    func fax(size: PixelSize) throws {
        // Runs of every length up to the width, black and white.
        var random = SeededGenerator(UInt64(size.width))
        var pixels: [UInt32] = []
        for _ in 0..<size.height {
            var (row, isBlack): ([UInt32], Bool) = ([], Bool.random(using: &random))
            while row.count < size.width {
                let most = 1 << Int.random(in: 1...13, using: &random)
                let run = min(size.width - row.count, Int.random(in: 1...most, using: &random))
                row += [UInt32](repeating: isBlack ? 1 : 0, count: run)
                isBlack.toggle()
            }
            pixels += row
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(pixels.map { $0 == 1 ? 0 : 255 }, to: "pixels")
        let program = """
            import sys, io
            from PIL import Image
            image = Image.frombytes("L", (\(size.width), \(size.height)), open(sys.argv[1], "rb").read()).convert("1")
            file = io.BytesIO()
            image.save(file, "TIFF", compression="group3", tiffinfo={262: 0, 278: \(size.height)})
            tiff = Image.open(io.BytesIO(file.getvalue()))
            assert tiff.tag_v2.get(266, 1) == 1 and tiff.tag_v2[262] == 0
            for start, count in zip(tiff.tag_v2[273], tiff.tag_v2[279]):
                sys.stdout.buffer.write(file.getvalue()[start:start + count])
            """
        var fixture = BMPFixture(width: size.width, height: size.height, headerByteCount: 64, bitsPerPixel: 1)
        fixture.compression = 3
        fixture.palette = [RGBA8(255, 255, 255), RGBA8(10, 20, 30)]
        let data: [UInt8] = try #require(try CommandLineTool.python.output(["-c", program, path]))
        fixture.data = data
        // The first row of the data is the bottom one.
        let rows = (0..<size.height).map { Array(pixels[($0 * size.width)..<(($0 + 1) * size.width)]) }
        let expected = rows.reversed().joined().map { fixture.palette[Int($0)] }
        for round in 0..<3 {
            let splits = DecoderSession.splits(of: fixture.file.count, round: round)
            let session = DecoderSession(BMPCodec(), fixture.file, splits: splits)
            #expect(session.error == nil && session.bitmap?.pixels == expected)
        }
        fixture.data!.removeLast(fixture.data!.count / 2)
        let cut = DecoderSession(BMPCodec(), fixture.file)
        #expect(cut.error != nil && cut.rows == size.height)
        #expect(cut.bitmap?.pixels.suffix(size.width) == expected.suffix(size.width))
        fixture.data = [0x2F] + [UInt8](repeating: 0xFF, count: 100)
        #expect(DecoderSession(BMPCodec(), fixture.file).error != nil)
    }
}
