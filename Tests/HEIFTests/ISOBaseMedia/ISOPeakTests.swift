#if HEIF && AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// The peak for tone mapping: of the content, or else of the display on which it was made.
@Suite("The peak of HEIC and AVIF", .enabled(if: HEIFCodec().canEncode && AVIFCodec().canEncode, "no encoders"))
struct ISOPeakTests {
    /// PQ in BT.2020's primaries with its matrix.
    static let colors = HEIFFixture.box("colr", Array("nclx".utf8) + [0, 9, 0, 16, 0, 9, 0x80])

    static func contentLight(_ peak: Int) -> [UInt8] { HEIFFixture.box("clli", HEIFFixture.number(peak, 2) + [0, 0]) }

    /// Primaries and white, then the largest and the smallest luminance in units of 0.0001.
    static func masteringDisplay(_ peak: Int) -> [UInt8] {
        HEIFFixture.box("mdcv", [UInt8](repeating: 1, count: 16) + HEIFFixture.number(peak, 4) + [0, 0, 0, 50])
    }

    /// The profile of PQ with a peak.
    static func profile(_ peak: Int?) throws -> ColorProfile {
        let row = try ToneMapping.row([[0, 0.5, 1]])
        return try ImageSource.header(of: ToneMapping.png(row, primaries: 9, transfer: 16, peak: peak)).profile
    }

    static let bitmap = Result { try GainMapFixture.bitmap(PixelSize(width: 64, height: 64)) }
    static let coded = Result {
        [ImageFormat.heic: try HEIFFixture.Coded(bitmap.get()), .avif: try HEIFFixture.Coded(av1: bitmap.get())]
    }

    /// MaxCLL, the display's peak in units of 0.0001, and the one that counts.
    private static let cases: [(content: Int?, display: Int?, peak: Int?)] = [
        (nil, nil, nil), (800, nil, 800), (nil, 10_000_000, 1000), (800, 40_000_000, 800), (4000, 10_000_000, 4000),
        // 0 is unknown, and PQ has no more than 10,000.
        (0, 10_000_000, 1000), (0, 0, nil), (nil, 0, nil), (65_535, 10_000_000, 1000), (nil, 100_000_000, 10_000),
        (nil, 100_010_000, nil), (nil, Int(UInt32.max), nil), (nil, 9999, nil), (0, Int(UInt32.max), nil),
    ]

    private static func profile(_ format: ImageFormat, _ boxes: [[UInt8]]) throws -> ColorProfile {
        var fixture = HEIFFixture(try #require(try coded.get()[format]))
        fixture.addProperties([colors] + boxes)
        return try ImageSource.header(of: fixture.bytes).profile
    }

    @Test("MaxCLL counts, or else the mastering display's peak", arguments: ISOGainMapFileTests.formats)
    func precedence(format: ImageFormat) throws {
        for (content, display, peak) in Self.cases {
            let boxes = [content.map(Self.contentLight), display.map(Self.masteringDisplay)].compactMap { $0 }
            #expect(try Self.profile(format, boxes) == Self.profile(peak), "\(content as Any), \(display as Any)")
            #expect(try Self.profile(format, boxes.reversed()) == Self.profile(peak))
        }
    }

    @Test("A box that is too short counts for nothing", arguments: ISOGainMapFileTests.formats)
    func short(format: ImageFormat) throws {
        let display = Self.masteringDisplay(10_000_000)
        for count in [0, 15, 16, 19] {
            let box = HEIFFixture.box("mdcv", Array(display[8..<(8 + count)]))
            // libheif 1.15 refuses the file.
            guard let profile = try? Self.profile(format, [box]) else { continue }
            #expect(try profile == Self.profile(nil), "\(count)")
        }
        guard let profile = try? Self.profile(format, [HEIFFixture.box("clli", [3]), display]) else { return }
        #expect(try profile == Self.profile(1000))
    }
}
#endif
