import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files that are wrong: each gives an error that says what, and the pixels there are.
@Suite("BMP damage")
struct BMPDamageTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        /// Rows that come before the error.
        var rows = 0
    }

    private static func direct(_ change: (inout BMPFixture) -> Void) -> [UInt8] {
        var fixture = BMPFixture.direct(24)
        change(&fixture)
        return fixture.file
    }

    /// The file of 24 bits with a 32-bit number elsewhere.
    private static func patched(_ offset: Int, _ value: Int, count: Int = 4) -> [UInt8] {
        var file = BMPFixture.direct(24).file
        file.replaceSubrange(offset..<(offset + count), with: BMPFixture.little(value, count))
        return file
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing", file: [], code: .truncated),
        Case(testDescription: "only the file header", file: Array(direct { _ in }.prefix(14)), code: .truncated),
        Case(testDescription: "cut in the header", file: Array(direct { _ in }.prefix(40)), code: .truncated),
        Case(testDescription: "no pixels", file: Array(direct { _ in }.prefix(54)), code: .truncated),
        Case(
            testDescription: "another signature", file: [0x42] + direct { _ in }.dropFirst().map { $0 ^ 1 },
            code: .corrupt),
        Case(testDescription: "header of 13 bytes", file: patched(14, 13), code: .corrupt),
        Case(testDescription: "header of 2 GB", file: patched(14, 0x7FFF_FFFF), code: .corrupt),
        Case(testDescription: "no width", file: patched(18, 0), code: .corrupt),
        Case(testDescription: "negative width", file: patched(18, -3), code: .corrupt),
        Case(testDescription: "no height", file: patched(22, 0), code: .corrupt),
        Case(testDescription: "least height", file: patched(22, Int(Int32.min)), code: .limitExceeded),
        Case(testDescription: "width beyond the limit", file: patched(18, Int(Int32.max)), code: .limitExceeded),
        Case(testDescription: "no bits", file: patched(28, 0, count: 2), code: .corrupt),
        Case(testDescription: "7 bits", file: patched(28, 7, count: 2), code: .corrupt),
        Case(testDescription: "64 bits", file: patched(28, 64, count: 2), code: .corrupt),
        Case(testDescription: "run lengths of 24 bits", file: patched(30, 1), code: .unsupported),
        Case(testDescription: "inks", file: patched(30, 11), code: .unsupported),
        Case(testDescription: "compression 255", file: patched(30, 255), code: .unsupported),
        Case(testDescription: "pixels beyond the end", file: patched(10, 1_000_000), code: .truncated),
        Case(
            testDescription: "no masks", file: BMPFixture.direct(16, compression: 3, masks: [0, 0, 0]).file,
            code: .corrupt),
        Case(
            testDescription: "masks with gaps",
            file: BMPFixture.direct(16, compression: 3, masks: [0xF0F0, 15, 0]).file,
            code: .corrupt),
        Case(
            testDescription: "cut in the colours",
            file: Array(BMPFixture.indexed(8).file.prefix(14 + 40 + 100)), code: .truncated),
        // Rows from the bottom: those that are missing are black, and come first.
        Case(testDescription: "a byte missing", file: Array(direct { _ in }.dropLast(20)), code: .truncated, rows: 5),
        Case(
            testDescription: "half of it, top-down", file: Array(direct { $0.isTopDown = true }.dropLast(3 * 64 - 5)),
            code: .truncated, rows: 2),
        Case(
            testDescription: "embedded JPEG that isn't one",
            file: BMPFixture(width: 3, height: 3, bitsPerPixel: 0, compression: 4, data: [1, 2, 3, 4]).file,
            code: .corrupt),
    ]

    @Test("Errors are the same for any split", arguments: cases)
    func damage(in testCase: Case) {
        let whole = DecoderSession(BMPCodec(), testCase.file)
        #expect(whole.error?.code == testCase.code, "\(String(describing: whole.error))")
        #expect(whole.rows == testCase.rows)
        for round in 0..<3 where testCase.file.count > 1 {
            let splits = DecoderSession.splits(of: testCase.file.count, round: round)
            let session = DecoderSession(BMPCodec(), testCase.file, splits: splits)
            #expect(session.error?.code == testCase.code)
            #expect(session.bitmap?.tightBytes() == whole.bitmap?.tightBytes())
        }
    }

    @Test("Padding after the last row may be missing")
    func padding() {
        let fixture = BMPFixture.direct(24)
        let session = DecoderSession(BMPCodec(), Array(fixture.file.dropLast()))
        #expect(session.error == nil)
        #expect(session.bitmap?.pixels == fixture.expected)
    }

    @Test("A truncated bottom-up image keeps its lower rows")
    func lowerRows() {
        let fixture = BMPFixture.direct(24)
        let session = DecoderSession(BMPCodec(), Array(fixture.file.dropLast(64)))
        #expect(session.error?.code == .truncated)
        let black = [RGBA8](repeating: RGBA8(0, 0, 0), count: 21)
        #expect(session.bitmap?.pixels == black + fixture.expected.dropFirst(21))
    }

    @Test("Input beyond the limit is refused")
    func limits() {
        var limits = DecodingLimits.standard
        limits.maximumInputByteCount = 200
        let options = DecodingOptions(color: .asStored, limits: limits)
        #expect(DecoderSession(BMPCodec(), BMPFixture.direct(24).file, options: options).error?.code == .limitExceeded)
        #expect(DecoderSession(BMPCodec(), BMPFixture.indexed(1).file, options: options).error == nil)
        limits = .standard
        limits.maximumPixelCount = 104
        let fewer = DecodingOptions(limits: limits)
        #expect(DecoderSession(BMPCodec(), BMPFixture.direct(24).file, options: fewer).error?.code == .limitExceeded)
    }

    @Test("Changed bytes never trap")
    func mutations() {
        let files =
            [BMPFixture.indexed(4), BMPFixture.direct(16, compression: 3, masks: [0xF800, 0x7E0, 0x1F])].map(\.file)
            + [
                BMPFixture.direct(
                    32, compression: 3, masks: [0xFF, 0xFF00, 0xFF0000, 0xFF00_0000], headerByteCount: 124
                ).file
            ]
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 1 << 16
        let options = DecodingOptions(limits: limits)
        for file in files {
            for offset in 0..<min(file.count, 160) {
                for value: UInt8 in [0, 1, 3, 0x7F, 0x80, 0xFF] {
                    var changed = file
                    changed[offset] = value
                    let session = DecoderSession(BMPCodec(), changed, options: options)
                    #expect(session.isComplete || session.error != nil)
                }
            }
        }
    }
}
