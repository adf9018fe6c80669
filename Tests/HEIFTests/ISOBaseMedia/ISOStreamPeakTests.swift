#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Light levels that only the coded stream has: messages of HEVC (ITU-T H.265, annex D), and metadata of AV1 (5.8).
@Suite(
    "The peak in streams of HEIC and AVIF", .enabled(if: HEIFCodec().canEncode && AVIFCodec().canEncode, "no encoders"))
struct ISOStreamPeakTests {
    /// Where the stream has them.
    enum Place: CaseIterable { case configuration, data }

    // MARK: Streams

    /// A mastering display's primaries and white, all 0, then its light.
    private static func display(_ level: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: 16) + HEIFFixture.number(level, 4) + [0, 0, 0, 1]
    }

    /// A message of HEVC.
    private static func message(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [type, UInt8(payload.count)] + payload
    }

    /// A unit of HEVC with messages, in which 3 follows two zeros before a byte up to 3.
    private static func unit(_ messages: [[UInt8]]) -> [UInt8] {
        var (escaped, zeros) = ([UInt8](), 0)
        for byte in Array(messages.joined()) + [0x80] as [UInt8] {
            if zeros == 2, byte <= 3 {
                escaped.append(3)
                zeros = 0
            }
            escaped.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return [39 << 1, 1] + escaped
    }

    /// A unit of AV1 with metadata.
    private static func unit(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [5 << 3 | 2, UInt8(payload.count + 2), type] + payload + [0x80]
    }

    /// Units with levels of the content and of the display, in candela per square metre.
    private static func units(_ format: ImageFormat, content: Int?, display: Int?) -> [[UInt8]] {
        let contentBytes = content.map { HEIFFixture.number($0, 2) + [0, 100] }
        if format == .avif {
            return [contentBytes.map { unit(1, $0) }, display.map { unit(2, Self.display($0 * 256)) }].compactMap { $0 }
        }
        let messages = [
            // A message of another kind, whose length takes two bytes.
            [5, 255, 3] + [UInt8](repeating: 7, count: 258), contentBytes.map { message(144, $0) },
            display.map { message(137, Self.display($0 * 10_000)) },
        ].compactMap { $0 }
        return [unit(messages)]
    }

    private static func add(_ units: [[UInt8]], at place: Place, of coded: inout HEIFFixture.Coded) {
        switch (place, coded.type) {
        case (.configuration, "hvc1"):
            coded.configuration += [39] + HEIFFixture.number(units.count, 2)
            coded.configuration += units.flatMap { HEIFFixture.number($0.count, 2) + $0 }
            // The number of arrays.
            coded.configuration[30] += 1
        case (.configuration, _): coded.configuration += units.flatMap { $0 }
        case (.data, "hvc1"): coded.data = units.flatMap { HEIFFixture.number($0.count, 4) + $0 } + coded.data
        case (.data, _): coded.data = units.flatMap { $0 } + coded.data
        }
        coded.configuration.replaceSubrange(0..<4, with: HEIFFixture.number(coded.configuration.count, 4))
    }

    private static func fixture(
        _ format: ImageFormat, _ place: Place, _ units: [[UInt8]], boxes: [[UInt8]] = []
    ) throws -> HEIFFixture {
        var coded = try #require(try ISOPeakTests.coded.get()[format])
        add(units, at: place, of: &coded)
        var fixture = HEIFFixture(coded)
        fixture.addProperties([ISOPeakTests.colors] + boxes)
        return fixture
    }

    private static func profile(
        _ format: ImageFormat, _ place: Place, _ units: [[UInt8]], boxes: [[UInt8]] = []
    ) throws -> ColorProfile {
        try ImageSource.header(of: fixture(format, place, units, boxes: boxes).bytes).profile
    }

    // MARK: Tests

    @Test("The stream's levels count like those of boxes", arguments: ISOGainMapFileTests.formats, Place.allCases)
    func levels(format: ImageFormat, place: Place) throws {
        let cases: [(content: Int?, display: Int?, peak: Int?)] = [
            (nil, nil, nil), (800, nil, 800), (nil, 1000, 1000), (800, 4000, 800), (4000, 1000, 4000), (0, 1000, 1000),
            (65_535, 1000, 1000), (nil, 0, nil), (nil, 10_000, 10_000), (nil, 10_001, nil), (0, 0, nil),
        ]
        for (content, display, peak) in cases {
            let units = Self.units(format, content: content, display: display)
            #expect(
                try Self.profile(format, place, units) == ISOPeakTests.profile(peak),
                "\(content as Any), \(display as Any)")
        }
        let plain = try Self.fixture(format, place, []).bytes
        let file = try Self.fixture(format, place, Self.units(format, content: 800, display: 1000)).bytes
        // Pixels are the same.
        let options = DecodingOptions(color: .asStored)
        let (a, b) = (
            try ImageSource.decode(plain, options: options), try ImageSource.decode(file, options: options)
        )
        #expect(b.error == nil && a.bitmap.tightBytes() == b.bitmap.tightBytes())
    }

    @Test("Boxes come before the stream, each level for itself", arguments: ISOGainMapFileTests.formats, Place.allCases)
    func boxes(format: ImageFormat, place: Place) throws {
        let units = Self.units(format, content: 800, display: 1000)
        func expect(_ peak: Int, _ boxes: [[UInt8]], _ units: [[UInt8]]) throws {
            #expect(try Self.profile(format, place, units, boxes: boxes) == ISOPeakTests.profile(peak), "\(peak)")
        }
        try expect(600, [ISOPeakTests.contentLight(600)], units)
        // The content's level says more than the display's, wherever it is.
        try expect(800, [ISOPeakTests.masteringDisplay(20_000_000)], units)
        let display = Self.units(format, content: nil, display: 1000)
        try expect(2000, [ISOPeakTests.masteringDisplay(20_000_000)], display)
        try expect(1000, [ISOPeakTests.contentLight(0)], display)
    }

    @Test("The configuration comes before the image's units", arguments: ISOGainMapFileTests.formats)
    func precedence(format: ImageFormat) throws {
        var coded = try #require(try ISOPeakTests.coded.get()[format])
        Self.add(Self.units(format, content: 700, display: nil), at: .configuration, of: &coded)
        Self.add(Self.units(format, content: 900, display: nil), at: .data, of: &coded)
        var fixture = HEIFFixture(coded)
        fixture.addProperties([ISOPeakTests.colors])
        #expect(try ImageSource.header(of: fixture.bytes).profile == ISOPeakTests.profile(700))
    }

    @Test("A grid has the levels of its first tile")
    func grid() throws {
        var tile = try #require(try ISOPeakTests.coded.get()[.heic])
        tile.colors = nil
        let plain = tile
        Self.add(Self.units(.heic, content: 900, display: nil), at: .data, of: &tile)
        var fixture = HEIFFixture(grid: [tile, plain], columns: 2, size: PixelSize(width: 128, height: 64))
        fixture.addProperties([ISOPeakTests.colors])
        #expect(try ImageSource.header(of: fixture.bytes).profile == ISOPeakTests.profile(900))
    }

    @Test("Units that end early or lie about their lengths have no levels", arguments: ISOGainMapFileTests.formats)
    func damaged(format: ImageFormat) throws {
        let unit = Self.units(format, content: 800, display: 1000).flatMap { $0 }
        for place in Place.allCases {
            for count in stride(from: 0, to: unit.count, by: 5) {
                let file = try Self.fixture(format, place, [Array(unit.prefix(count))]).bytes
                _ = try? ImageSource.header(of: file)
            }
            // Every byte may be anything.
            for offset in unit.indices where offset < 8 || offset > unit.count - 40 {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = unit
                    changed[offset] = value
                    let file = try Self.fixture(format, place, [changed]).bytes
                    _ = try? ImageSource.header(of: file)
                }
            }
        }
    }
}
#endif
