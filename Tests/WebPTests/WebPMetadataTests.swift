#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("WebP: metadata")
struct WebPMetadataTests {
    typealias Fixture = WebPFixture

    static let xmp = Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)

    /// 6 × 4 pixels with everything around them: EXIF before or behind.
    static func file(_ orientation: Orientation, exifFirst: Bool, prefix: [UInt8] = []) throws -> [UInt8] {
        let picture = try Fixture.picture(Fixture.sample(6, 4))
        let exif = Fixture.chunk("EXIF", prefix + Fixture.exif(orientation))
        let (first, last) = exifFirst ? (exif, []) : ([], exif)
        return Fixture.file(
            Fixture.extended(4 + 8 + 32, 6, 4), Fixture.chunk("ICCP", TestProfiles.wideRGB),
            Fixture.chunk("junk", [1, 2, 3]), first, picture, Fixture.chunk("junk", [1]), last,
            Fixture.chunk("XMP ", xmp))
    }

    @Test(
        "Metadata is found before and after the pixels", arguments: [true, false],
        [[], Array("Exif\0\0".utf8)] as [[UInt8]])
    func everything(exifFirst: Bool, prefix: [UInt8]) throws {
        let file = try Self.file(.right, exifFirst: exifFirst, prefix: prefix)
        for splits in [[], Array(1..<file.count)] {
            for isStream in [true, false] {
                let session = DecoderSession(webP: file, splits: splits, isStream: isStream)
                #expect(session.header?.metadata.orientation == .right)
                #expect(session.header?.metadata.exif == Fixture.exif(.right))
                #expect(session.header?.metadata.xmp == Self.xmp)
                #expect(session.header?.profile == .icc(TestProfiles.wideRGB))
                #expect(session.bitmap?.profile == .icc(TestProfiles.wideRGB))
                #expect(session.isComplete && session.error == nil)
            }
        }
    }

    @Test("An orientation after the pixels rotates them", arguments: [true, false])
    func turned(exifFirst: Bool) throws {
        let sample = try Fixture.sample(6, 4)
        let file = try Self.file(.right, exifFirst: exifFirst)
        let upright = try sample.oriented(by: .right).tightBytes()
        let options = DecodingOptions(color: .asStored)
        let pulled = try ImageRowSource(Source(file), options: options)
        #expect(pulled.header.size == PixelSize(width: 4, height: 6) && pulled.header.metadata.xmp == Self.xmp)
        #expect(try pulled.makeBitmap().tightBytes() == upright)
        let pushed = ImageSource(options: options)
        for byte in file { try pushed.append([byte]) }
        try pushed.finish()
        #expect(try pushed.currentBitmap()?.tightBytes() == upright)
    }

    @Test("A stream's pixels wait only for a possible orientation")
    func waiting() throws {
        let file = try Self.file(.right, exifFirst: true)
        let session = DecoderSession(webP: Array(file.dropLast(Self.xmp.count + 9)))
        #expect(session.rows == 4 && session.error?.code == .truncated)
        // One that never comes is none.
        let cut = try Self.file(.right, exifFirst: false).dropLast(Self.xmp.count + 9 + 20)
        let late = DecoderSession(webP: Array(cut))
        #expect(late.rows == 4 && late.header?.metadata.orientation == .up && late.error?.code == .truncated)
    }

    @Test("Profiles that aren't for colours are ignored")
    func grayProfile() throws {
        let picture = try Fixture.picture(Fixture.sample(6, 4))
        for profile in [TestProfiles.linearGray, TestProfiles.cmyk, [1, 2, 3], []] {
            let file = Fixture.file(Fixture.extended(32, 6, 4), Fixture.chunk("ICCP", profile), picture)
            #expect(DecoderSession(webP: file).header?.profile == .sRGB)
        }
    }

    @Test("Blocks beyond the limit are left out")
    func limits() throws {
        var limits = DecodingLimits.standard
        limits.maximumMetadataByteCount = 20
        let session = DecoderSession(webP: try Self.file(.right, exifFirst: true), limits: limits)
        #expect(session.isComplete && session.header?.metadata == ImageMetadata() && session.header?.profile == .sRGB)
    }

    @Test(
        "Metadata is written, and read by other programs", .enabled(if: WebPTools.areInstalled),
        arguments: [true, false])
    func written(lossless: Bool) throws {
        for alpha in [AlphaMode.none, .straight] {
            let sample = try Fixture.sample(31, 17, alpha: alpha)
                .withMeaning(alpha: alpha, profile: .icc(TestProfiles.wideRGB))
            let metadata = ImageMetadata(orientation: .leftMirrored, exif: Fixture.exif(.up), xmp: Self.xmp)
            let file = try Fixture.encode(sample, EncodingOptions(isLossless: lossless, metadata: metadata))
            #expect(try WebPTools.info(file) != nil)
            #expect(try WebPTools.chunk("icc", of: file) == TestProfiles.wideRGB)
            #expect(try WebPTools.chunk("exif", of: file) == Fixture.exif(.leftMirrored))
            #expect(try WebPTools.chunk("xmp", of: file) == Self.xmp)
            let session = DecoderSession(webP: file)
            #expect(
                session.header?.metadata
                    == ImageMetadata(
                        orientation: .leftMirrored, exif: Fixture.exif(.leftMirrored), xmp: Self.xmp))
            #expect(session.header?.hasAlpha == alpha.hasAlpha)
            #expect(try session.bitmap?.tightBytes() == WebPTools.decode(file)?.rgba)
        }
    }
}
#endif
