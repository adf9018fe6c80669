#if HEIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("HEIF corpus", .needsCorpus)
struct HEIFCorpusTests {
    /// What libheif 1.15 has no decoder for.
    static let exceptions = [
        "libheif__vvc32.heif": "coded as VVC", "libheif__rgb_generic_compressed_zlib.heif": "uncompressed coding",
    ]
    static let converter = CommandLineTool("heif-convert")

    @Test("Every valid file decodes to heif-convert's pixels", arguments: Corpus.files("valid/heif"))
    func valid(path: String) throws {
        let file = try Corpus.bytes(path)
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        if let reason = Self.exceptions[String(path.split(separator: "/").last!)] {
            #expect(errorCode { try ImageSource.decode(file, options: options) } == .unsupported)
            print("HEIF corpus: \(path) is refused: \(reason)")
            return
        }
        let decoded = try ImageSource.decode(file, options: options)
        #expect(decoded.error == nil)
        guard Self.converter.isInstalled else { return }
        let folder = try TemporaryFolder()
        #expect(try Self.converter.run([path, folder.file("picture.png")]))
        let expected = try ImageSource.decode(
            folder.read("picture.png"), options: options, registry: CodecRegistry([PNGCodec()])
        ).bitmap
        // heif-convert fills ten bits up with zeros, instead of scaling them.
        let tolerance = decoded.header.bitsPerChannel > 8 ? 63 : 0
        #expect(try #require(decoded.bitmap.largestDifference(from: expected)) <= tolerance)
        #expect(decoded.bitmap.alpha == expected.alpha)
    }

    @Test("Every invalid file gives an error or an image", arguments: Corpus.files("invalid/heif"))
    func invalid(path: String) throws {
        let file = try Corpus.bytes(path)
        let decoded = try? ImageSource.decode(file)
        #expect(decoded == nil || decoded!.bitmap.size == decoded!.header.size)
    }

    @Test("Metadata of files is found")
    func metadata() throws {
        let path = try #require(Corpus.files("valid/heif").first { $0.hasSuffix("nuke__img_751.heic") })
        let header = try ImageSource.header(of: Corpus.bytes(path))
        // 2242 with the offset and the name in front.
        #expect(header.metadata.exif?.count == 2232)
        #expect(header.metadata.xmp?.count == 2616)
        #expect(header.metadata.orientation == .up)
        guard case .icc(let profile) = header.profile else {
            Issue.record("no profile")
            return
        }
        #expect(profile.count == 548)
    }
}
#endif
