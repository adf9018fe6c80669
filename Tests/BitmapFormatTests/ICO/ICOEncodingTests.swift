import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// What is written, and what others read in it.
@Suite("ICO encoding")
struct ICOEncodingTests {
    /// Pixels of every alpha, colours under full transparency included.
    private static func picture(_ width: Int, _ height: Int, alpha: AlphaMode = .straight) throws -> Bitmap {
        let size = PixelSize(width: width, height: height)
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: alpha))
        var random = SeededGenerator(UInt64(width * 1000 + height))
        var rows = bitmap.mutableRows
        for y in 0..<height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<width {
                let bits = random.next()
                let value = bits & 1 << 40 == 0 ? 0 : UInt8(bits >> 24 & 255)
                row[x] = RGBA8(
                    UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255), alpha == .none ? 255 : value)
            }
        }
        return bitmap.freeze()
    }

    private static func file(
        _ pictures: [Bitmap], _ format: ImageFormat = .ico, metadata: ImageMetadata = ImageMetadata()
    ) throws(ImageError) -> [UInt8] {
        let buffer = ByteBuffer()
        let options = EncodingOptions(metadata: metadata)
        let sink = try ICOCodec(format).makeSequenceEncoder(
            pictures[0].info, count: pictures.count, options: options, output: buffer)
        for picture in pictures { try sink.write(picture, duration: 0) }
        try sink.finish()
        return buffer.bytes
    }

    @Test("Every size is read back exactly, by Pillow too")
    func sizes() throws {
        let pictures = try [(16, 16), (33, 7), (256, 256), (48, 48), (1, 1)].map { try Self.picture($0.0, $0.1) }
        let file = try Self.file(pictures)
        for (index, picture) in pictures.enumerated() {
            let session = DecoderSession(
                ICOCodec(), file, options: DecodingOptions(color: .asStored, imageIndex: index))
            #expect(session.error == nil)
            #expect(session.bitmap?.tightBytes() == picture.tightBytes())
            guard Pillow.isInstalled else { continue }
            let seen = try #require(
                try Pillow.picture(file, prepare: "image.size = (\(picture.width), \(picture.height))"))
            #expect(seen.size == picture.size)
            #expect(seen.samples == picture.tightBytes())
        }
        // Only the one of 256 pixels is a PNG.
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
        #expect(file.indices.count { file[$0...].starts(with: signature) } == 1)
    }

    @Test(
        "A single image is written whole or row by row", arguments: [ImageFormat.ico, .cur],
        [AlphaMode.none, .straight])
    func single(format: ImageFormat, alpha: AlphaMode) throws {
        let picture = try Self.picture(40, 30, alpha: alpha)
        let file = try ImageDestination(format: format).encode(picture)
        let buffer = ByteBuffer()
        try ImageDestination(format: format).encode(picture.makeRowSource(), to: buffer)
        #expect(buffer.bytes == file)
        let session = DecoderSession(ICOCodec(format), file)
        #expect(session.bitmap?.tightBytes() == picture.tightBytes())
        guard Pillow.isInstalled else { return }
        #expect(try Pillow.picture(file)?.samples == picture.tightBytes())
    }

    @Test("A cursor's hot spot is scaled with its smaller sizes")
    func hotSpot() throws {
        let pictures = try [16, 64, 32].map { try Self.picture($0, $0) }
        let metadata = ImageMetadata(hotSpot: ImageMetadata.Point(x: 10, y: 63))
        let file = try Self.file(pictures, .cur, metadata: metadata)
        for (index, point) in [(2, 15), (10, 63), (5, 31)].enumerated() {
            let session = DecoderSession(ICOCodec(.cur), file, options: DecodingOptions(imageIndex: index))
            #expect(session.header?.metadata.hotSpot == ImageMetadata.Point(x: point.0, y: point.1))
        }
        #expect(DecoderSession(ICOCodec(.cur), file).header?.metadata.hotSpot == metadata.hotSpot)
        for point in [(64, 0), (0, 64), (-1, 0)] {
            let outside = ImageMetadata(hotSpot: ImageMetadata.Point(x: point.0, y: point.1))
            #expect(errorCode { try Self.file(pictures, .cur, metadata: outside) } == .invalidParameter)
        }
    }

    @Test("More than 256 pixels a side are refused with the reason")
    func tooLarge() throws {
        let picture = try Self.picture(257, 2)
        do {
            _ = try ImageDestination(format: .ico).encode(picture)
            Issue.record("no error")
        } catch {
            #expect(error.code == .unsupported)
            #expect(error.message.contains("256") && error.message.contains("257"))
        }
        #expect(errorCode { try Self.file([try Self.picture(16, 16), picture]) } == .unsupported)
    }

    @Test("A wrong number of images, or none, is refused")
    func counts() throws {
        let picture = try Self.picture(16, 16)
        for count in [0, -1, 65536] {
            #expect(
                errorCode {
                    try ICOCodec().makeSequenceEncoder(
                        picture.info, count: count, options: EncodingOptions(), output: ByteBuffer())
                } == .invalidParameter)
        }
        let buffer = ByteBuffer()
        let sink = try ICOCodec().makeSequenceEncoder(
            picture.info, count: 2, options: EncodingOptions(), output: buffer)
        try sink.write(picture, duration: 0)
        #expect(errorCode { try sink.finish() } == .invalidParameter)
        try sink.write(picture, duration: 0)
        #expect(errorCode { try sink.write(picture, duration: 0) } == .invalidParameter)
        #expect(buffer.bytes.isEmpty)
    }
}
