#if TIFF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("TIFF: metadata")
struct TIFFMetadataTests {
    typealias Fixture = TIFFFixture
    typealias Page = TIFFFixture.Page

    private func header(_ more: [Int: TIFFFixture.Field], _ fixture: TIFFFixture = TIFFFixture()) throws -> ImageHeader
    {
        try Fixture.decode(fixture.file(Page(2, 1, photometric: 1, more: more, chunks: [[1, 2]]))).header
    }

    @Test("The orientation rotates the image", arguments: 1...8)
    func orientation(value: UInt64) throws {
        let header = try header([274: (3, [value])])
        #expect(header.metadata.orientation == Orientation(rawValue: UInt8(value)))
        #expect(header.storedSize == PixelSize(width: 2, height: 1))
        let file = TIFFFixture().file(
            Page(2, 1, photometric: 1, more: [274: (3, [value])], chunks: [[1, 2]]))
        let upright = try ImageSource.decode(
            file, options: DecodingOptions(color: .asStored), registry: Fixture.registry)
        // Row 0 is the top for 1 and 2, the bottom for 3 and 4, a side from 5 on (TIFF 6.0, section 8).
        let expected: [[UInt8]] = [[1, 2], [2, 1], [2, 1], [1, 2], [1, 2], [1, 2], [2, 1], [2, 1]]
        #expect(upright.bitmap.tightBytes() == expected[Int(value) - 1])
        #expect(upright.bitmap.size == PixelSize(width: value < 5 ? 2 : 1, height: value < 5 ? 1 : 2))
    }

    @Test("An invalid orientation is ignored", arguments: [0, 9, 65535])
    func noOrientation(value: UInt64) throws {
        #expect(try header([274: (3, [value])]).metadata.orientation == .up)
    }

    static let resolutions: [([Int: TIFFFixture.Field], Double?)] = [
        ([282: (5, [300, 1]), 283: (5, [300, 1]), 296: (3, [2])], 300),
        ([282: (5, [300, 1]), 283: (5, [300, 1])], 300),
        ([282: (5, [100, 1]), 283: (5, [100, 1]), 296: (3, [3])], 254),
        ([282: (11, [0x4291_999A]), 283: (11, [0x4291_999A]), 296: (3, [2])], 72.8),
        ([282: (5, [1, 1]), 283: (5, [1, 1]), 296: (3, [1])], nil),
        ([282: (5, [0, 0]), 283: (5, [0, 0]), 296: (3, [2])], nil),
        ([282: (5, [300, 1]), 296: (3, [2])], nil),
    ]

    @Test("The resolution is in pixels per inch", arguments: resolutions)
    func resolution(fields: [Int: TIFFFixture.Field], expected: Double?) throws {
        for fixture in [TIFFFixture(), TIFFFixture(isLittleEndian: false), TIFFFixture(isBig: true)] {
            let resolution = try header(fields, fixture).metadata.resolution
            #expect((resolution == nil) == (expected == nil))
            if let resolution, let expected {
                #expect(abs(resolution.horizontal - expected) < 0.001 && abs(resolution.vertical - expected) < 0.001)
            }
        }
    }

    @Test("XMP and profiles are the bytes of their fields, within the limit")
    func blocks() throws {
        let xmp = Array("<x:xmpmeta/>".utf8)
        let profile = TestProfiles.linearGray
        let fields: [Int: TIFFFixture.Field] = [700: (1, xmp.map(UInt64.init)), 34675: (7, profile.map(UInt64.init))]
        let whole = try header(fields)
        #expect(whole.metadata.xmp == xmp && whole.profile == .icc(profile))
        let file = TIFFFixture().file(Page(2, 1, photometric: 1, more: fields, chunks: [[1, 2]]))
        var limits = DecodingLimits.standard
        limits.maximumMetadataByteCount = 10
        let limited = try Fixture.decode(file, limits: limits).header
        #expect(limited.metadata.xmp == nil && limited.profile == .sRGB)
        // A profile for colours says nothing of grey.
        #expect(try header([34675: (7, TestProfiles.wideRGB.map(UInt64.init))]).profile == .sRGB)
    }

    @Test("EXIF and GPS directories become an EXIF block", arguments: [true, false])
    func exif(isLittleEndian: Bool) throws {
        for isBig in [false, true] {
            var page = Page(
                2, 1, photometric: 1, more: [271: (2, Array("Maker\0".utf8).map(UInt64.init))], chunks: [[1, 2]])
            page.fields[274] = (3, [6])
            var exif = Page([0x829A: (5, [1, 250]), 0x8827: (3, [400]), 0x9000: (7, [0x30, 0x32, 0x33, 0x32])])
            exif.children = [40965: [Page([1: (2, [0x52, 0x39, 0x38, 0])])]]
            page.children = [34665: [exif], 34853: [Page([0: (1, [2, 3, 0, 0])])]]
            let fixture = TIFFFixture(isLittleEndian: isLittleEndian, isBig: isBig)
            let decoded = try Fixture.decode(fixture.file(page))
            let block = try #require(decoded.header.metadata.exif)
            let read = EXIFDump(block)
            #expect(read.values[271] == Array("Maker\0".utf8))
            #expect(read.values[274] == fixture.number(6, 2))
            #expect(read.values[0x829A] == fixture.number(1, 4) + fixture.number(250, 4))
            #expect(read.values[0x8827] == fixture.number(400, 2))
            #expect(read.values[0x9000] == [0x30, 0x32, 0x33, 0x32])
            #expect(read.values[1] == [0x52, 0x39, 0x38, 0])
            #expect(read.values[0] == [2, 3, 0, 0])
            #expect(read.values[256] == nil)
        }
        #expect(try header([274: (3, [6]), 282: (5, [300, 1])]).metadata.exif == nil)
    }
}

/// The values of a classic TIFF structure's directories, those it refers to included, as bytes by tag.
struct EXIFDump {
    private(set) var values: [Int: [UInt8]] = [:]

    init(_ block: [UInt8]) {
        let isLittleEndian = block[0] == 0x49
        func number(_ offset: Int, _ count: Int) -> Int {
            let bytes = block[offset..<(offset + count)]
            return (isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        func read(_ directory: Int, into values: inout [Int: [UInt8]]) {
            for index in 0..<number(directory, 2) {
                let entry = directory + 2 + 12 * index
                let (tag, type, count) = (number(entry, 2), number(entry + 2, 2), number(entry + 4, 4))
                let size = count * [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1][type]!
                let place = size <= 4 ? entry + 8 : number(entry + 8, 4)
                values[tag] = Array(block[place..<(place + size)])
                if [34665, 34853, 40965].contains(tag) { read(number(place, 4), into: &values) }
            }
        }
        read(number(4, 4), into: &values)
    }
}
#endif
