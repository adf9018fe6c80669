#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files that present themselves by a tone-mapped item.
@Suite("A tone-mapped primary item", .enabled(if: HEIFCodec().canEncode && AVIFCodec().canEncode, "no encoders"))
struct ToneMappedPrimaryTests {
    private typealias Pictures = (base: HEIFFixture.Coded, map: HEIFFixture.Coded)

    static let base = Result { try GainMapFixture.bitmap(PixelSize(width: 128, height: 64)) }
    static let gains = Result { try GainMapFixture.bitmap(PixelSize(width: 64, height: 64), format: .gray8) }
    private static let heic = Result {
        (base: try HEIFFixture.Coded(base.get()), map: try HEIFFixture.Coded(gains.get()))
    }
    private static let avif = Result {
        (base: try HEIFFixture.Coded(av1: base.get()), map: try HEIFFixture.Coded(av1: gains.get()))
    }

    /// The items base, map and `tmap`, of which the last is the primary one.
    static func fixture(_ format: ImageFormat) throws -> HEIFFixture {
        let (base, map) = try format == .heic ? heic.get() : avif.get()
        var fixture = HEIFFixture(base)
        fixture.add(map, isHidden: true)
        fixture.items.append(
            HEIFFixture.Item(type: "tmap", data: [0] + GainMapFixture.colored.iso21496, properties: [], parts: [1, 2]))
        fixture.primary = 3
        return fixture
    }

    private static func expectBase(_ file: [UInt8], _ comment: Comment? = nil) throws {
        let decoded = try ImageSource.decode(file)
        #expect(decoded.error == nil, comment)
        #expect(try decoded.bitmap.tightBytes() == base.get().tightBytes(), comment)
    }

    @Test("Its base is the image, with the map", arguments: ISOGainMapFileTests.formats, [true, false])
    func read(format: ImageFormat, isHidden: Bool) throws {
        var fixture = try Self.fixture(format)
        fixture.items[0].isHidden = isHidden
        for alternatives in [[], [3, 1]] {
            fixture.alternatives = alternatives
            let file = fixture.bytes
            try Self.expectBase(file)
            let map = try #require(try Image(data: file).gainMap)
            #expect(map.metadata == GainMapFixture.colored)
            #expect(try map.image.bitmap().tightBytes() == Self.gains.get().tightBytes())
        }
    }

    @Test("Metadata of the tone-mapped item are the image's", arguments: ISOGainMapFileTests.formats)
    func metadata(format: ImageFormat) throws {
        let exif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        // libheif 1.15 refuses metadata of two items.
        for targets in [[3], [1], [1, 3]] where format == .avif || targets.count == 1 {
            var fixture = try Self.fixture(format)
            fixture.items.append(
                HEIFFixture.Item(
                    type: "Exif", data: [0, 0, 0, 0] + exif, properties: [], references: [("cdsc", targets)]))
            let file = fixture.bytes
            try Self.expectBase(file, "\(targets)")
            #expect(try ImageSource.header(of: file).metadata.exif == exif, "\(targets)")
        }
    }

    @Test("The base's turns are the image's", arguments: ISOGainMapFileTests.formats)
    func turns(format: ImageFormat) throws {
        var fixture = try Self.fixture(format)
        fixture.properties.append(HEIFFixture.box("irot", [1]))
        fixture.items[0].properties.append(fixture.properties.count)
        let turned = try Image(data: fixture.bytes).bitmap()
        #expect(try turned.tightBytes() == Self.base.get().oriented(by: .left).tightBytes())
    }

    @Test("The peak is the base's", arguments: ISOGainMapFileTests.formats)
    func peak(format: ImageFormat) throws {
        var fixture = try Self.fixture(format)
        fixture.addProperties([ISOPeakTests.colors, ISOPeakTests.contentLight(700)])
        #expect(try ImageSource.header(of: fixture.bytes).profile == ISOPeakTests.profile(700))
    }

    @Test("A map that is wrong leaves the base alone", arguments: ISOGainMapFileTests.formats)
    func wrongMap(format: ImageFormat) throws {
        func changed(_ code: ImageError.Code, _ change: (inout HEIFFixture) -> Void) throws {
            var fixture = try Self.fixture(format)
            change(&fixture)
            let file = fixture.bytes
            try Self.expectBase(file)
            #expect(try GainMapFixture.error(in: file)?.code == code)
            #expect(try Image(data: file).gainMap == nil)
        }
        try changed(.corrupt) { $0.items[2].parts = [1] }
        try changed(.corrupt) { $0.items[2].parts = [1, 1] }
        try changed(.corrupt) { $0.items[2].parts = [1, 99] }
        try changed(.unsupported) { $0.items[2].parts = [1, 3] }
        try changed(.unsupported) { $0.items[1].type = "test" }
        try changed(.unsupported) { $0.items[2].data[0] = 7 }
        try changed(.truncated) { $0.items[2].data.removeLast(50) }
    }

    @Test("A base that is none is an error", arguments: ISOGainMapFileTests.formats)
    func wrongBase(format: ImageFormat) throws {
        for parts in [[], [3, 2], [99, 2], [3]] {
            var fixture = try Self.fixture(format)
            fixture.items[2].parts = parts
            #expect(throws: ImageError.self, "\(parts)") { try Image(data: fixture.bytes).bitmap() }
        }
        var fixture = try Self.fixture(format)
        fixture.items[0].type = "test"
        #expect(throws: ImageError.self) { try Image(data: fixture.bytes).bitmap() }
        // Two tone-mapped items, each of which is the other's base.
        fixture = try Self.fixture(format)
        fixture.items.append(HEIFFixture.Item(type: "tmap", data: [0], properties: [], parts: [3, 2]))
        fixture.items[2].parts = [4, 2]
        #expect(throws: ImageError.self) { try Image(data: fixture.bytes).bitmap() }
    }

    @Test("Every byte of the boxes may be anything", arguments: ISOGainMapFileTests.formats)
    func anyByte(format: ImageFormat) throws {
        try ISOGainMapDamageTests.forEachDamaged(Self.fixture(format).bytes) { damaged in
            guard let header = try? ImageSource.header(of: damaged) else { return }
            let map = try? ImageSource.gainMap(in: Source(damaged), header: header)
            #expect(map?.image.size.isEmpty != true)
        }
    }
}
#endif
