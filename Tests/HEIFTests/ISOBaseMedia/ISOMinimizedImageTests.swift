#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Files with a `mini` box show what the same image's file with a `meta` box does.
@Suite("Minimized images", .enabled(if: AVIFCodec().canEncode && HEIFCodec().canEncode, "an encoder is missing"))
struct ISOMinimizedImageTests {
    private static let registry = CodecRegistry([AVIFCodec(), HEIFCodec(.heic), HEIFCodec(.heif)])

    enum Coding: CaseIterable, Sendable {
        case av1
        case hevc
    }

    private static func coded(
        _ coding: Coding, _ format: PixelFormat = .rgba8, width: Int = 128, height: Int = 64
    ) throws -> HEIFFixture.Coded {
        let bitmap = try CodedFile.sample(format, width: width, height: height)
        return coding == .av1 ? try HEIFFixture.Coded(av1: bitmap) : try HEIFFixture.Coded(bitmap)
    }

    private func decode(_ file: [UInt8]) throws -> DecodedImage {
        try ImageSource.decode(file, options: DecodingOptions(color: .asStored), registry: Self.registry)
    }

    private func expectSame(_ minimized: MinimizedFixture, _ usual: HEIFFixture) throws {
        let (decoded, expected) = (try decode(minimized.bytes), try decode(usual.bytes))
        #expect(decoded.error == nil && decoded.bitmap.info == expected.bitmap.info)
        #expect(decoded.bitmap.tightBytes() == expected.bitmap.tightBytes())
    }

    @Test("Pixels are those of the usual file", arguments: Coding.allCases, [(128, 64), (64, 192)])
    func pixels(coding: Coding, size: (Int, Int)) throws {
        let coded = try Self.coded(coding, width: size.0, height: size.1)
        var minimized = MinimizedFixture(coded)
        try expectSame(minimized, HEIFFixture(coded))
        #expect(try decode(minimized.bytes).header.format == (coding == .av1 ? .avif : .heic))
        minimized.isWide = true
        try expectSame(minimized, HEIFFixture(coded))
    }

    @Test("The box may name the coding itself")
    func namedCoding() throws {
        let coded = try Self.coded(.hevc)
        var minimized = MinimizedFixture(coded)
        minimized.minorVersion = nil
        let decoded = try decode(minimized.bytes)
        #expect(decoded.header.format == .heif)
        #expect(try decoded.bitmap.tightBytes() == decode(HEIFFixture(coded).bytes).bitmap.tightBytes())
    }

    @Test("Grey has no matrix")
    func gray() throws {
        let coded = try Self.coded(.av1, .gray8)
        var minimized = MinimizedFixture(coded)
        minimized.isGray = true
        let decoded = try decode(minimized.bytes)
        #expect(decoded.bitmap.info.format == .gray8)
        #expect(try decoded.bitmap.tightBytes() == decode(HEIFFixture(coded).bytes).bitmap.tightBytes())
    }

    @Test("A mask is alpha", arguments: Coding.allCases, [false, true])
    func mask(coding: Coding, isPremultiplied: Bool) throws {
        let mask = try Self.coded(coding, .gray8)
        var minimized = MinimizedFixture(try Self.coded(coding))
        minimized.mask = mask
        minimized.isPremultiplied = isPremultiplied
        let decoded = try decode(minimized.bytes)
        #expect(decoded.header.hasAlpha)
        let bytes = decoded.bitmap.tightBytes()
        let alpha = stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] }
        #expect(try alpha == decode(HEIFFixture(mask).bytes).bitmap.tightBytes())
    }

    @Test("The orientation turns the image", arguments: 1...8)
    func orientation(number: Int) throws {
        let coded = try Self.coded(.av1)
        var minimized = MinimizedFixture(coded)
        minimized.orientation = number
        let decoded = try decode(minimized.bytes)
        let orientation = try #require(Orientation(rawValue: UInt8(number)))
        #expect(decoded.header.metadata.orientation == orientation)
        let upright = try decode(HEIFFixture(coded).bytes).bitmap.oriented(by: orientation)
        #expect(decoded.bitmap.tightBytes() == upright.tightBytes())
    }

    @Test("Profile, EXIF, XMP and light are read", arguments: Coding.allCases)
    func metadata(coding: Coding) throws {
        var minimized = MinimizedFixture(try Self.coded(coding))
        minimized.profile = TestProfiles.wideRGB
        minimized.xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
        minimized.exif = Array("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{1}\0\0\0\0\0\0".utf8)
        minimized.lightLevel = [3, 0xE8, 1, 0]
        let header = try decode(minimized.bytes).header
        #expect(header.profile == .icc(minimized.profile!))
        #expect(header.metadata.xmp == minimized.xmp)
        #expect(header.metadata.exif == minimized.exif)
    }

    @Test("A gain map is read, and the base without it", arguments: Coding.allCases)
    func gainMap(coding: Coding) throws {
        let coded = try Self.coded(coding)
        var minimized = MinimizedFixture(coded)
        minimized.gainMap = (try Self.coded(coding, width: 64, height: 64), GainMapFixture.colored.iso21496)
        try expectSame(minimized, HEIFFixture(coded))
        let map = try #require(try Image(data: minimized.bytes).gainMap)
        #expect(map.metadata == GainMapFixture.colored)
        #expect(try map.image.bitmap().size == PixelSize(width: 64, height: 64))
    }

    @Test("A still is an animation of one frame, also while its bytes arrive", arguments: Coding.allCases)
    func animation(coding: Coding) throws {
        let file = MinimizedFixture(try Self.coded(coding)).bytes
        let animation = try AnimatedImage(data: file, registry: Self.registry)
        #expect(animation.frames.count == 1)
    }

    @Test("An end within the box is reported, at every byte", arguments: Coding.allCases)
    func truncated(coding: Coding) throws {
        CodedFile(MinimizedFixture(try Self.coded(coding)).bytes, Self.registry).expectErrorsWhenTruncated()
    }

    @Test("Damage is an error or an image of the header's size", arguments: Coding.allCases)
    func damaged(coding: Coding) throws {
        var fixture = MinimizedFixture(try Self.coded(coding))
        fixture.xmp = Array("<x/>".utf8)
        CodedFile(fixture.bytes, Self.registry).expectNoTrapWhenDamaged(seed: 27, first: 80)
    }

    @Test("Limits hold")
    func limits() throws {
        let coded = try Self.coded(.av1)
        CodedFile(MinimizedFixture(coded).bytes, Self.registry).expectLimits(coded.size)
    }

    @Test("What isn't known is refused, with its place")
    func refused() throws {
        let coded = try Self.coded(.av1)
        func error(_ change: (inout MinimizedFixture) -> Void) -> ImageError? {
            var fixture = MinimizedFixture(coded)
            change(&fixture)
            return #expect(throws: ImageError.self) { try decode(fixture.bytes) }
        }
        #expect(error { $0.version = 1 }?.code == .unsupported)
        #expect(error { $0.isFloat = true }?.code == .unsupported)
        #expect(error { $0.minorVersion = "mif1" }?.code == .unsupported)
        // A box with a byte more, and one with a byte less.
        var file = MinimizedFixture(coded).bytes
        file[19] &+= 1
        let longer = #expect(throws: ImageError.self) { try decode(file + [0]) }
        #expect(longer?.code == .corrupt && longer?.byteOffset == file.count)
        file[19] &-= 2
        let shorter = #expect(throws: ImageError.self) { try decode(file) }
        #expect(shorter?.code == .corrupt && shorter?.byteOffset != nil)
    }
}
#endif
