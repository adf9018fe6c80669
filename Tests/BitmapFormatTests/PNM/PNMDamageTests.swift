import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files that are wrong: each gives an error that says what and where, after the rows there are.
@Suite("PNM damage")
struct PNMDamageTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        var offset: Int?
        var rows = 0

        init(_ text: String, _ code: ImageError.Code, _ offset: Int? = nil, rows: Int = 0) {
            testDescription = text.debugDescription
            file = Array(text.utf8)
            (self.code, self.offset, self.rows) = (code, offset, rows)
        }
    }

    private static func pam(_ lines: String...) -> String { "P7\n" + lines.joined(separator: "\n") + "\nENDHDR\n" }

    static let cases: [Case] = [
        Case("", .truncated, 0), Case("P", .truncated, 1), Case("P5", .truncated, 2), Case("P5 3 3 25", .truncated, 9),
        Case("P5 3 3 255", .truncated, 10), Case("P5 3 3 255\n", .truncated, 11), Case("P6 # no end", .truncated, 11),
        Case("P7\nWIDTH 3\n", .truncated, 11),
        Case("Q5 3 3 255\n", .corrupt, 0), Case("P9 3 3 255\n", .corrupt, 0), Case("P5 -3 3 255\n", .corrupt, 3),
        Case("P5 3 3 0x9\n", .corrupt, 8), Case("P5 3 3 0\n123456789", .corrupt, 8),
        Case("P5 3 3 65536\n", .corrupt, 12), Case("P5 3 3 99999999999999999999999999\n", .corrupt, 33),
        Case("P5 0 3 255\n", .corrupt), Case("P5 3 0 255\n", .corrupt),
        Case("P5 99999999999999999999 3 255\n", .limitExceeded), Case("P4 1000000 1000000\n", .limitExceeded),
        // Raw files end within a row.
        Case("P5 3 3 255\n123456", .truncated, 17, rows: 2), Case("P5 3 3 255\n12345", .truncated, 16, rows: 1),
        Case("P5 2 2 256\n1234567", .truncated, 18, rows: 1), Case("P6 1 2 255\n12345", .truncated, 16, rows: 1),
        Case("P4 9 2\n123", .truncated, 10, rows: 1),
        // Text ends within a row, or has something else in it.
        Case("P2 2 2 9 1 2 3", .truncated, 14, rows: 1), Case("P2 2 2 9 1 2 # 3 4", .truncated, 18, rows: 1),
        Case("P2 2 2 9 1 2 3 x", .corrupt, 15, rows: 1), Case("P2 2 2 9 1 -2 3 4", .corrupt, 11),
        Case("P2 2 2 9 1 2 3 10", .corrupt, 16, rows: 1), Case("P2 2 2 9 1 2.5 3 4", .corrupt, 12),
        Case("P2 2 2 9 99999999999999999999", .corrupt, 10), Case("P1 2 2 0 1 2 0", .corrupt, 11, rows: 1),
        Case("P1 2 2 011", .truncated, 10, rows: 1), Case("P3 1 2 9 1 2 3 4 5", .truncated, 18, rows: 1),
        // PAM's lines.
        Case(pam("WIDTH 3", "HEIGHT 3", "DEPTH 1"), .corrupt, 34),
        Case(pam("HEIGHT 3", "DEPTH 1", "MAXVAL 1"), .corrupt, 35),
        Case(pam("WIDTH 3", "HEIGHT 3", "MAXVAL 1"), .corrupt, 35),
        Case(pam("WIDTH x"), .corrupt, 10), Case(pam("WIDTH"), .corrupt, 8), Case(pam("WIDTH 3 4"), .corrupt, 12),
        Case(pam("SIZE 3"), .corrupt, 9), Case(pam("width 3"), .corrupt, 10),
        Case(pam(String(repeating: "W", count: 2000)), .corrupt, 1027),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 1", "MAXVAL 0"), .corrupt),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 1", "MAXVAL 65536"), .corrupt),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 1", "MAXVAL 9", "TUPLTYPE RGB"), .corrupt),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 3", "MAXVAL 9", "TUPLTYPE RGB_ALPHA"), .corrupt),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 2", "MAXVAL 9", "TUPLTYPE GRAYSCALE"), .corrupt),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 4", "MAXVAL 9", "TUPLTYPE CMYK"), .unsupported),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 1", "MAXVAL 9", "TUPLTYPE _ALPHA"), .unsupported),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 1", "MAXVAL 9", "TUPLTYPE RGB", "TUPLTYPE RGB"), .unsupported),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 5", "MAXVAL 9"), .unsupported),
        Case(pam("WIDTH 1", "HEIGHT 1", "DEPTH 99999999999999999999", "MAXVAL 9"), .unsupported),
        Case(pam("WIDTH 99999999", "HEIGHT 99999999", "DEPTH 4", "MAXVAL 9"), .limitExceeded),
        Case(pam("WIDTH 1", "HEIGHT 2", "DEPTH 4", "MAXVAL 9") + "12345", .truncated, 49, rows: 1),
    ]

    @Test("Errors are the same for any split", arguments: cases)
    func damage(in testCase: Case) {
        let whole = DecoderSession(PNMCodec(), testCase.file)
        #expect(whole.error?.code == testCase.code, "\(String(describing: whole.error))")
        if let offset = testCase.offset { #expect(whole.error?.byteOffset == offset) }
        #expect(whole.rows == testCase.rows)
        for round in 0..<3 where testCase.file.count > 1 {
            let splits = DecoderSession.splits(of: testCase.file.count, round: round)
            let session = DecoderSession(PNMCodec(), testCase.file, splits: splits)
            #expect(session.error == whole.error)
            #expect(session.pixels == whole.pixels)
        }
    }

    @Test("Input and headers beyond the limits are refused")
    func limits() {
        let file = Array("P5 3 3 255\n123456789".utf8)
        var limits = DecodingLimits.standard
        limits.maximumInputByteCount = 15
        func code(_ file: [UInt8], _ limits: DecodingLimits, index: Int? = nil) -> ImageError.Code? {
            let options = DecodingOptions(color: .asStored, imageIndex: index, limits: limits)
            return DecoderSession(PNMCodec(), file, options: options).error?.code
        }
        #expect(code(file, limits) == .limitExceeded)
        limits = .standard
        limits.maximumPixelCount = 8
        #expect(code(file, limits) == .limitExceeded)
        #expect(code(Array("P5 9 9 255\n".utf8), limits, index: 1) == .limitExceeded)
        limits = .standard
        limits.maximumMetadataByteCount = 100
        let comment = "P5 #" + String(repeating: "c", count: 100)
        #expect(code(Array("\(comment)\n3 3 255\n123456789".utf8), limits) == .limitExceeded)
        #expect(code(Array("\(comment)\n3 3 255\n123456789".utf8), .standard) == nil)
        limits = .standard
        limits.maximumFrameCount = 2
        #expect(code(file + file + file, limits, index: 1) == nil)
        #expect(code(file + file + file, limits, index: 2) == .invalidParameter)
    }

    @Test("Changed bytes never trap")
    func mutations() {
        var limits = DecodingLimits.standard
        limits.maximumPixelCount = 1 << 16
        let options = DecodingOptions(maximumBitsPerChannel: 16, limits: limits)
        for fixture in [PNMFixture.all[0], PNMFixture.all[1]] + PNMFixture.all.filter({ $0.maximum == 999 }) {
            let file = fixture.file
            for offset in file.indices.prefix(90) {
                for value: UInt8 in [0, 9, 10, 35, 48, 49, 57, 80, 255] {
                    var changed = file
                    changed[offset] = value
                    let session = DecoderSession(PNMCodec(), changed, options: options)
                    #expect(session.isComplete || session.error != nil)
                }
            }
        }
    }
}
