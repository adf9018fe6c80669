import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// What is written, and what others read in it.
@Suite("BMP encoding")
struct BMPEncodingTests {
    private static func picture(_ width: Int, alpha: AlphaMode, profile: ColorProfile = .sRGB) throws -> Bitmap {
        var bitmap = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: width, height: 7), format: .rgba8, alpha: alpha, profile: profile))
        var random = SeededGenerator(UInt64(width))
        var rows = bitmap.mutableRows
        for y in 0..<7 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width {
                let bits = random.next()
                row[x] = RGBA8(
                    UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255),
                    alpha == .none ? 255 : UInt8(bits >> 24 & 255))
            }
        }
        return bitmap.freeze()
    }

    @Test("Every pixel is read back, by Pillow too", arguments: [1, 2, 3, 4, 33], [AlphaMode.none, .straight])
    func roundTrip(width: Int, alpha: AlphaMode) throws {
        let bitmap = try Self.picture(width, alpha: alpha)
        let file = try ImageDestination(format: .bmp).encode(bitmap)
        let session = DecoderSession(BMPCodec(), file)
        #expect(session.error == nil)
        #expect(session.bitmap?.tightBytes() == bitmap.tightBytes())
        #expect(session.header?.hasAlpha == alpha.hasAlpha)
        // Rows that come one after the other make the same file.
        let buffer = ByteBuffer()
        try ImageDestination(format: .bmp).encode(bitmap.makeRowSource(), to: buffer)
        #expect(buffer.bytes == file)
        guard Pillow.isInstalled else { return }
        let seen = try #require(try Pillow.picture(file))
        #expect(seen.size == bitmap.size && seen.samples == bitmap.tightBytes())
    }

    @Test(
        "Profile and resolution are read back, and pixels agree with Pillow", arguments: [AlphaMode.none, .straight])
    func metadata(alpha: AlphaMode) throws {
        var profile = [UInt8](repeating: 9, count: 300)
        profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        let bitmap = try Self.picture(9, alpha: alpha, profile: .icc(profile))
        let metadata = ImageMetadata(resolution: ImageMetadata.Resolution(horizontal: 300, vertical: 72))
        let file = try ImageDestination(format: .bmp, options: EncodingOptions(metadata: metadata)).encode(bitmap)
        let session = DecoderSession(BMPCodec(), file)
        #expect(session.header?.profile == .icc(profile))
        #expect(session.bitmap?.tightBytes() == bitmap.tightBytes())
        let resolution = try #require(session.header?.metadata.resolution)
        #expect(abs(resolution.horizontal - 300) < 0.02 && abs(resolution.vertical - 72) < 0.02)
        guard Pillow.isInstalled else { return }
        #expect(try Pillow.picture(file)?.samples == bitmap.tightBytes())
    }

    @Test("An image that BMP can't store is refused before a byte is written")
    func refusals() throws {
        let buffer = ByteBuffer()
        let huge = BitmapInfo(size: PixelSize(width: 60000, height: 60000), format: .rgba8)
        #expect(
            errorCode { try BMPCodec().makeEncoder(huge, options: EncodingOptions(), output: buffer) } == .limitExceeded
        )
        let wrong = BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied)
        #expect(
            errorCode { try BMPCodec().makeEncoder(wrong, options: EncodingOptions(), output: buffer) }
                == .invalidParameter)
        let bitmap = try Self.picture(4, alpha: .none)
        let encoder = try BMPCodec().makeEncoder(bitmap.info, options: EncodingOptions(), output: buffer)
        #expect(errorCode { try encoder.finish() } == .invalidParameter)
        #expect(buffer.bytes.isEmpty)
        try encoder.write(bitmap.rows)
        #expect(errorCode { try encoder.write(bitmap.rows) } == .invalidParameter)
    }

    @Test("Rows are written as they come, from the top down", arguments: [AlphaMode.none, .straight])
    func streaming(alpha: AlphaMode) throws {
        let bitmap = try Self.picture(5, alpha: alpha)
        let (rowByteCount, headByteCount) = alpha == .none ? (16, 54) : (20, 138)
        let buffer = ByteBuffer()
        let encoder = try BMPCodec().makeEncoder(bitmap.info, options: EncodingOptions(), output: buffer)
        for y in 0..<7 {
            try encoder.write(bitmap.rows.extracting(y..<(y + 1)))
            #expect(buffer.bytes.count == headByteCount + (y + 1) * rowByteCount)
        }
        try encoder.finish()
        // Minus seven.
        #expect(Array(buffer.bytes[22..<26]) == [249, 255, 255, 255])
        let first = bitmap.pixels[0]
        #expect(Array(buffer.bytes[headByteCount...].prefix(3)) == [first.blue, first.green, first.red])
        guard Pillow.isInstalled else { return }
        #expect(try Pillow.picture(buffer.bytes)?.samples == bitmap.tightBytes())
    }
}
