import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files that are wrong: each gives an error that says what, and the pixels there are.
@Suite("PNG damage")
struct PNGDamageTests {
    private static let signature: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]

    private static func header(
        width: Int = 4, height: Int = 4, depth: UInt8 = 8, type: UInt8 = 0, compression: UInt8 = 0, filter: UInt8 = 0,
        interlace: UInt8 = 0
    ) -> [UInt8] {
        PNGFixture.chunk(
            "IHDR",
            PNGFixture.number(width) + PNGFixture.number(height) + [depth, type, compression, filter, interlace])
    }

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        /// Rows that come before the error.
        var rows = 0
    }

    private static let rows: [UInt8] = (0..<4).flatMap { y in [0, UInt8(y), 7, 8, 9] }
    private static let data = PNGFixture.chunk("IDAT", PNGFixture.zlib(rows))
    private static let end = PNGFixture.chunk("IEND", [])

    static let cases: [Case] = [
        Case(testDescription: "nothing", file: [], code: .truncated),
        Case(testDescription: "only a signature", file: signature, code: .truncated),
        Case(testDescription: "another signature", file: [137, 80, 78, 71, 13, 10, 26, 11], code: .corrupt),
        Case(testDescription: "no header", file: signature + data + end, code: .corrupt),
        Case(testDescription: "header cut", file: Array((signature + header()).dropLast(5)), code: .truncated),
        Case(
            testDescription: "header's checksum", file: signature + header().dropLast() + [0] + data + end,
            code: .corrupt),
        Case(
            testDescription: "short header", file: signature + PNGFixture.chunk("IHDR", [0, 0, 0, 4]) + data + end,
            code: .corrupt),
        Case(testDescription: "two headers", file: signature + header() + header() + data + end, code: .corrupt),
        Case(testDescription: "no width", file: signature + header(width: 0) + data + end, code: .corrupt),
        Case(testDescription: "no height", file: signature + header(height: 0) + data + end, code: .corrupt),
        Case(
            testDescription: "side beyond the format", file: signature + header(width: 0x8000_0000) + data + end,
            code: .corrupt),
        Case(
            testDescription: "side beyond the limit", file: signature + header(width: 0x7FFF_FFFF) + data + end,
            code: .limitExceeded),
        Case(
            testDescription: "pixels beyond the limit",
            file: signature + header(width: 1 << 20, height: 1 << 20) + data + end, code: .limitExceeded),
        Case(testDescription: "depth 0", file: signature + header(depth: 0) + data + end, code: .corrupt),
        Case(testDescription: "depth 3", file: signature + header(depth: 3) + data + end, code: .corrupt),
        Case(
            testDescription: "depth 4 of RGB", file: signature + header(depth: 4, type: 2) + data + end, code: .corrupt),
        Case(
            testDescription: "depth 16 of indices", file: signature + header(depth: 16, type: 3) + data + end,
            code: .corrupt),
        Case(testDescription: "colour type 1", file: signature + header(type: 1) + data + end, code: .corrupt),
        Case(testDescription: "colour type 7", file: signature + header(type: 7) + data + end, code: .corrupt),
        Case(testDescription: "compression 1", file: signature + header(compression: 1) + data + end, code: .corrupt),
        Case(testDescription: "filter method 1", file: signature + header(filter: 1) + data + end, code: .corrupt),
        Case(testDescription: "interlace 2", file: signature + header(interlace: 2) + data + end, code: .corrupt),
        Case(testDescription: "no palette", file: signature + header(type: 3) + data + end, code: .corrupt),
        Case(
            testDescription: "palette of 4 bytes",
            file: signature + header(type: 3) + PNGFixture.chunk("PLTE", [1, 2, 3, 4]) + data + end, code: .corrupt),
        Case(
            testDescription: "empty palette",
            file: signature + header(type: 3) + PNGFixture.chunk("PLTE", []) + data + end,
            code: .corrupt),
        Case(
            testDescription: "palette of 257 colours",
            file: signature + header(type: 3) + PNGFixture.chunk("PLTE", [UInt8](repeating: 1, count: 771)) + data
                + end,
            code: .corrupt),
        Case(
            testDescription: "index beyond the palette",
            file: signature + header(type: 3) + PNGFixture.chunk("PLTE", [UInt8](repeating: 1, count: 27)) + data + end,
            code: .corrupt, rows: 4),
        Case(
            testDescription: "unknown critical chunk",
            file: signature + header() + PNGFixture.chunk("ABCD", []) + data + end,
            code: .unsupported),
        Case(
            testDescription: "no chunk",
            file: signature + header() + [0, 0, 0, 1, 1, 2, 3, 4, 0, 0, 0, 0, 0] + data + end,
            code: .corrupt),
        Case(
            testDescription: "chunk longer than any",
            file: signature + header() + [255, 255, 255, 255] + Array("IDAT".utf8) + data + end, code: .corrupt),
        Case(
            testDescription: "chunk longer than the file",
            file: signature + header() + [0x7F, 255, 255, 255] + Array("tEXt".utf8) + data + end, code: .truncated),
        Case(testDescription: "no data", file: signature + header() + end, code: .corrupt),
        Case(testDescription: "no data and no end", file: signature + header(), code: .truncated),
        Case(testDescription: "no end", file: signature + header() + data, code: .truncated, rows: 4),
        Case(
            testDescription: "data's checksum", file: signature + header() + data.dropLast() + [data.last! ^ 1] + end,
            code: .corrupt, rows: 4),
        Case(
            testDescription: "zlib's check value",
            file: signature + header()
                + PNGFixture.chunk("IDAT", PNGFixture.zlib(rows).dropLast() + [0]) + end, code: .corrupt, rows: 4),
        Case(
            testDescription: "no check value",
            file: signature + header() + PNGFixture.chunk("IDAT", PNGFixture.zlib(rows).dropLast(4)) + end,
            code: .corrupt, rows: 4),
        Case(
            testDescription: "garbage for zlib",
            file: signature + header() + PNGFixture.chunk("IDAT", [1, 2, 3, 4, 5, 6, 7, 8]) + end, code: .corrupt),
        Case(
            testDescription: "an unknown block type",
            file: signature + header() + PNGFixture.chunk("IDAT", [0x78, 1, 7, 0, 0, 0, 0]) + end, code: .corrupt),
        Case(
            testDescription: "a match before the beginning",
            // Fixed codes: length 3 at distance 1, before any literal.
            file: signature + header() + PNGFixture.chunk("IDAT", [0x78, 1, 0x03, 0x02, 0, 0, 0, 0, 0]) + end,
            code: .corrupt),
        Case(
            testDescription: "rows missing",
            file: signature + header() + PNGFixture.chunk("IDAT", PNGFixture.zlib(Array(rows.prefix(13)))) + end,
            code: .truncated, rows: 2),
        Case(
            testDescription: "filter 5",
            file: signature + header()
                + PNGFixture.chunk("IDAT", PNGFixture.zlib(Array(rows.prefix(10)) + [5] + rows.suffix(9))) + end,
            code: .corrupt, rows: 2),
    ]

    @Test("Errors come after the rows before them", arguments: cases)
    func wrong(_ wrong: Case) {
        for splits in [[], Array(1..<max(1, wrong.file.count))] {
            let session = DecoderSession(png: wrong.file, splits: splits)
            #expect(!session.isComplete)
            #expect(session.error?.code == wrong.code, "\(String(describing: session.error))")
            #expect(session.rows == wrong.rows)
            for y in 0..<session.rows where session.bitmap?.format == .gray8 {
                #expect(session.bitmap!.rows.row(y, as: Gray8.self)[0].value == UInt8(y))
            }
        }
    }

    @Test("Harmless faults are ignored")
    func tolerated() throws {
        let surplus = PNGFixture.chunk("IDAT", PNGFixture.zlib(Self.rows + [1, 2, 3]))
        for file in [
            Self.signature + Self.header() + Self.data + Self.end + [1, 2, 3],
            Self.signature + Self.header() + surplus + Self.end,
            // A wrong checksum of a chunk that isn't needed, and chunks with nonsense in them.
            Self.signature + Self.header() + PNGFixture.chunk("gAMA", [0, 0, 177, 143], checksum: 1) + Self.data
                + Self.end,
            Self.signature + Self.header() + PNGFixture.chunk("gAMA", [0, 0, 0, 0]) + Self.data + Self.end,
            Self.signature + Self.header() + PNGFixture.chunk("cHRM", [1, 2]) + Self.data + Self.end,
            Self.signature + Self.header() + PNGFixture.chunk("iCCP", [65, 0, 0, 1, 2, 3]) + Self.data + Self.end,
            Self.signature + Self.header() + PNGFixture.chunk("tRNS", [1]) + Self.data + Self.end,
            Self.signature + Self.header() + PNGFixture.chunk("PLTE", [1]) + Self.data + Self.end,
            Self.signature + Self.header() + Self.data + PNGFixture.chunk("tRNS", [0, 7]) + Self.end,
            // Pixels' data with another chunk in between, and in empty chunks.
            Self.signature + Self.header() + PNGFixture.chunk("IDAT", [])
                + PNGFixture.chunk("IDAT", Array(PNGFixture.zlib(Self.rows).prefix(9)))
                + PNGFixture.chunk("tEXt", [65, 0, 66])
                + PNGFixture.chunk("IDAT", Array(PNGFixture.zlib(Self.rows).dropFirst(9))) + Self.end,
        ] {
            let session = DecoderSession(png: file)
            #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
            #expect(session.bitmap?.format == .gray8)
            #expect(session.header?.profile == .sRGB)
            #expect(session.bitmap?.tightBytes() == [0, 7, 8, 9, 1, 7, 8, 9, 2, 7, 8, 9, 3, 7, 8, 9])
        }
    }

    @Test("A truncated file gives its rows, wherever it ends", arguments: [false, true])
    func cuts(isInterlaced: Bool) {
        let fixture = PNGFixture(17, 16, colorType: 2, bitDepth: 8, isInterlaced: isInterlaced)
        let (file, expected) = (fixture.bytes, fixture.expected)
        var most = 0
        for count in 0..<file.count {
            let session = DecoderSession(png: Array(file.prefix(count)))
            #expect(session.error?.code == .truncated, "cut at \(count)")
            if !isInterlaced, let bitmap = session.bitmap {
                #expect(bitmap.samples16 == Array(expected.prefix(bitmap.height * 17 * 4)))
            }
            #expect(session.rows >= most)
            most = session.rows
        }
        #expect(most == 16)
    }

    @Test("Changed bytes never trap", arguments: [false, true])
    func flips(isInterlaced: Bool) {
        let fixture = PNGFixture(9, 7, colorType: 3, bitDepth: 4, isInterlaced: isInterlaced, isKeyed: true)
        let file = fixture.bytes
        var failures = 0
        for index in file.indices {
            for bit in 0..<8 {
                var damaged = file
                damaged[index] ^= 1 << UInt8(bit)
                // No trap, and nothing is said to be whole that isn't, but for chunks that don't matter.
                let session = DecoderSession(
                    png: damaged, delivery: .every,
                    limits: DecodingLimits(
                        maximumPixelCount: 1 << 16, maximumSideLength: 1 << 16, maximumInputByteCount: 1 << 20,
                        maximumWorkingByteCount: 1 << 22, maximumMetadataByteCount: 1 << 16, maximumScanCount: 500,
                        maximumFrameCount: 100,
                        maximumCompressionRatio: 10_000))
                if session.error != nil { failures += 1 }
            }
        }
        #expect(failures > file.count * 7)
    }

    @Test("A bomb isn't inflated")
    func bombs() throws {
        // A profile of 8 MB of zeros: within the chunk it is small.
        let zeros = PNGFixture.zlib([UInt8](repeating: 0, count: 8 << 20))
        var fixture = PNGFixture(4, 4, colorType: 2, bitDepth: 8)
        fixture.chunks = [("iCCP", [65, 0, 0] + zeros), ("zTXt", [65, 0, 0] + zeros)]
        var limits = DecodingLimits.standard
        limits.maximumMetadataByteCount = 1 << 20
        let session = DecoderSession(png: fixture.bytes, limits: limits)
        #expect(session.isComplete && session.header?.profile == .sRGB)
        // Interlaced pictures are held whole, so their size counts before the first row.
        limits.maximumWorkingByteCount = 2 << 20
        let interlaced = Self.signature + Self.header(width: 2000, height: 2000, type: 6, interlace: 1) + Self.data
        #expect(DecoderSession(png: interlaced, limits: limits).error?.code == .limitExceeded)
    }
}
