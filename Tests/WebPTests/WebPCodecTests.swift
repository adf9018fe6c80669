#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("WebP: the codec")
struct WebPCodecTests {
    typealias Fixture = WebPFixture

    @Test("A file is identified by its container")
    func aFileIsKnownByItsContainer() throws {
        let codec = WebPCodec()
        let still = Fixture.file(try Fixture.picture(Fixture.sample(8, 8)))
        let moving = Fixture.file(Fixture.extended(2, 8, 8), Fixture.animation(loops: 0))
        #expect(codec.identify(FormatProbe(whole: still.span.bytes)) == .match(.webP))
        #expect(codec.identify(FormatProbe(whole: moving.span.bytes)) == .match(.webP, .animated))
        for count in 1..<16 {
            let few = Array(still.prefix(count))
            #expect(codec.identify(FormatProbe(streamPrefix: few.span.bytes)) == .needMoreData(minimum: 21))
            #expect(codec.identify(FormatProbe(whole: few.span.bytes)) == .unknown)
        }
        let wave = Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8) + [UInt8](repeating: 0, count: 8)
        #expect(codec.identify(FormatProbe(whole: wave.span.bytes)) == .unknown)
    }

    @Test("The registry has the codec")
    func theRegistryKnowsIt() throws {
        let file = Fixture.file(try Fixture.picture(Fixture.sample(8, 8)))
        #expect(try ImageSource.header(of: file).format == .webP)
        #expect(CodecRegistry.builtIn.codec(for: .webP)?.canEncode == true)
    }

    @Test("Images become 8-bit RGBA")
    func picturesBecomeEightBitsOfRGBA() {
        let options = EncodingOptions()
        let size = PixelSize(width: 3, height: 2)
        let gray = WebPCodec().encodableInfo(for: BitmapInfo(size: size, format: .gray16), options: options)
        #expect(gray == BitmapInfo(size: size, format: .rgba8))
        let wide = BitmapInfo(
            size: size, format: .rgba16, alpha: .premultiplied, profile: .icc(TestProfiles.wideRGB))
        #expect(
            WebPCodec().encodableInfo(for: wide, options: options)
                == BitmapInfo(size: size, format: .rgba8, alpha: .straight, profile: .icc(TestProfiles.wideRGB)))
    }

    @Test(
        "Unwritable images and options are refused",
        arguments: [
            (16384, 1, 4, 0.8, ImageError.Code.unsupported), (1, 16384, 4, 0.8, .unsupported),
            (4, 4, 7, 0.8, .invalidParameter), (4, 4, 4, 1.5, .invalidParameter),
        ] as [(Int, Int, Int, Double, ImageError.Code)])
    func refusals(width: Int, height: Int, method: Int, quality: Double, code: ImageError.Code) {
        let info = BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8)
        var options = EncodingOptions(quality: quality)
        options.webP.method = method
        #expect(errorCode { try WebPCodec().makeEncoder(info, options: options, output: ByteBuffer()) } == code)
        #expect(
            errorCode {
                try WebPCodec().makeSequenceEncoder(info, count: 2, options: options, output: ByteBuffer())
            } == code)
    }

    @Test("Other pixel formats are refused")
    func otherPixelsAreRefused() {
        for info in [
            BitmapInfo(size: PixelSize(width: 2, height: 2), format: .gray8),
            BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied),
        ] {
            #expect(
                errorCode { try WebPCodec().makeEncoder(info, options: EncodingOptions(), output: ByteBuffer()) }
                    == .invalidParameter)
        }
    }
}
#endif
