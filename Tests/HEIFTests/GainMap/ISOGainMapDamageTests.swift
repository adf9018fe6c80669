#if HEIF
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Files put together box by box. A map that can't be used never keeps the base from being read.
@Suite("Gain maps as items", .enabled(if: HEIFCodec().canEncode, "libheif has no encoder for HEVC"))
struct ISOGainMapDamageTests {
    private typealias Pictures = (
        base: HEIFFixture.Coded, map: HEIFFixture.Coded, bitmap: Bitmap, gains: Bitmap
    )

    private static let pictures = Result { try makePictures() }

    private static func makePictures() throws -> Pictures {
        let bitmap = try GainMapFixture.bitmap(PixelSize(width: 128, height: 64))
        let gains = try GainMapFixture.bitmap(PixelSize(width: 64, height: 64), format: .gray8)
        return (try HEIFFixture.Coded(bitmap), try HEIFFixture.Coded(gains), bitmap, gains)
    }

    /// The items base, map and `tmap`, in this order.
    private static func fixture(_ metadata: GainMapMetadata = GainMapFixture.gray) throws -> HEIFFixture {
        let (base, map, _, _) = try pictures.get()
        var fixture = HEIFFixture(base)
        fixture.add(map, isHidden: true)
        fixture.items.append(
            HEIFFixture.Item(type: "tmap", data: [0] + metadata.iso21496, properties: [], parts: [1, 2]))
        fixture.alternatives = [3, 1]
        return fixture
    }

    /// Expects that the base is read without a map, for the reason given.
    private func expect(_ code: ImageError.Code?, _ file: [UInt8], _ comment: Comment? = nil) throws {
        #expect(try GainMapFixture.error(in: file)?.code == code, comment)
        let image = try Image(data: file)
        #expect(image.gainMap == nil, comment)
        #expect(try image.bitmap().tightBytes() == Self.pictures.get().bitmap.tightBytes(), comment)
    }

    @Test("A hidden map, and one that is an image too", arguments: [true, false])
    func found(isHidden: Bool) throws {
        var fixture = try Self.fixture(GainMapFixture.colored)
        fixture.items[1].isHidden = isHidden
        let image = try Image(data: fixture.bytes)
        let map = try #require(image.gainMap)
        #expect(map.metadata == GainMapFixture.colored)
        #expect(try map.image.bitmap().tightBytes() == Self.pictures.get().gains.tightBytes())
        #expect(try image.bitmap().tightBytes() == Self.pictures.get().bitmap.tightBytes())
        // The boxes' order and the items' doesn't matter.
        fixture.alternatives = [1, 7, 3]
        #expect(try Image(data: fixture.bytes).gainMap != nil)
    }

    @Test("A map of tiles")
    func grid() throws {
        let (base, map, _, gains) = try Self.pictures.get()
        var fixture = HEIFFixture(base)
        let size = PixelSize(width: 128, height: 64)
        fixture.add(map, isHidden: true)
        fixture.add(map, isHidden: true)
        fixture.properties.append(HEIFFixture.size(size))
        fixture.items.append(
            HEIFFixture.Item(
                type: "grid", data: [0, 0, 0, 1, 0, 128, 0, 64], properties: [fixture.properties.count], parts: [2, 3],
                isHidden: true))
        fixture.items.append(
            HEIFFixture.Item(type: "tmap", data: [0] + GainMapFixture.gray.iso21496, properties: [], parts: [1, 4]))
        fixture.alternatives = [5, 1]
        let read = try #require(try Image(data: fixture.bytes).gainMap).image.bitmap()
        #expect(read.size == size)
        for x in [0, 64] {
            let tile = try read.cropped(to: PixelRect(x: x, y: 0, width: 64, height: 64))
            #expect(try tile.converted(to: .gray8, alpha: AlphaMode.none).tightBytes() == gains.tightBytes())
        }
    }

    @Test("The map's turns are its own")
    func turns() throws {
        var fixture = try Self.fixture()
        fixture.properties.append(HEIFFixture.box("irot", [1]))
        fixture.items[1].properties.append(fixture.properties.count)
        let map = try #require(try Image(data: fixture.bytes).gainMap)
        let expected = try Self.pictures.get().gains.oriented(by: .left)
        #expect(try map.image.bitmap().tightBytes() == expected.tightBytes())
    }

    @Test("Items that aren't a map of the image")
    func unrelated() throws {
        var fixture = try Self.fixture()
        fixture.alternatives = []
        try expect(nil, fixture.bytes, "no alternative")
        fixture.alternatives = [3, 2]
        try expect(nil, fixture.bytes, "an alternative of the map")
        fixture = try Self.fixture()
        fixture.items[2].parts = [2, 1]
        try expect(nil, fixture.bytes, "another base")
        fixture.items[2].parts = []
        try expect(nil, fixture.bytes, "no base")
    }

