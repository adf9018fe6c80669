#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files whose base is in PQ, with a map to the standard range.
@Suite("Gain maps of high bases in files", .enabled(if: HEIFCodec().canEncode && AVIFCodec().canEncode, "no encoders"))
struct HighBaseFileTests {
    static let formats = [ImageFormat.heic, .avif, .jpegXL].filter { CodecRegistry.default.canEncode($0) }

    private static func file(
        _ format: ImageFormat, orientation: Orientation = .up
    ) throws -> (standard: Bitmap, bytes: [UInt8]) {
        let (standard, image) = try GainMapFixture.highBase()
        return (standard, try GainMapFixture.file(image, as: format, orientation: orientation))
    }

    @Test("The standard rendition is the alternate one, however the file is opened", arguments: formats)
    func standard(format: ImageFormat) throws {
        let (standard, file) = try Self.file(format)
        let image = try Image(data: file)
        // These pixels are the alternate rendition, so the map isn't theirs.
        #expect(image.gainMap == nil)
        let rendered = try image.rendered(for: .standard).bitmap()
        #expect(rendered.profile == .sRGB)
        let noise = try #require(rendered.noise(against: standard))
        let mapped = try image.withGainMap(nil).rendered(for: .standard).bitmap()
        let otherNoise = try #require(mapped.noise(against: standard))
        #expect(noise > 32 && otherNoise < noise - 6, "\(noise) and \(otherNoise) dB")
        let stored = try Image(data: file, options: DecodingOptions(color: .asStored))
        #expect(try stored.gainMap?.metadata == GainMapFixture.highBase().image.gainMap?.metadata)
        #expect(try stored.rendered(for: .standard).bitmap().samples16 == rendered.samples16)
    }

    @Test("A high rendition is the base", arguments: formats)
    func high(format: ImageFormat) throws {
        let (_, file) = try Self.file(format)
        let image = try Image(data: file)
        var options = DecodingOptions(color: .asStored)
        options.maximumBitsPerChannel = 16
        let base = try ImageSource.decode(file, options: options).bitmap
        let high = try image.rendered(for: .high(headroom: 40)).bitmap()
        #expect(high.profile.isHighDynamicRange && high.samples16 == base.samples16)
        // Less headroom is darker, and the less the darker.
        func light(_ headroom: Double) throws -> Int {
            try image.rendered(for: .high(headroom: headroom)).bitmap().samples16.reduce(0) { $0 + Int($1) }
        }
        let sums = try [1, 2, 3.9, 40].map { try light($0) }
        #expect(sums == sums.sorted() && Set(sums).count == sums.count, "\(sums)")
    }

    @Test("The map is upright like its base", arguments: formats, [Orientation.right, .down])
    func orientation(format: ImageFormat, orientation: Orientation) throws {
        let (standard, file) = try Self.file(format, orientation: orientation)
        let rendered = try Image(data: file).rendered(for: .standard).bitmap()
        let noise = try #require(try rendered.noise(against: standard.oriented(by: orientation)))
        #expect(noise > 32, "\(noise) dB")
    }

    @Test("A map that is damaged leaves tone mapping", arguments: formats)
    func damaged(format: ImageFormat) throws {
        var (_, file) = try Self.file(format)
        let place = try GainMapFixture.offset(
            of: #require(GainMapFixture.highBase().image.gainMap).metadata.iso21496, in: file)
        // The first denominator.
        file.replaceSubrange((place + 9)..<(place + 13), with: [0, 0, 0, 0])
        let image = try Image(data: file)
        let rendered = try image.rendered(for: .standard).bitmap()
        #expect(try rendered.samples16 == image.withGainMap(nil).rendered(for: .standard).bitmap().samples16)
    }
}
#endif
