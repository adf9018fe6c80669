import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("JPEG identification")
struct JPEGCodecTests {
    @Test(
        "SOI and a marker identify a JPEG",
        arguments: [
            ([0xFF, 0xD8, 0xFF, 0xE0], .match(.jpeg)), ([0xFF, 0xD8], .needMoreData(minimum: 3)),
            ([], .needMoreData(minimum: 3)), ([0xFF, 0xD8, 0x00], .unknown), ([0x89, 0x50], .unknown),
        ] as [([UInt8], FormatMatch)])
    func identify(bytes: [UInt8], expected: FormatMatch) {
        #expect(JPEGCodec().identify(FormatProbe(streamPrefix: bytes.span.bytes)) == expected)
        guard case .needMoreData = expected else { return }
        #expect(JPEGCodec().identify(FormatProbe(whole: bytes.span.bytes)) == .unknown)
    }

    @Test("An image is written and read back upright by the registry")
    func registry() throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 40, height: 24))
        let output = ByteBuffer()
        let metadata = ImageMetadata(orientation: .right)
        try JPEGCodec().encode(bitmap, options: EncodingOptions(quality: 1, metadata: metadata), output: output)
        let registry = CodecRegistry([JPEGCodec()])
        #expect(try ImageSource.header(of: output.bytes, registry: registry).size == PixelSize(width: 24, height: 40))
        let decoded = try ImageSource.decode(output.bytes, registry: registry)
        #expect(decoded.error == nil)
        #expect(decoded.bitmap.size == PixelSize(width: 24, height: 40))
        let small = try ImageSource.decode(
            output.bytes, plan: DecodingPlan(targetSize: PixelSize(width: 6, height: 10)), registry: registry)
        #expect(small.bitmap.size == PixelSize(width: 12, height: 20))
    }
}
