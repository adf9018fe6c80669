import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files that are wrong: each gives an error that says what and where, after the rows there are.
@Suite("TGA damage")
struct TGADamageTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        var offset: Int?
        var rows = 0
    }

    /// Nine by six pixels of three bytes: 27 bytes a row.
    private static let topDown = TGAFixture(kind: .rgb, bits: 24, isTopDown: true).file
    private static let bottomUp = TGAFixture(kind: .rgb, bits: 24).file
    private static let indexed = TGAFixture(kind: .indexed, bits: 8, isTopDown: true).file

    private static func patched(_ file: [UInt8], _ offset: Int, _ values: UInt8...) -> [UInt8] {
        var file = file
        file.replaceSubrange(offset..<(offset + values.count), with: values)
        return file
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing", file: [], code: .truncated, offset: 0),
        Case(testDescription: "cut in the header", file: Array(topDown.prefix(17)), code: .truncated, offset: 17),
        Case(testDescription: "no pixels", file: Array(topDown.prefix(18)), code: .truncated, offset: 18),
        Case(
            testDescription: "cut in the text", file: Array(patched(topDown, 0, 200).prefix(100)), code: .truncated,
            offset: 100),
        Case(testDescription: "cut in the palette", file: Array(indexed.prefix(130)), code: .truncated, offset: 130),
        Case(testDescription: "a palette alone", file: Array(indexed.prefix(138)), code: .truncated, offset: 138),
        Case(testDescription: "no colours", file: patched(indexed, 5, 0, 0), code: .corrupt, offset: 5),
        Case(testDescription: "colours of 8 bits", file: patched(indexed, 7, 8), code: .corrupt, offset: 7),
        Case(testDescription: "no width", file: patched(topDown, 12, 0, 0), code: .corrupt, offset: 12),
        Case(testDescription: "no height", file: patched(topDown, 14, 0, 0), code: .corrupt, offset: 14),
        Case(testDescription: "image type 0", file: patched(topDown, 2, 0), code: .corrupt, offset: 2),
        Case(testDescription: "8 bits of RGB", file: patched(topDown, 16, 8), code: .corrupt, offset: 16),
        Case(testDescription: "interleaved", file: patched(topDown, 17, 0x60), code: .corrupt, offset: 17),
        Case(
            testDescription: "too many pixels", file: patched(topDown, 12, 255, 255, 255, 255), code: .limitExceeded),
        Case(
            testDescription: "cut in a row", file: Array(topDown.prefix(18 + 80)), code: .truncated, offset: 98,
            rows: 2),
        Case(
            testDescription: "cut between rows", file: Array(topDown.prefix(18 + 54)), code: .truncated, offset: 72,
            rows: 2),
        // The rows at the bottom are there, so those above are empty.
        Case(
            testDescription: "cut in a row, bottom-up", file: Array(bottomUp.prefix(18 + 80)), code: .truncated,
            offset: 98, rows: 6),
        Case(
            testDescription: "cut in the first row, bottom-up", file: Array(bottomUp.prefix(18 + 20)),
            code: .truncated, offset: 38),
        Case(
            testDescription: "cut in a run's pixel", file: runLengths + [0x88, 1, 2], code: .truncated, offset: 25,
            rows: 1),
        Case(
            testDescription: "cut after a packet's length", file: runLengths + [0x03], code: .truncated, offset: 23,
            rows: 1),
        Case(
            testDescription: "cut in different pixels", file: runLengths + [0x03, 1, 2, 3, 4], code: .truncated,
            offset: 27, rows: 1),
        Case(testDescription: "cut between packets", file: runLengths, code: .truncated, offset: 22, rows: 1),
    ]

    /// A header of nine by six pixels in run lengths, and one row.
    private static let runLengths =
        TGAFixture(kind: .rgb, bits: 24, isTopDown: true, usesRunLengths: true).header + [0x88, 7, 8, 9]

    @Test("Errors are the same for any split", arguments: cases)
    func damage(in testCase: Case) {
        let whole = DecoderSession(TGACodec(), testCase.file)
        #expect(whole.error?.code == testCase.code, "\(String(describing: whole.error))")
        #expect(whole.error?.byteOffset == testCase.offset)
        #expect(whole.rows == testCase.rows)
        for round in 0..<3 where testCase.file.count > 1 {
            let splits = DecoderSession.splits(of: testCase.file.count, round: round)
            let session = DecoderSession(TGACodec(), testCase.file, splits: splits)
            #expect(session.error == whole.error)
            #expect(session.pixels == whole.pixels)
        }
    }

    @Test("A file without its first rows, which it has at its end, has the rest in place")
    func bottomUpRows() {
        let fixture = TGAFixture(kind: .rgb, bits: 24)
        let session = DecoderSession(TGACodec(), Array(fixture.file.prefix(18 + 27 * 4 + 5)))
        #expect(session.error?.code == .truncated)
        #expect(session.pixels.suffix(36) == fixture.expected.suffix(36))
        #expect(session.pixels.prefix(18).allSatisfy { $0 == session.pixels[0] })
        // A region that the file has is whole.
        let plan = DecodingPlan(region: PixelRect(x: 1, y: 2, width: 3, height: 4))
        #expect(DecoderSession(TGACodec(), Array(fixture.file.prefix(18 + 27 * 4)), plan: plan).error == nil)
    }

    @Test("Bytes after the pixels are ignored")
    func rest() {
        for fixture in TGAFixture.all where fixture.bits == 24 {
            let session = DecoderSession(TGACodec(), fixture.file + [UInt8](repeating: 0x85, count: 999))
            #expect(session.error == nil && session.pixels == fixture.expected)
        }
    }

    @Test("Input beyond the limits is refused")
    func limits() {
        var limits = DecodingLimits.standard
        limits.maximumInputByteCount = 100
        let options = DecodingOptions(color: .asStored, limits: limits)
        #expect(DecoderSession(TGACodec(), Self.bottomUp, options: options).error?.code == .limitExceeded)
        limits = .standard
        limits.maximumSideLength = 8
        let smaller = DecodingOptions(color: .asStored, limits: limits)
        #expect(DecoderSession(TGACodec(), Self.topDown, options: smaller).error?.code == .limitExceeded)
    }

    @Test("Changed bytes never trap")
    func mutations() {
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 1 << 16
        let options = DecodingOptions(limits: limits)
        for fixture in TGAFixture.all.filter(\.usesRunLengths) + TGAFixture.versionTwo {
            let file = fixture.file
            for offset in file.indices where offset < 24 || offset % 17 == 0 || offset > file.count - 27 {
                for value: UInt8 in [0, 1, 8, 0x7F, 0x80, 0xFF] {
                    var changed = file
                    changed[offset] = value
                    let session = DecoderSession(TGACodec(), changed, options: options)
                    #expect(session.isComplete || session.error != nil)
                }
            }
        }
    }
}
