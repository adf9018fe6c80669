import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Files whose rows are read where they are, in memory and on disk, against the decoder of bytes that arrive.
@Suite("BMP, read in place")
struct BMPPictureTests {
    private static let options = DecodingOptions(color: .asStored)

    @Test("Pixels, parts and headers are those of bytes that arrive", arguments: BMPDecodingTests.cases)
    func agreement(of testCase: BMPDecodingTests.Case) throws {
        let (fixture, folder) = (testCase.fixture, try TemporaryFolder())
        let path = try folder.write(fixture.file, to: "picture.bmp")
        let arriving = DecoderSession(BMPCodec(), fixture.file)
        let region = PixelRect(x: 3, y: 1, width: 9, height: 2)
        for source in [Source(fixture.file), try Source(path: path)] {
            let rows = try ImageRowSource(source, options: Self.options)
            #expect(rows.header == arriving.header)
            #expect(try rows.makeBitmap().pixels == fixture.expected)
            let part = try ImageRowSource(source, plan: DecodingPlan(region: region), options: Self.options)
            let wanted = (1..<3).flatMap { y in (3..<12).map { fixture.expected[y * fixture.width + $0] } }
            #expect(try part.makeBitmap().pixels == wanted)
        }
    }

    @Test("A file of several strips has all rows, from the top and from the bottom", arguments: [false, true])
    func strips(isTopDown: Bool) throws {
        var fixture = BMPFixture.direct(24)
        (fixture.width, fixture.height, fixture.isTopDown) = (1500, 100, isTopDown)
        fixture.pixels = BMPFixture.noise(fixture.width * fixture.height, below: 1 << 24)
        let bitmap = try ImageSource.decode(fixture.file, options: Self.options).bitmap
        #expect(bitmap.pixels == fixture.expected)
    }

    @Test("A truncated file has the rows that a decoder of arriving bytes finds", arguments: [false, true])
    func truncated(isTopDown: Bool) throws {
        var fixture = BMPFixture.direct(24)
        fixture.isTopDown = isTopDown
        let file = Array(fixture.file.dropLast(70))
        let arriving = DecoderSession(BMPCodec(), file)
        let decoded = try ImageSource.decode(file, options: Self.options)
        #expect(decoded.error?.code == .truncated && arriving.error?.code == .truncated)
        #expect(decoded.bitmap.pixels.starts(with: try #require(arriving.bitmap).pixels))
    }

    @Test("Bytes in memory beyond the input limit are refused")
    func limit() throws {
        var options = Self.options
        options.limits.maximumInputByteCount = 100
        let error = #expect(throws: ImageError.self) {
            try ImageSource.decode(BMPFixture.direct(24).file, options: options)
        }
        #expect(error?.code == .limitExceeded)
    }
}
