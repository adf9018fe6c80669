import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// What is written, and what others read in it.
@Suite("QOI encoding")
struct QOIEncodingTests {
    /// Noise, ramps and flat parts, so that every kind of chunk is used.
    private static func picture(_ width: Int, _ height: Int, alpha: AlphaMode) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8, alpha: alpha))
        var random = SeededGenerator(UInt64(width))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width {
                let bits = random.next()
                let place = UInt8(truncatingIfNeeded: x + y)
                row[x] =
                    switch y % 4 {
                    case 0: RGBA8(UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255))
                    case 1: RGBA8(place, place &+ 1, place &+ UInt8(bits & 3))
                    case 2: RGBA8(place &* 9, place &* 10, place &* 9 &+ UInt8(bits & 7))
                    default: RGBA8(UInt8(bits & 1), 0, 0)
                    }
                if alpha.hasAlpha, x % 5 == 0 { row[x].alpha = UInt8(bits >> 24 & 255) }
            }
        }
        return bitmap.freeze()
    }

    @Test(
        "Every pixel is read back, by a Python reader too", arguments: [1, 2, 3, 61, 62, 63, 300],
        [AlphaMode.none, .straight])
    func roundTrip(width: Int, alpha: AlphaMode) throws {
        let bitmap = try Self.picture(width, 19, alpha: alpha)
        let file = try ImageDestination(format: .qoi).encode(bitmap)
        let session = DecoderSession(QOICodec(), file)
        #expect(session.error == nil)
        #expect(session.bitmap?.tightBytes() == bitmap.tightBytes())
        #expect(session.header?.hasAlpha == alpha.hasAlpha)
        // Rows that come one after the other make the same file.
        let buffer = ByteBuffer()
        try ImageDestination(format: .qoi).encode(bitmap.makeRowSource(), to: buffer)
        #expect(buffer.bytes == file)
        guard CommandLineTool.python.isInstalled else { return }
        #expect(try QOIFixture.pythonPixels(file) == bitmap.tightBytes())
    }

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var pixels: [RGBA8]
        var chunks: [UInt8]
    }

    static let cases: [Case] = [
        Case(testDescription: "opaque black is a run", pixels: [RGBA8(0, 0, 0), RGBA8(0, 0, 0)], chunks: [0xC1]),
        Case(
            testDescription: "small differences, around 0 as well", pixels: [RGBA8(255, 1, 254), RGBA8(0, 255, 255)],
            chunks: [0x40 | 1 << 4 | 3 << 2, 0x40 | 3 << 4 | 0 << 2 | 3]),
        Case(
            testDescription: "differences to green's", pixels: [RGBA8(24, 31, 38), RGBA8(248, 255, 254)],
            chunks: [0x80 | 63, 0x1F, 0x80, 0x80]),
        Case(testDescription: "RGB", pixels: [RGBA8(100, 0, 0)], chunks: [0xFE, 100, 0, 0]),
        Case(testDescription: "RGBA", pixels: [RGBA8(0, 0, 0, 7)], chunks: [0xFF, 0, 0, 0, 7]),
        Case(
            testDescription: "a pixel that was seen", pixels: [RGBA8(99, 0, 0), RGBA8(0, 99, 0), RGBA8(99, 0, 0)],
            chunks: [0xFE, 99, 0, 0, 0xFE, 0, 99, 0, UInt8((99 * 3 + 255 * 11) % 64)]),
        Case(testDescription: "index 0 before any", pixels: [RGBA8(0, 0, 0, 0)], chunks: [0x00]),
    ]

    @Test("Each pixel has the shortest chunk", arguments: cases)
    func chunks(of testCase: Case) throws {
        let width = testCase.pixels.count
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: 1), format: .rgba8, alpha: .straight))
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: RGBA8.self)
        for x in 0..<width { row[x] = testCase.pixels[x] }
        let file = try ImageDestination(format: .qoi).encode(bitmap.freeze())
        #expect(file == QOIFixture.file(width, 1, testCase.chunks))
    }

    @Test("Runs end at 62 pixels, and continue across rows")
    func runs() throws {
        let file = try ImageDestination(format: .qoi).encode(
            Bitmap.plain(RGBA8(9, 9, 9), PixelSize(width: 40, height: 4)))
        // 160 pixels: one of its own, and 159 that are the same.
        #expect(file == QOIFixture.file(40, 4, channels: 3, [0x80 | 41, 0x88, 0xFD, 0xFD, 0xC0 | 34]))
    }

    @Test("An image that QOI can't store is refused before a byte is written")
    func refusals() throws {
        let buffer = ByteBuffer()
        for info in [
            BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied),
            BitmapInfo(size: PixelSize(width: 2, height: 2), format: .gray8),
            BitmapInfo(size: PixelSize(width: 0, height: 2), format: .rgba8),
        ] {
            #expect(
                errorCode { try QOICodec().makeEncoder(info, options: EncodingOptions(), output: buffer) }
                    == .invalidParameter)
        }
        let bitmap = try Self.picture(4, 7, alpha: .none)
        let encoder = try QOICodec().makeEncoder(bitmap.info, options: EncodingOptions(), output: buffer)
        #expect(errorCode { try encoder.finish() } == .invalidParameter)
        #expect(buffer.bytes.isEmpty)
        try encoder.write(bitmap.rows)
        #expect(errorCode { try encoder.write(bitmap.rows) } == .invalidParameter)
    }

    @Test("The registry finds QOI by its bytes and its names")
    func registry() throws {
        let file = try ImageDestination(format: .qoi).encode(Self.picture(3, 3, alpha: .straight))
        #expect(CodecRegistry.builtIn.identify(FormatProbe(whole: file.span.bytes)) == .match(.qoi))
        let prefix = Array(file.prefix(3))
        #expect(QOICodec().identify(FormatProbe(streamPrefix: prefix.span.bytes)) == .needMoreData(minimum: 4))
        #expect(ImageFormat(filenameExtension: "QOI") == .qoi && ImageFormat(mimeType: "image/qoi") == .qoi)
    }
}
