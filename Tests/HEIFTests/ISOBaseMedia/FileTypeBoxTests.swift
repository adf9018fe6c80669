#if HEIF && AVIF
import ImageFormats
import Raster
import Testing

@Suite("ISO base media: brands")
struct FileTypeBoxTests {
    private static let registry = CodecRegistry([AVIFCodec(), HEIFCodec(.heic), HEIFCodec(.heif)])

    /// A file type box of these brands, and a box behind it.
    static func file(_ major: String, _ compatible: [String], minor: String = "\0\0\0\0") -> [UInt8] {
        let body = Array(major.utf8) + Array(minor.utf8) + compatible.flatMap { Array($0.utf8) }
        return [0, 0, 0, UInt8(body.count + 8)] + Array("ftyp".utf8) + body + [0, 0, 0, 8] + Array("free".utf8)
    }

    @Test(
        "The major brand decides, then the first compatible brand that names a coding",
        arguments: [
            ("heic", ["mif1", "heic"], .match(.heic)), ("mif1", ["heic", "mif1"], .match(.heic)),
            ("mif1", ["mif1", "heix"], .match(.heic)), ("hevc", ["msf1"], .match(.heic, .animated)),
            ("msf1", ["hevc", "heic"], .match(.heic, .animated)), ("heic", ["hevc"], .match(.heic)),
            ("heim", [], .match(.heic)), ("heis", [], .match(.heic)), ("mif1", ["mif1"], .match(.heif)),
            ("msf1", ["iso8"], .match(.heif)), ("vvic", ["mif1", "miaf"], .match(.heif)),
            ("avif", ["mif1", "miaf"], .match(.avif)), ("avif", ["avis", "mif1"], .match(.avif)),
            ("mif1", ["avif"], .match(.avif)), ("heic", ["mif1", "avif"], .match(.heic)),
            ("avis", ["msf1"], .match(.avif, .animated)), ("msf1", ["avis"], .match(.avif, .animated)),
            ("isom", ["iso2", "avc1", "mp41"], .unknown), ("qt  ", [], .unknown), ("miaf", [], .unknown),
        ] as [(String, [String], FormatMatch)])
    func brands(major: String, compatible: [String], expected: FormatMatch) {
        let file = Self.file(major, compatible)
        #expect(Self.registry.identify(FormatProbe(whole: file.span.bytes)) == expected)
    }

    @Test(
        "A minimized image's coding is the minor version",
        arguments: [("avif", .match(.avif)), ("heic", .match(.heic)), ("\0\0\0\0", .match(.heif))]
            as [(String, FormatMatch)])
    func minimized(minor: String, expected: FormatMatch) {
        let file = Self.file("mif3", [], minor: minor)
        #expect(Self.registry.identify(FormatProbe(whole: file.span.bytes)) == expected)
        // Other brands' versions are numbers.
        let other = Self.file("isom", [], minor: minor)
        #expect(Self.registry.identify(FormatProbe(whole: other.span.bytes)) == .unknown)
    }

    @Test("More bytes are requested until the brands are complete, without delaying other formats")
    func arriving() {
        let file = Self.file("mif1", ["miaf", "heic"])
        for count in 1..<24 {
            let some = Array(file.prefix(count))
            let match = Self.registry.identify(FormatProbe(streamPrefix: some.span.bytes))
            #expect(match == .needMoreData(minimum: count < 8 ? 12 : 24), "\(count) bytes: \(match)")
            #expect(Self.registry.identify(FormatProbe(whole: some.span.bytes)) == .unknown)
        }
        #expect(Self.registry.identify(FormatProbe(streamPrefix: file.span.bytes)) == .match(.heic))
        let jpeg: [UInt8] = [0xFF]
        #expect(Self.registry.identify(FormatProbe(streamPrefix: jpeg.span.bytes)) == .unknown)
    }

    @Test(
        "Invalid boxes are no images",
        arguments: [
            [0, 0, 0, 4] + Array("ftypavif".utf8), [0, 0, 0, 12] + Array("ftypavif".utf8),
            [0, 0, 0xFF, 0xFF] + Array("ftypavif".utf8), [0xFF, 0, 0, 24] + Array("ftypavif".utf8),
            [0, 0, 0, 0] + Array("ftypavif".utf8), [0, 0, 0, 1] + Array("ftypavif".utf8),
            [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0],
        ] as [[UInt8]])
    func nonsense(bytes: [UInt8]) {
        #expect(Self.registry.identify(FormatProbe(streamPrefix: bytes.span.bytes)) == .unknown)
    }
}
#endif
