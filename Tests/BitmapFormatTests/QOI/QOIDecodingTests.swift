import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Every kind of chunk, every split, and files that are wrong.
@Suite("QOI decoding")
struct QOIDecodingTests {
    @Test("Chunks of every kind decode for any split", arguments: 0..<6)
    func chunks(round: Int) {
        let (file, pixels) = QOIFixture.rows
        let splits = round == 5 ? [] : DecoderSession.splits(of: file.count, round: round)
        let session = DecoderSession(QOICodec(), file, splits: splits, rowCount: round % 3 + 1)
        #expect(session.error == nil)
        #expect(session.pixels == pixels)
        #expect(session.header?.storedSize == PixelSize(width: 3, height: 5))
        #expect(session.header?.hasAlpha == true && session.header?.profile == .sRGB)
    }

    @Test("A Python reader agrees", .needs(.python))
    func python() throws {
        let (file, pixels) = QOIFixture.rows
        let seen = try #require(try QOIFixture.pythonPixels(file))
        #expect(seen == pixels.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] })
    }

    @Test("A row comes with its last byte")
    func rowByRow() {
        let file = QOIFixture.file(
            2, 3, [0xFE, 1, 2, 3, 0xFE, 4, 5, 6, 0xFE, 7, 8, 9, 0xFE, 9, 9, 9, 0xFE, 2, 2, 2, 0xC0])
        let session = DecoderSession(QOICodec(), file, splits: [21, 22, 29, 30, 34, 35])
        #expect(session.progress == [0, 1, 1, 2, 2, 3, 3, 3])
        #expect(session.error == nil)
    }

    @Test("Three channels are opaque, whatever alpha the chunks have")
    func opaque() {
        let file = QOIFixture.file(2, 1, channels: 3, [0xFF, 1, 2, 3, 4, 0xC0])
        let session = DecoderSession(QOICodec(), file)
        #expect(session.pixels == [RGBA8(1, 2, 3), RGBA8(1, 2, 3)])
        #expect(session.info?.alpha == AlphaMode.none && session.header?.hasAlpha == false)
    }

    @Test("Linear values become sRGB")
    func linear() throws {
        let file = QOIFixture.file(1, 1, channels: 3, colorSpace: 1, [0xFE, 0, 55, 255])
        let stored = DecoderSession(QOICodec(), file)
        #expect(stored.pixels == [RGBA8(0, 55, 255)])
        #expect(stored.header?.profile == .calibrated(gamma: 1, nil))
        let pixel = try ImageSource.decode(file).bitmap.pixels[0]
        // 55 of 255 is sRGB's 128.
        #expect(pixel.red == 0 && abs(Int(pixel.green) - 128) <= 1 && pixel.blue == 255)
    }

    @Test("A region is cropped from the rows")
    func region() {
        let (file, pixels) = QOIFixture.rows
        let plan = DecodingPlan(region: PixelRect(x: 1, y: 1, width: 2, height: 3))
        for round in 0..<3 {
            let splits = DecoderSession.splits(of: file.count, round: round)
            let session = DecoderSession(QOICodec(), file, splits: splits, plan: plan)
            #expect(session.error == nil)
            #expect(session.pixels == [4, 5, 7, 8, 10, 11].map { pixels[$0] })
        }
    }

    @Test("The end marker may be missing or followed by anything")
    func ends() {
        let (file, pixels) = QOIFixture.rows
        for file in [Array(file.dropLast(8)), Array(file.dropLast(3)), file + [0xFE, 1, 2], file + file] {
            let session = DecoderSession(QOICodec(), file, splits: DecoderSession.splits(of: file.count, round: 1))
            #expect(session.error == nil)
            #expect(session.pixels == pixels)
        }
    }

    @Test("An index of 0 before the end is a pixel")
    func lastIndex() {
        let file = QOIFixture.file(3, 1, [0xFF, 9, 9, 9, 9, 0xFF, 0, 0, 0, 0, 0x00])
        for round in 0..<3 {
            let splits = DecoderSession.splits(of: file.count, round: round)
            let session = DecoderSession(QOICodec(), file, splits: splits)
            #expect(session.error == nil)
            #expect(session.pixels == [RGBA8(9, 9, 9, 9), RGBA8(0, 0, 0, 0), RGBA8(0, 0, 0, 0)])
        }
    }
}

