import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// X bitmaps, written by hand, by others and by the codec.
@Suite("XBM")
struct XBMTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var text: String
        /// Rows from the top, `#` for black.
        var rows: [String]
        var hotSpot: ImageMetadata.Point?
    }

    private static let rows = ["#.#.......", "..........", "#########."]

    static let cases: [Case] = [
        Case(
            testDescription: "X11",
            text: """
                #define a_width 10
                #define a_height 3
                static char a_bits[] = {
                   0x05, 0x00, 0x00, 0xfc, 0xff, 0x01};
                """, rows: rows),
        Case(
            testDescription: "X10",
            text: """
                #define a_width 10
                #define a_height 3
                static short a_bits[] = { 0x0005, 0xf000, 0x01ff };
                """, rows: rows),
        Case(
            testDescription: "a hot spot, comments and every kind of number",
            text: """
                /* made by * hand **/ #define some_long_width_name_width 0xA
                // the height
                #define some_long_width_name_height 03
                #define some_long_width_name_x_hot 7
                #define some_long_width_name_y_hot\t1
                #define other 77
                static const unsigned char some_name_bits[6] = { 5, 0,/**/00,0x0,
                0XFFU , 0x01L, };
                int more;
                """, rows: rows, hotSpot: ImageMetadata.Point(x: 7, y: 1)),
        Case(
            testDescription: "no hot spot",
            text: "#define width 1\r\n#define height 1\r\n#define x_hot -1\r\n#define y_hot -1\r\nchar bits[] = {1}",
            rows: ["#"]),
        Case(
            testDescription: "shorts whose second byte isn't needed",
            text: "#define w_width 3\n#define w_height 2\nstatic short w_bits[]={0x1234,0xfffb};", rows: ["..#", "##."]),
        Case(
            testDescription: "no closing brace",
            text: "#define w_width 3\n#define w_height 2\nstatic char w_bits[]={4,3", rows: ["..#", "##."]),
    ]

    private static func grays(_ rows: [String]) -> [UInt8] { rows.joined().map { $0 == "#" ? 0 : 255 } }

    @Test("Pixels and hot spots are the same for any split", arguments: cases)
    func decoding(of testCase: Case) {
        let file = Array(testCase.text.utf8)
        for round in 0..<3 {
            let session = DecoderSession(XBMCodec(), file, splits: DecoderSession.splits(of: file.count, round: round))
            #expect(session.error == nil && session.isComplete)
            #expect(session.bitmap?.tightBytes() == Self.grays(testCase.rows))
            #expect(session.header?.metadata.hotSpot == testCase.hotSpot)
            #expect(
                session.header?.storedSize
                    == PixelSize(width: testCase.rows[0].count, height: testCase.rows.count))
        }
        #expect(XBMCodec().identify(FormatProbe(whole: file.span.bytes)) == .match(.xbm))
    }

    @Test("Rows come with their bytes, and regions alone")
    func streaming() {
        let file = Array(Self.cases[0].text.utf8)
        let session = DecoderSession(XBMCodec(), file, splits: Array(1..<file.count))
        let second = Self.cases[0].text.range(of: "0x00,")!.upperBound
        #expect(session.firstRowByteCount == Self.cases[0].text[..<second].utf8.count)
        let plan = DecodingPlan(region: PixelRect(x: 7, y: 1, width: 3, height: 2))
        #expect(DecoderSession(XBMCodec(), file, plan: plan).bitmap?.tightBytes() == [255, 255, 255, 0, 0, 255])
    }

    static let damaged: [(String, ImageError.Code, Int)] = [
        ("", .truncated, 0), ("#define a_width 10\n#define a_height 3\n", .truncated, 0),
        ("#define a_width 10\nstatic char a_bits[] = {1};", .corrupt, 0),
        ("#define a_width 0\n#define a_height 3\nstatic char a_bits[] = {1};", .corrupt, 0),
        ("#define a_width 99999999999999999999\n", .corrupt, 0),
        ("#define a_width 9223372036854775807\n#define a_height 2\nstatic char a_bits[]={1};", .corrupt, 0),
        ("#define a_width 2000000000\n#define a_height 2\nstatic char a_bits[]={1};", .limitExceeded, 0),
        ("#define a_width (10)\n", .corrupt, 0), ("/* XPM */\nstatic char *a[] = {\"1 1 1 1\"};", .corrupt, 0),
        ("#define a_width 8\n#define a_height 3\nstatic char a_bits[] = {1, 2};", .truncated, 2),
        ("#define a_width 8\n#define a_height 3\nstatic char a_bits[] = {1, 2,", .truncated, 2),
        ("#define a_width 8\n#define a_height 3\nstatic char a_bits[] = {1, two, 3};", .corrupt, 1),
        ("#define a_width 8\n#define a_height 3\nstatic char a_bits[] = {1, 0xZZ, 3};", .corrupt, 1),
        ("#define " + String(repeating: "a", count: 5000), .corrupt, 0),
    ]

    @Test("Errors are the same for any split", arguments: damaged.indices)
    func damage(index: Int) {
        let (text, code, rows) = Self.damaged[index]
        let file = Array(text.utf8)
        for round in 0..<3 {
            let splits = file.isEmpty ? [] : DecoderSession.splits(of: file.count, round: round)
            let session = DecoderSession(XBMCodec(), file, splits: splits)
            #expect(session.error?.code == code, "\(String(describing: session.error))")
            #expect(session.rows == rows)
        }
    }

    @Test("Other text isn't taken for XBM")
    func identification() {
        let others = [
            "#define FOO_width 12\nint x;", "#include <a.h>\n#define a_width 1\n#define a_height 1",
            "/* XPM */\nstatic char", "width 10 height 10", "#define A_width B\n#define A_height 3\n", "<svg",
            "#!/bin/sh",
            "#defined a_width 1\n#define a_height 2\n", "GIF89a",
        ]
        for text in others {
            let bytes = Array(text.utf8)
            #expect(XBMCodec().identify(FormatProbe(whole: bytes.span.bytes)) == .unknown)
        }
        let file = Array(Self.cases[2].text.utf8)
        // Known when the second number has ended.
        let known = Self.cases[2].text.range(of: "height 03\n")!.upperBound
        let count = Self.cases[2].text[..<known].utf8.count
        for end in [0, 1, 5, 30, 60, count - 1] {
            let prefix = Array(file.prefix(end))
            #expect(
                XBMCodec().identify(FormatProbe(streamPrefix: prefix.span.bytes)) == .needMoreData(minimum: end + 1))
        }
        let prefix = Array(file.prefix(count))
        #expect(XBMCodec().identify(FormatProbe(streamPrefix: prefix.span.bytes)) == .match(.xbm))
        // A comment without an end isn't waited for.
        let comment = Array(("/*" + String(repeating: " ", count: 5000)).utf8)
        #expect(XBMCodec().identify(FormatProbe(streamPrefix: comment.span.bytes)) == .unknown)
    }

    @Test("Pixels darker than half are black, as in Pillow", arguments: [1, 7, 8, 9, 100])
    func encoding(width: Int) throws {
        let size = PixelSize(width: width, height: 13)
        let picture = try Bitmap.grainy(size, format: .gray8)
        let metadata = ImageMetadata(hotSpot: ImageMetadata.Point(x: width - 1, y: 12))
        let file = try ImageDestination(format: .xbm, options: EncodingOptions(metadata: metadata)).encode(picture)
        let session = DecoderSession(XBMCodec(), file)
        let expected: [UInt8] = picture.tightBytes().map { $0 < 128 ? 0 : 255 }
        #expect(session.bitmap?.tightBytes() == expected)
        #expect(session.header?.metadata.hotSpot == metadata.hotSpot)
        // Written once more, nothing changes.
        let again = try ImageDestination(format: .xbm, options: EncodingOptions(metadata: metadata))
            .encode(#require(session.bitmap))
        #expect(again == file)
        guard Pillow.isInstalled else { return }
        let seen = try #require(try Pillow.picture(file))
        #expect(seen.size == size)
        // Pillow takes set bits for white; X and ImageMagick for black.
        let values = stride(from: 0, to: seen.samples.count, by: 4).map { (at: Int) -> UInt8 in 255 - seen.samples[at] }
        #expect(values == expected)
    }

    @Test("Transparent pixels show the background, and hot spots outside are refused")
    func conversion() throws {
        let info = BitmapInfo(size: PixelSize(width: 2, height: 1), format: .rgba8, alpha: .straight)
        var bitmap = try MutableBitmap(info)
        bitmap.withMutableRows(0..<1) { rows in
            var row = rows.row(0, as: RGBA8.self)
            row[0] = RGBA8(0, 0, 0, 255)
        }
        let file = try ImageDestination(format: .xbm).encode(bitmap.freeze())
        #expect(DecoderSession(XBMCodec(), file).bitmap?.tightBytes() == [0, 255])
        let gray = BitmapInfo(size: PixelSize(width: 2, height: 1), format: .gray8)
        for point in [(2, 0), (0, 1), (-1, 0)] {
            let metadata = ImageMetadata(hotSpot: ImageMetadata.Point(x: point.0, y: point.1))
            #expect(
                errorCode {
                    try XBMCodec().makeEncoder(gray, options: EncodingOptions(metadata: metadata), output: ByteBuffer())
                } == .invalidParameter)
        }
    }

    @Test(
        "Every valid file decodes to Pillow's pixels",
        .needsCorpus,
        arguments: Corpus.files("valid/xbm"))
    func corpus(path: String) throws {
        let file = try Corpus.bytes(path)
        let session = DecoderSession(XBMCodec(), file)
        #expect(session.isComplete && session.error == nil)
        guard Pillow.isInstalled else { return }
        let expected = try #require(try Pillow.picture(file))
        #expect(session.bitmap?.size == expected.size)
        // Pillow takes set bits for white; X and ImageMagick for black.
        let samples = expected.samples
        let values = stride(from: 0, to: samples.count, by: 4).map { (at: Int) -> UInt8 in 255 - samples[at] }
        #expect(session.bitmap?.pixels.map(\.red) == values)
    }
}
