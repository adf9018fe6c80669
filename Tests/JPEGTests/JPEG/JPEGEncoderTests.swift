import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("JPEG encoding")
struct JPEGEncoderTests {
    static func encode(_ bitmap: Bitmap, _ options: EncodingOptions = EncodingOptions()) throws -> [UInt8] {
        let output = ByteBuffer()
        try JPEGCodec().encode(bitmap, options: options, output: output)
        return output.bytes
    }

    @Test("A written image is read back with small differences", arguments: EncodingOptions.JPEG.Subsampling.allCases)
    func roundTrip(subsampling: EncodingOptions.JPEG.Subsampling) throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 90, height: 67))
        // Chroma at a lower resolution costs much on these hard edges; the frame's luma stays.
        for (progressive, optimized) in [(false, false), (true, false), (false, true)] {
            let options = EncodingOptions(
                quality: 1,
                jpeg: EncodingOptions.JPEG(
                    subsampling: subsampling, isProgressive: progressive, optimizesTables: optimized))
            let session = DecoderSession(JPEGCodec(), try Self.encode(bitmap, options))
            #expect(session.isComplete)
            #expect(session.header?.isProgressive == progressive)
            let error = JPEGDecoderTests.meanError(try #require(session.bitmap).tightBytes(), bitmap.tightBytes())
            #expect(error < (subsampling == .yuv444 ? 0.6 : 30), "\(subsampling): \(error)")
        }
    }

    @Test(
        "The sampling factors are the requested ones",
        arguments: [
            (EncodingOptions.JPEG.Subsampling.yuv444, UInt8(0x11)), (.yuv422, 0x21), (.yuv420, 0x22), (.yuv440, 0x12),
            (.yuv411, 0x41),
        ])
    func factors(subsampling: EncodingOptions.JPEG.Subsampling, expected: UInt8) throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 40, height: 40))
        let file = try Self.encode(bitmap, EncodingOptions(jpeg: EncodingOptions.JPEG(subsampling: subsampling)))
        // SOF0: marker, length 17, 8 bits, height, width, 3 components, then number and factors of the first.
        let frame = try #require((0..<(file.count - 12)).first { file[$0] == 0xFF && file[$0 + 1] == 0xC0 })
        #expect(Array(file[(frame + 4)..<(frame + 11)]) == [8, 0, 40, 0, 40, 3, 1])
        #expect(file[frame + 11] == expected)
    }

    @Test("Grey is written as one component")
    func gray() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 50, height: 30), format: .gray8)
        let session = DecoderSession(JPEGCodec(), try Self.encode(bitmap, EncodingOptions(quality: 1)))
        #expect(session.header?.colorModel == .gray)
        #expect(JPEGDecoderTests.meanError(try #require(session.bitmap).tightBytes(), bitmap.tightBytes()) < 0.6)
    }

    @Test("Quality, optimised tables and scans change the size in the right direction")
    func sizes() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 200, height: 150))
        let counts = try [0, 0.25, 0.5, 0.8, 0.95, 1].map {
            try Self.encode(bitmap, EncodingOptions(quality: $0)).count
        }
        #expect(counts == counts.sorted() && Set(counts).count == counts.count, "\(counts)")
        let optimized = EncodingOptions(jpeg: EncodingOptions.JPEG(optimizesTables: true))
        #expect(try Self.encode(bitmap, optimized).count < Self.encode(bitmap).count)
    }

    @Test("djpeg decodes it to our pixels", .needs(DJPEG.tool))
    func djpeg() throws {
        let file = try Self.encode(try Bitmap.grainy(PixelSize(width: 61, height: 45)))
        #expect(try DJPEG.decode(file)?.samples == DecoderSession(JPEGCodec(), file).bitmap?.pnmSamples)
    }

    @Test("Bytes are written while rows come, in strips of any height")
    func streaming() throws {
        final class Counter: ByteSink {
            var bytes: [UInt8] = []
            var largest = 0
            func write(_ piece: RawSpan) {
                largest = max(largest, piece.byteCount)
                piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            }
        }
        let bitmap = try Bitmap.grainy(PixelSize(width: 300, height: 1000))
        let whole = try Self.encode(bitmap, EncodingOptions(quality: 0.95))
        for portion in [1, 7, 1000] {
            let output = Counter()
            let encoder = try JPEGCodec().makeEncoder(
                bitmap.info, options: EncodingOptions(quality: 0.95), output: output)
            for y in stride(from: 0, to: 1000, by: portion) {
                try encoder.write(bitmap.rows.extracting(y..<min(1000, y + portion)))
            }
            try encoder.finish()
            #expect(output.bytes == whole)
            #expect(output.largest < whole.count / 4)
        }
    }

    @Test("Unwritable images and options are refused")
    func refused() throws {
        let size = PixelSize(width: 8, height: 8)
        func make(_ info: BitmapInfo, _ options: EncodingOptions = EncodingOptions()) throws -> any RowSink {
            try JPEGCodec().makeEncoder(info, options: options, output: ByteBuffer())
        }
        #expect(throws: ImageError.self) { try make(BitmapInfo(size: size, format: .rgba8, alpha: .straight)) }
        #expect(throws: ImageError.self) { try make(BitmapInfo(size: size, format: .rgba16)) }
        #expect(throws: ImageError.self) { try make(BitmapInfo(size: PixelSize(width: 0, height: 8), format: .rgba8)) }
        for quality in [-0.1, 1.01, .nan] {
            #expect(throws: ImageError.self) {
                try make(BitmapInfo(size: size, format: .rgba8), EncodingOptions(quality: quality))
            }
        }
        let large = #expect(throws: ImageError.self) {
            try make(BitmapInfo(size: PixelSize(width: 70000, height: 8), format: .gray8))
        }
        #expect(large?.code == .unsupported)

        let bitmap = try Bitmap.grainy(size)
        let unfinished = try make(bitmap.info)
        try unfinished.write(bitmap.rows.extracting(0..<5))
        #expect(throws: ImageError.self) { try unfinished.finish() }
        let overfull = try make(bitmap.info)
        try overfull.write(bitmap.rows)
        #expect(throws: ImageError.self) { try overfull.write(bitmap.rows) }
    }

    @Test("It accepts opaque 8-bit rows in a colour space that the file can store")
    func encodable() {
        let size = PixelSize(width: 3, height: 3)
        let codec = JPEGCodec()
        let rich = BitmapInfo(
            size: size, format: .rgba16, alpha: .straight, profile: .calibrated(gamma: 0.45455, nil))
        #expect(codec.encodableInfo(for: rich, options: EncodingOptions()) == BitmapInfo(size: size, format: .rgba8))
        let gray = BitmapInfo(size: size, format: .gray16, profile: .icc([1, 2, 3]))
        #expect(
            codec.encodableInfo(for: gray, options: EncodingOptions())
                == BitmapInfo(size: size, format: .gray8, profile: .icc([1, 2, 3])))
    }
}