/// Files that are wrong: each gives an error that says what and where, after the rows there are.
@Suite("QOI damage")
struct QOIDamageTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        var offset: Int?
        var rows = 0
    }

    private static let file = QOIFixture.rows.file

    private static func patched(_ offset: Int, _ value: UInt8) -> [UInt8] {
        var file = file
        file[offset] = value
        return file
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing", file: [], code: .truncated, offset: 0),
        Case(testDescription: "only the signature", file: Array(file.prefix(4)), code: .truncated, offset: 4),
        Case(testDescription: "cut in the header", file: Array(file.prefix(13)), code: .truncated, offset: 13),
        Case(testDescription: "no pixels", file: Array(file.prefix(14)), code: .truncated, offset: 14),
        Case(testDescription: "another signature", file: patched(3, 0x67), code: .corrupt, offset: 0),
        Case(testDescription: "no width", file: patched(7, 0), code: .corrupt),
        Case(testDescription: "no height", file: patched(11, 0), code: .corrupt),
        Case(testDescription: "2 channels", file: patched(12, 2), code: .corrupt, offset: 12),
        Case(testDescription: "colour space 2", file: patched(13, 2), code: .corrupt, offset: 13),
        Case(testDescription: "width beyond the limit", file: patched(4, 0x7F), code: .limitExceeded),
        Case(testDescription: "too many pixels", file: QOIFixture.file(1 << 20, 1 << 20, []), code: .limitExceeded),
        Case(testDescription: "cut in a chunk", file: Array(file.prefix(24)), code: .truncated, offset: 24, rows: 2),
        Case(
            testDescription: "cut between chunks", file: Array(file.prefix(28)), code: .truncated, offset: 28, rows: 2),
        Case(
            testDescription: "cut in a run", file: Array(file.prefix(32)) + [0xC3], code: .truncated, offset: 33,
            rows: 4),
        Case(
            testDescription: "the end too early", file: QOIFixture.file(2, 4, [0xC3, 0xFE, 1, 2, 3]), code: .corrupt,
            offset: 19, rows: 2),
    ]

    @Test("Errors are the same for any split", arguments: cases)
    func damage(in testCase: Case) {
        let whole = DecoderSession(QOICodec(), testCase.file)
        #expect(whole.error?.code == testCase.code, "\(String(describing: whole.error))")
        #expect(whole.error?.byteOffset == testCase.offset)
        #expect(whole.rows == testCase.rows)
        for round in 0..<3 where testCase.file.count > 1 {
            let splits = DecoderSession.splits(of: testCase.file.count, round: round)
            let session = DecoderSession(QOICodec(), testCase.file, splits: splits)
            #expect(session.error?.code == testCase.code)
            #expect(session.error?.byteOffset == testCase.offset)
            #expect(session.pixels == whole.pixels)
        }
    }

    @Test("Input beyond the limit is refused where it must be buffered")
    func limits() {
        var limits = DecodingLimits.standard
        limits.maximumInputByteCount = 20
        let options = DecodingOptions(color: .asStored, limits: limits)
        #expect(DecoderSession(QOICodec(), Self.file, options: options).error?.code == .limitExceeded)
        limits = .standard
        limits.maximumPixelCount = 14
        let fewer = DecodingOptions(color: .asStored, limits: limits)
        #expect(DecoderSession(QOICodec(), Self.file, options: fewer).error?.code == .limitExceeded)
    }

    @Test("Changed bytes never trap")
    func mutations() {
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 1 << 16
        let options = DecodingOptions(limits: limits)
        for offset in Self.file.indices {
            for value: UInt8 in [0, 1, 0x3F, 0x40, 0x7F, 0x80, 0xC0, 0xFD, 0xFE, 0xFF] {
                let session = DecoderSession(QOICodec(), Self.patched(offset, value), options: options)
                #expect(session.isComplete || session.error != nil)
            }
        }
    }
}