    @Test("Tone-mapped items that are wrong")
    func wrong() throws {
        func changed(_ code: ImageError.Code, _ change: (inout HEIFFixture) -> Void) throws {
            var fixture = try Self.fixture()
            change(&fixture)
            try expect(code, fixture.bytes)
        }
        try changed(.corrupt) { $0.items[2].parts = [1] }
        try changed(.corrupt) { $0.items[2].parts = [1, 2, 2] }
        try changed(.corrupt) { $0.items[2].parts = [1, 1] }
        try changed(.corrupt) { $0.items[2].parts = [1, 99] }
        // A loop, and a loop of two.
        try changed(.unsupported) { $0.items[2].parts = [1, 3] }
        try changed(.unsupported) { fixture in
            fixture.items.append(HEIFFixture.Item(type: "tmap", data: [0], properties: [], parts: [1, 3]))
            fixture.items[2].parts = [1, 4]
        }
        try changed(.unsupported) { $0.items[1].type = "mime" }
        // The item's version, the metadata's, its end, and a gamma of 0.
        try changed(.unsupported) { $0.items[2].data[0] = 1 }
        try changed(.unsupported) { $0.items[2].data[2] = 1 }
        try changed(.truncated) { $0.items[2].data.removeLast(9) }
        try changed(.truncated) { $0.items[2].data = [0] }
        try changed(.corrupt) { $0.items[2].data.replaceSubrange(38..<42, with: [0, 0, 0, 0]) }
    }

    @Test("The offset of wrong metadata is the file's")
    func offset() throws {
        var fixture = try Self.fixture()
        fixture.items[2].data.replaceSubrange(10..<14, with: [0, 0, 0, 0])
        let file = fixture.bytes
        let start = try GainMapFixture.offset(of: Array(fixture.items[2].data.prefix(20)), in: file)
        #expect(try GainMapFixture.error(in: file)?.byteOffset == start + 10)
    }

    @Test("A map's size is checked")
    func limits() throws {
        var fixture = try Self.fixture()
        let size = PixelSize(width: 1 << 20, height: 1 << 20)
        fixture.properties.append(HEIFFixture.size(size))
        fixture.items[1].properties[1] = fixture.properties.count
        // All declared sizes are checked before libheif reads any.
        #expect(errorCode { try Image(data: fixture.bytes).bitmap() } == .limitExceeded)
        // The list of items, and the map's bytes: nothing else is read.
        fixture = try Self.fixture()
        fixture.items[1].data += [UInt8](repeating: 0, count: 20_000)
        let file = fixture.bytes
        let header = try ImageSource.header(of: file)
        for limit in [100, 20_000] {
            var limits = DecodingLimits.standard
            limits.maximumInputByteCount = limit
            let options = DecodingOptions(limits: limits)
            #expect(
                errorCode { try ImageSource.gainMap(in: Source(file), header: header, options: options) }
                    == .limitExceeded)
        }
    }

    @Test("Every byte of the boxes may be anything")
    func anyByte() throws {
        try Self.forEachDamaged(Self.fixture().bytes) { damaged in
            guard let header = try? ImageSource.header(of: damaged),
                let map = try? ImageSource.gainMap(in: Source(damaged), header: header)
            else { return }
            #expect(map.metadata.red.gamma > 0 && map.metadata.red.maximum.isFinite)
            #expect(!map.image.size.isEmpty)
        }
    }

    /// Calls `body` with copies of a file in which a byte of the boxes before the data, every third in turn, is 0, and 255.
    static func forEachDamaged(_ file: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        let end = try GainMapFixture.offset(of: Array("mdat".utf8), in: file)
        for offset in stride(from: 24, to: end, by: 3) {
            for value: UInt8 in [0, 0xFF] where file[offset] != value {
                var damaged = file
                damaged[offset] = value
                try body(damaged)
            }
        }
    }

    // MARK: Apple's auxiliary image

    /// The items base, map and the map's XMP, in this order.
    private static func apple(_ xmp: String) throws -> HEIFFixture {
        let (base, map, _, _) = try pictures.get()
        var fixture = HEIFFixture(base)
        fixture.add(map, isHidden: true)
        fixture.properties.append(
            HEIFFixture.fullBox("auxC", 0, Array("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8)))
        fixture.items[1].properties.append(fixture.properties.count)
        fixture.items[1].references = [("auxl", [1])]
        fixture.items.append(
            HEIFFixture.Item(type: "mime", data: Array(xmp.utf8), properties: [], references: [("cdsc", [2])]))
        return fixture
    }

    private static func packet(_ headroom: String) -> String {
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
            + "<rdf:Description xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/1.0/\" "
            + "HDRGainMap:HDRGainMapVersion=\"131072\" HDRGainMap:HDRGainMapHeadroom=\"\(headroom)\"/></rdf:RDF></x:xmpmeta>"
    }

    @Test("Apple's auxiliary image with a headroom of its own")
    func auxiliary() throws {
        let file = try Self.apple(Self.packet("4")).bytes
        let map = try #require(try Image(data: file).gainMap)
        #expect(map.metadata.alternateHeadroom == 2 && map.metadata.red.maximum == 2)
        // Apple's values are light in sRGB's curve: the formula of its documentation.
        let stored = try Self.pictures.get().gains.tightBytes()
        let gains = try map.image.bitmap().tightBytes()
        for index in stride(from: 0, to: 64 * 64, by: 37) {
            let light = TransferCurve.light(stored: Double(stored[index]) / 255)
            let stops = 2 * Double(gains[index]) / 255
            #expect(abs(stops - log2(1 + 3 * light)) < 0.005)
        }
    }

    @Test("An auxiliary image of another kind, or without a headroom, is no map")
    func otherAuxiliary() throws {
        try expect(nil, try Self.apple(Self.packet("0.5")).bytes)
        try expect(nil, try Self.apple(Self.packet("nan")).bytes)
        try expect(nil, try Self.apple("<x/>").bytes)
        var fixture = try Self.apple(Self.packet("4"))
        fixture.properties[fixture.properties.count - 1] = HEIFFixture.fullBox(
            "auxC", 0, Array("urn:com:apple:photo:2018:aux:portraiteffectsmatte\0".utf8))
        try expect(nil, fixture.bytes)
    }
}
#endif
