#if AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("AVIF corpus", .needsCorpus)
struct AVIFCorpusTests {
    /// What avifdec 0.11 refuses: two boxes list the items' properties.
    static let exceptions = ["linku__plum-blossom-small.profile1.10bpc.yuv444.alpha-limited.avif"]
    static let decoder = CommandLineTool("avifdec")

    /// What avifdec makes of a file, at 8 or 16 bits.
    static func expected(_ path: String, bits: Int, index: Int = 0) throws -> Bitmap {
        let folder = try TemporaryFolder()
        #expect(
            try decoder.run(["--no-strict", "-d", "\(bits)", "--index", "\(index)", path, folder.file("picture.png")]))
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        return try ImageSource.decode(
            folder.read("picture.png"), options: options, registry: CodecRegistry([PNGCodec()])
        ).bitmap
    }

    @Test("Every valid file decodes to avifdec's pixels", arguments: Corpus.files("valid/avif"), [8, 16])
    func valid(path: String, bits: Int) throws {
        let file = try Corpus.bytes(path)
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: bits, appliesOrientation: false)
        let decoded = try ImageSource.decode(file, options: options)
        #expect(decoded.error == nil)
        if Self.exceptions.contains(String(path.split(separator: "/").last!)) {
            #expect(decoded.bitmap.alpha == .straight)
            return
        }
        guard Self.decoder.isInstalled else { return }
        let depth = decoded.header.bitsPerChannel > 8 ? bits : 8
        let expected = try Self.expected(path, bits: depth)
        #expect(decoded.bitmap.largestDifference(from: expected) == 0)
    }

    @Test("Every frame of an animation is avifdec's", .needs(decoder))
    func frames() throws {
        let path = try #require(Corpus.files("valid/avif").first { $0.hasSuffix("star-10bpc.avifs") })
        let file = try Corpus.bytes(path)
        let decoder = try AVIFAnimationTests.decoder(file)
        try decoder.append(file.span.bytes)
        try decoder.finish()
        _ = try decoder.start()
        #expect(decoder.frames.map(\.storedDuration) == [0.1, 0.1, 0.1, 0.1, 0.1])
        for index in [4, 0, 1, 2, 3] {
            let expected = try Self.expected(path, bits: 8, index: index)
            let frame = try decoder.decodeFrame(at: index)
            #expect(frame.largestDifference(from: expected) == 0)
        }
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/avif"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let decoded = try? ImageSource.decode(file)
        #expect(decoded == nil || decoded!.bitmap.size == decoded!.header.size)
    }

    @Test("Metadata of files is found")
    func metadata() throws {
        func header(_ name: String) throws -> ImageHeader {
            let path = try #require(Corpus.files("valid/avif").first { $0.hasSuffix(name) })
            return try ImageSource.header(of: Corpus.bytes(path))
        }
        let paris = try header("paris_icc_exif_xmp.avif")
        #expect(paris.metadata.exif?.count == 1126 && paris.metadata.xmp?.count == 3898)
        guard case .icc(let profile) = paris.profile else {
            Issue.record("no profile")
            return
        }
        #expect(profile.count == 596)
        let turned = try header("rot1mir1.avif")
        #expect(turned.metadata.orientation == .rightMirrored)
        #expect(turned.size == PixelSize(width: 640, height: 427))
        let wide = try header("cosmos1650_yuv444_10bpc_p3pq.avif")
        #expect(wide.bitsPerChannel == 10 && wide.profile != .sRGB)
    }
}
#endif
