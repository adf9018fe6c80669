#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Gain maps as items of HEIF and AVIF files, written and read.
@Suite("Gain maps in HEIC and AVIF files", .enabled(if: HEIFCodec().canEncode && AVIFCodec().canEncode, "no encoders"))
struct ISOGainMapFileTests {
    static let formats = [ImageFormat.heic, .avif]

    @Test("A map that is written is read again", arguments: formats, [true, false])
    func roundTrip(format: ImageFormat, isGray: Bool) throws {
        let metadata = isGray ? GainMapFixture.gray : GainMapFixture.colored
        let image = try GainMapFixture.image(metadata, isGray: isGray)
        let file = try GainMapFixture.file(image, as: format)
        let read = try #require(try Image(data: file).gainMap)
        #expect(read.metadata == metadata)
        let (stored, original) = (try read.image.bitmap(), try #require(image.gainMap).image)
        #expect(stored.format == (isGray ? .gray8 : .rgba8) && stored.size == original.size)
        let noise = try #require(stored.noise(against: try original.bitmap()))
        // Colours have half as many samples.
        #expect(noise > (isGray ? 35 : 30), "\(noise) dB")
        #expect(try GainMapFixture.error(in: file) == nil)
    }

    @Test("The base is the same to the bit as without the map, and so is its metadata", arguments: formats)
    func base(format: ImageFormat) throws {
        let image = try GainMapFixture.image()
        // EXIF with an empty directory.
        let metadata = ImageMetadata(
            exif: [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            xmp: Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8))
        var options = EncodingOptions(quality: 0.8, metadata: metadata)
        options.avif.speed = 9
        let with = try ImageSource.decode(image.data(as: format, options: options))
        let without = try ImageSource.decode(image.withGainMap(nil).data(as: format, options: options))
        #expect(with.error == nil && with.bitmap.tightBytes() == without.bitmap.tightBytes())
        #expect(with.header == without.header)
        #expect(with.header.metadata.xmp == metadata.xmp)
    }

    @Test("A base with alpha keeps it beside the map", arguments: formats)
    func alpha(format: ImageFormat) throws {
        let base = Image(try CodedFile.sample(.rgba8, alpha: .straight))
        let map = try GainMapFixture.image().gainMap
        let file = try GainMapFixture.file(base.withGainMap(map), as: format)
        let decoded = try ImageSource.decode(file)
        #expect(decoded.header.hasAlpha && decoded.error == nil)
        let plain = try ImageSource.decode(GainMapFixture.file(base, as: format))
        #expect(decoded.bitmap.tightBytes() == plain.bitmap.tightBytes())
        #expect(try Image(data: file).gainMap?.metadata == GainMapFixture.gray)
    }

    @Test("A map is upright like its base", arguments: formats, Orientation.allCases)
    func orientation(format: ImageFormat, orientation: Orientation) throws {
        let image = try GainMapFixture.image(
            size: PixelSize(width: 128, height: 64), mapSize: PixelSize(width: 64, height: 32))
        let upright = try Image(data: GainMapFixture.file(image, as: format, orientation: orientation))
        let map = try #require(upright.gainMap).image
        #expect(map.size == orientation.applied(to: PixelSize(width: 64, height: 32)))
        let expected = try #require(image.gainMap).image.bitmap().oriented(by: orientation)
        let noise = try #require(try map.bitmap().noise(against: expected))
        #expect(noise > 33, "\(noise) dB")
        #expect(upright.size == orientation.applied(to: image.size))
    }

    @Test("The alternate rendition's colour space", arguments: formats)
    func alternate(format: ImageFormat) throws {
        var image = try GainMapFixture.image(GainMapFixture.colored, isGray: false)
        var map = try #require(image.gainMap)
        map.metadata.usesBaseColorSpace = false
        let high = try ImageSource.header(of: ToneMapping.png(image.bitmap(), primaries: 9, transfer: 16)).profile
        for profile in [.icc(TestProfiles.wideRGB), high, .sRGB] {
            map.alternateProfile = profile
            image = image.withGainMap(map)
            let read = try #require(try Image(data: GainMapFixture.file(image, as: format)).gainMap)
            #expect(read.alternateProfile == profile && !read.metadata.usesBaseColorSpace)
        }
    }

    @Test("From JPEG to the format and back, the rendition stays", arguments: formats)
    func conversions(format: ImageFormat) throws {
        let jpeg = try Image(data: GainMapFixture.file(GainMapFixture.image()))
        let there = try Image(data: GainMapFixture.file(jpeg, as: format))
        let back = try Image(data: GainMapFixture.file(there))
        let expected = try jpeg.rendered(for: .high(headroom: 4)).bitmap()
        for image in [there, back] {
            let rendered = try image.rendered(for: .high(headroom: 4)).bitmap()
            let noise = try #require(rendered.noise(against: expected))
            #expect(noise > 34, "\(noise) dB")
        }
    }

    @Test("The peak of PQ is written and read", arguments: formats)
    func peak(format: ImageFormat) throws {
        let ramp = try GainMapFixture.bitmap(PixelSize(width: 64, height: 64))
        func decoded(_ peak: Int?) throws -> (profile: ColorProfile, file: [UInt8]) {
            let png = try ToneMapping.png(ramp, primaries: 9, transfer: 16, peak: peak)
            let image = try Image(data: png, options: DecodingOptions(color: .asStored))
            let file = try GainMapFixture.file(image, as: format)
            return (try ImageSource.header(of: file).profile, file)
        }
        let (bright, file) = try decoded(800)
        let png = try ToneMapping.png(ramp, primaries: 9, transfer: 16, peak: 800)
        #expect(try bright == ImageSource.header(of: png).profile)
        #expect(file.firstRange(of: Array("clli".utf8) + [0x03, 0x20, 0, 0]) != nil)
        let (plain, other) = try decoded(nil)
        #expect(plain.isHighDynamicRange && plain != bright)
        #expect(other.firstRange(of: Array("clli".utf8)) == nil)
    }
}
#endif
