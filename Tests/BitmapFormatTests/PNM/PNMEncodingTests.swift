import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// What is written, and what others read in it.
@Suite("PNM encoding")
struct PNMEncodingTests {
    static let kinds: [(PixelFormat, AlphaMode, String)] = [
        (.gray8, .none, "P5\n7 3\n255\n"), (.gray16, .none, "P5\n7 3\n65535\n"), (.rgba8, .none, "P6\n7 3\n255\n"),
        (.rgba16, .none, "P6\n7 3\n65535\n"),
        (.rgba8, .straight, "P7\nWIDTH 7\nHEIGHT 3\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
        (.rgba16, .straight, "P7\nWIDTH 7\nHEIGHT 3\nDEPTH 4\nMAXVAL 65535\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
    ]

    @Test("Each kind of pixel has its format, and every sample is read back", arguments: kinds)
    func roundTrip(format: PixelFormat, alpha: AlphaMode, head: String) throws {
        let bitmap = try Bitmap.pattern(7, 3, format, alpha: alpha)
        let file = try ImageDestination(format: .pnm).encode(bitmap)
        #expect(file.starts(with: Array(head.utf8)))
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        let session = DecoderSession(PNMCodec(), file, options: options)
        #expect(session.error == nil)
        #expect(session.bitmap?.info == bitmap.info && session.bitmap?.tightBytes() == bitmap.tightBytes())
        // Rows that come one after the other make the same file.
        let buffer = ByteBuffer()
        try ImageDestination(format: .pnm).encode(bitmap.makeRowSource(), to: buffer)
        #expect(buffer.bytes == file)
        guard CommandLineTool.python.isInstalled else { return }
        let samples = try #require(try PNMFixture.pythonSamples(file))
        let channels = format.isGray ? [0] : alpha.hasAlpha ? [0, 1, 2, 3] : [0, 1, 2]
        let expected = bitmap.samples16
        #expect(
            samples == stride(from: 0, to: expected.count, by: 4).flatMap { at in channels.map { expected[at + $0] } })
    }

    @Test("Pillow reads what is written", .needsPillow, arguments: [PixelFormat.gray8, .rgba8])
    func pillowReads(format: PixelFormat) throws {
        let bitmap = try Bitmap.pattern(31, 17, format, alpha: .none)
        let file = try ImageDestination(format: .pnm).encode(bitmap)
        let seen = try #require(try Pillow.picture(file))
        #expect(seen.samples == bitmap.pixels.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] })
    }

    @Test("What Pillow writes is read", .needsPillow, arguments: ["1", "L", "RGB"])
    func pillowWrites(mode: String) throws {
        let bitmap = try Bitmap.pattern(16, 9, mode == "RGB" ? .rgba8 : .gray8, alpha: .none)
        let samples = mode == "1" ? Array(bitmap.tightBytes().prefix(2 * 9)) : bitmap.pnmSamples
        let file = try #require(try Pillow.file(of: samples, mode: mode, size: bitmap.size, as: "PPM"))
        let decoded = try ImageSource.decode(file)
        #expect(decoded.header.format == .pnm && decoded.error == nil)
        guard mode == "1" else {
            #expect(decoded.bitmap.pnmSamples == bitmap.pnmSamples)
            return
        }
        let bits = samples.flatMap { byte in (0..<8).map { byte << $0 & 0x80 } }
        #expect(decoded.bitmap.tightBytes() == bits.map { $0 == 0 ? 0 : 255 })
    }

    @Test("An image that PNM can't store is refused before a byte is written")
    func refusals() throws {
        let buffer = ByteBuffer()
        for info in [
            BitmapInfo(size: PixelSize(width: 2, height: 2), format: .rgba8, alpha: .premultiplied),
            BitmapInfo(size: PixelSize(width: 2, height: 2), format: .gray8, profile: .icc(TestProfiles.wideRGB)),
            BitmapInfo(size: PixelSize(width: 0, height: 2), format: .rgba8),
        ] {
            #expect(
                errorCode { try PNMCodec().makeEncoder(info, options: EncodingOptions(), output: buffer) }
                    == .invalidParameter)
        }
        let bitmap = try Bitmap.pattern(4, 7)
        let encoder = try PNMCodec().makeEncoder(bitmap.info, options: EncodingOptions(), output: buffer)
        #expect(errorCode { try encoder.finish() } == .invalidParameter)
        #expect(buffer.bytes.isEmpty)
        try encoder.write(bitmap.rows)
        #expect(errorCode { try encoder.write(bitmap.rows) } == .invalidParameter)
    }

    @Test("The registry finds PNM by its bytes and all its names")
    func registry() throws {
        let file = try ImageDestination(format: .pnm).encode(Bitmap.pattern(3, 3))
        #expect(CodecRegistry.builtIn.identify(FormatProbe(whole: file.span.bytes)) == .match(.pnm))
        for name in ["pnm", "PBM", "pgm", ".ppm", "pam"] { #expect(ImageFormat(filenameExtension: name) == .pnm) }
    }
}
