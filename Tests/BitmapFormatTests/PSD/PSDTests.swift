import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("PSD")
struct PSDTests {
    private static let registry = CodecRegistry([PSDCodec()])

    private static func decode(
        _ fixture: PSDFixture, _ options: DecodingOptions = HDRTests.stored
    ) throws -> DecodedImage {
        let decoded = try ImageSource.decode(fixture.file, options: options, registry: registry)
        #expect(decoded.error == nil && decoded.header.format == .psd)
        return decoded
    }

    /// Three by two pixels in channels of eight bits.
    private static func colors(_ count: Int) -> [[[UInt8]]] {
        (0..<count).map { channel in (0..<2).map { y in (0..<3).map { x in value(channel, x, y) } } }
    }

    private static func value(_ channel: Int, _ x: Int, _ y: Int) -> UInt8 {
        let more = x == 2 ? 100 : 0
        return UInt8(40 * channel + 20 * y + 7 * x + more)
    }

    private static func wide(_ values: [[[UInt8]]]) -> [[[UInt8]]] {
        values.map { rows in rows.map { row in row.flatMap { [$0, 255 &- $0] } } }
    }

    private static func pixels8(_ bitmap: Bitmap) -> [RGBA8] {
        (0..<bitmap.size.height).flatMap { y in
            let row = bitmap.rows.row(y, as: RGBA8.self)
            return row.indices.map { row[$0] }
        }
    }

    @Test("RGB of 8 bits, plain and with runs, small and large", arguments: [false, true], [false, true])
    func rgb(isPacked: Bool, isLarge: Bool) throws {
        let channels = Self.colors(3)
        let fixture = PSDFixture(isLarge: isLarge, channels: channels, isPacked: isPacked)
        let bitmap = try Self.decode(fixture).bitmap
        let expected = (0..<6).map { index in
            let (x, y) = (index % 3, index / 3)
            return RGBA8(channels[0][y][x], channels[1][y][x], channels[2][y][x])
        }
        #expect(Self.pixels8(bitmap) == expected && bitmap.info.alpha == .none)
        let part = PixelRect(x: 1, y: 1, width: 2, height: 1)
        let region = try ImageSource.decode(
            fixture.file, plan: DecodingPlan(region: part), options: HDRTests.stored, registry: Self.registry)
        #expect(Self.pixels8(region.bitmap) == Array(expected[4...]))
    }

    @Test("16 bits are kept, or rounded to 8", arguments: [false, true])
    func deep(isPacked: Bool) throws {
        let fixture = PSDFixture(bits: 16, channels: Self.wide(Self.colors(3)), isPacked: isPacked)
        let bitmap = try Self.decode(fixture).bitmap
        #expect(bitmap.format == .rgba16)
        let pixel = bitmap.rows.row(1, as: RGBA16.self)[2]
        #expect(pixel == RGBA16(134 << 8 | 121, 174 << 8 | 81, 214 << 8 | 41))
        let narrow = try Self.decode(fixture, DecodingOptions(color: .asStored)).bitmap
        #expect(Self.pixels8(narrow)[5] == RGBA8(134, 174, 213))
    }

    @Test("Grey, duotones and bits")
    func gray() throws {
        let rows: [[UInt8]] = [[0, 100, 255], [1, 2, 3]]
        for mode in [1, 8] {
            let bitmap = try Self.decode(PSDFixture(mode: mode, channels: [rows])).bitmap
            #expect(bitmap.format == .gray8 && bitmap.tightBytes() == [0, 100, 255, 1, 2, 3])
        }
        let deep = try Self.decode(PSDFixture(bits: 16, mode: 1, channels: Self.wide([rows]))).bitmap
        #expect(deep.format == .gray16 && deep.rows.row(0, as: Gray16.self)[1].value == 100 << 8 | 155)
        // Ones are black.
        let bits = PSDFixture(width: 10, bits: 1, mode: 0, channels: [[[0b1010_0000, 0b0100_0000], [0, 0]]])
        let bitmap = try Self.decode(bits).bitmap
        #expect(
            bitmap.tightBytes() == [0, 255, 0, 255, 255, 255, 255, 255, 255, 0] + [UInt8](repeating: 255, count: 10))
    }

    @Test("Palettes, with a transparent colour")
    func indexed() throws {
        let palette =
            (0..<256).map { UInt8($0) } + (0..<256).map { UInt8(255 - $0) } + [UInt8](repeating: 9, count: 256)
        var fixture = PSDFixture(mode: 2, channels: [[[0, 1, 255], [7, 7, 8]]], palette: palette)
        #expect(try Self.pixels8(Self.decode(fixture).bitmap)[2] == RGBA8(255, 0, 9))
        fixture.resources = [(0x0417, [0, 7])]
        let decoded = try Self.decode(fixture)
        #expect(decoded.header.hasAlpha && decoded.header.colorModel == .indexed)
        #expect(Self.pixels8(decoded.bitmap).map(\.alpha) == [255, 255, 255, 0, 0, 255])
    }

    @Test("CMYK is stored inverted")
    func cmyk() throws {
        let plain = PSDFixture(mode: 4, channels: [255, 255, 0, 255].map { [[255, 0, $0], [255, 255, 255]] })
        let pixels = try Self.pixels8(Self.decode(plain).bitmap)
        #expect(pixels[0] == RGBA8(255, 255, 255) && pixels[1] == RGBA8(0, 0, 0))
        #expect(pixels[2] == RGBA8(255, 255, 0))
    }

    @Test("L*a*b* becomes sRGB")
    func lab() throws {
        let white = PSDFixture(
            mode: 9,
            channels: [[[255, 0, 128], [255, 0, 128]]]
                + Array(repeating: [[128, 128, 128], [128, 128, 128]], count: 2))
        let pixels = try Self.pixels8(Self.decode(white).bitmap)
        #expect(pixels[0] == RGBA8(255, 255, 255) && pixels[1] == RGBA8(0, 0, 0))
        // L* of 50.2 is 119.5 of sRGB's.
        #expect((118...121).contains(pixels[2].red) && pixels[2].red == pixels[2].blue)
        let neutral: [[UInt8]] = [[128, 0, 128, 0, 128, 0], [128, 0, 128, 0, 128, 0]]
        let deep = PSDFixture(
            bits: 16, mode: 9, channels: [[[255, 255, 0, 0, 128, 0], [255, 255, 0, 0, 128, 0]], neutral, neutral])
        let bitmap = try Self.decode(deep).bitmap
        let row = bitmap.rows.row(0, as: RGBA16.self)
        #expect(row[0].red > 65500 && row[0].green > 65500 && row[1] == RGBA16(0, 0, 0, 65535))
    }

    @Test("A negative number of layers means alpha, and white is removed from its colours", arguments: [8, 16])
    func alpha(bits: Int) throws {
        // Half transparent black over white is grey.
        let channels: [[[UInt8]]] = [[[127, 255, 9], [0, 0, 0]]]
        let alpha: [[UInt8]] = [[128, 0, 255], [255, 255, 255]]
        let rows = Array(repeating: channels[0], count: 3) + [alpha]
        func doubled(_ values: [[[UInt8]]]) -> [[[UInt8]]] { values.map { $0.map { $0.flatMap { [$0, $0] } } } }
        var fixture = PSDFixture(bits: bits, channels: bits == 16 ? doubled(rows) : rows, layerCount: -1)
        for isLarge in [false, true] {
            fixture.isLarge = isLarge
            let decoded = try Self.decode(fixture, DecodingOptions(color: .asStored))
            #expect(decoded.header.hasAlpha && decoded.bitmap.info.alpha == .straight)
            let pixels = Self.pixels8(decoded.bitmap)
            #expect(pixels[0] == RGBA8(0, 0, 0, 128) && pixels[1].alpha == 0 && pixels[2] == RGBA8(9, 9, 9, 255))
        }
        fixture.layerCount = 1
        #expect(try !Self.decode(fixture).header.hasAlpha)
        fixture.layerCount = nil
        #expect(try !Self.decode(fixture).header.hasAlpha)
    }

    @Test("32 bits are linear light")
    func light() throws {
        let values: [[Float]] = [[1, 0.5, 0.25], [0, 2, 0.125]]
        let rows = values.map { $0.flatMap { PSDFixture.big(Int($0.bitPattern), 4) } }
        for mode in [1, 3] {
            let fixture = PSDFixture(bits: 32, mode: mode, channels: Array(repeating: rows, count: mode == 1 ? 1 : 3))
            let decoded = try Self.decode(fixture)
            HDRTests.expect(decoded.bitmap, values.flatMap(\.self).map { SIMD3(repeating: Double($0)) })
        }
    }

    @Test("Resources give the profile, EXIF, XMP and the resolution")
    func resources() throws {
        var fixture = PSDFixture(channels: Self.colors(3))
        let profile = TestProfiles.wideRGB
        fixture.resources = [
            (0x040F, profile), (0x0424, Array("<x:xmpmeta/>".utf8)),
            (0x03ED, PSDFixture.big(300 << 16, 4) + [0, 1, 0, 1] + PSDFixture.big(150 << 16, 4) + [0, 1, 0, 1]),
        ]
        let header = try Self.decode(fixture).header
        #expect(header.profile == .icc(profile) && header.metadata.xmp == Array("<x:xmpmeta/>".utf8))
        #expect(header.metadata.resolution == ImageMetadata.Resolution(horizontal: 300, vertical: 150))
        // One for other colours isn't used.
        fixture.mode = 1
        fixture.channels = Self.colors(1)
        #expect(try Self.decode(fixture).header.profile == .sRGB)
    }

    // MARK: Damage

    struct Damage: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        var rows = 0
    }

    private static func patched(_ fixture: PSDFixture, _ offset: Int, _ values: [UInt8]) -> [UInt8] {
        var file = fixture.file
        file.replaceSubrange(offset..<(offset + values.count), with: values)
        return file
    }

    static let damaged: [Damage] = {
        let plain = PSDFixture(channels: colors(3))
        var runs = plain
        runs.isPacked = true
        // Header, three empty sections and the compression take 40 bytes; six lengths of two bytes follow.
        return [
            Damage(testDescription: "nothing", file: [], code: .truncated),
            Damage(testDescription: "cut in the header", file: Array(plain.file.prefix(20)), code: .truncated),
            Damage(testDescription: "version 3", file: patched(plain, 5, [3]), code: .corrupt),
            Damage(testDescription: "no channels", file: patched(plain, 13, [0]), code: .corrupt),
            Damage(testDescription: "57 channels", file: patched(plain, 13, [57]), code: .corrupt),
            Damage(testDescription: "two channels of three colours", file: patched(plain, 13, [2]), code: .corrupt),
            Damage(testDescription: "no height", file: patched(plain, 17, [0]), code: .corrupt),
            Damage(testDescription: "too wide", file: patched(plain, 18, [0, 15, 255, 255]), code: .corrupt),
            Damage(
                testDescription: "too many pixels", file: patched(plain, 14, [0, 4, 0, 0, 0, 4, 0, 0]),
                code: .limitExceeded),
            Damage(testDescription: "12 bits", file: patched(plain, 23, [12]), code: .corrupt),
            Damage(testDescription: "a multichannel document", file: patched(plain, 25, [7]), code: .unsupported),
            Damage(testDescription: "an unknown mode", file: patched(plain, 25, [99]), code: .unsupported),
            Damage(testDescription: "a palette of no colours", file: patched(plain, 25, [2]), code: .corrupt),
            Damage(testDescription: "colours beyond the end", file: patched(plain, 26, [255]), code: .truncated),
            Damage(testDescription: "resources beyond the end", file: patched(plain, 30, [255]), code: .truncated),
            Damage(testDescription: "layers beyond the end", file: patched(plain, 34, [255]), code: .truncated),
            Damage(testDescription: "zip", file: patched(plain, 39, [2]), code: .unsupported),
            Damage(testDescription: "compression 9", file: patched(plain, 39, [9]), code: .corrupt),
            Damage(testDescription: "cut in the last row", file: plain.file.dropLast(), code: .truncated, rows: 1),
            Damage(testDescription: "cut in a channel", file: plain.file.dropLast(4), code: .truncated),
            Damage(testDescription: "cut in the lengths", file: Array(runs.file.prefix(45)), code: .truncated),
            Damage(testDescription: "a row of 65535 bytes", file: patched(runs, 40, [255, 255]), code: .corrupt),
            Damage(testDescription: "a row without bytes", file: patched(runs, 42, [0, 0]), code: .corrupt, rows: 1),
            Damage(testDescription: "a run beyond its row", file: patched(runs, 52, [129]), code: .corrupt),
        ]
    }()

    @Test("Damaged files give their rows, then an error", arguments: damaged)
    func damage(_ damage: Damage) {
        let session = DecoderSession(PSDCodec(), damage.file, options: HDRTests.stored, rowCount: 1)
        #expect(session.error?.code == damage.code, "\(session.error as Any)")
        #expect(session.rows == damage.rows)
    }

    @Test("Every cut gives an error, and no change of a byte a trap")
    func cuts() {
        var fixture = PSDFixture(channels: Self.colors(4), isPacked: true, layerCount: -1)
        fixture.resources = [(0x0424, [1, 2, 3]), (0x03ED, [UInt8](repeating: 1, count: 16))]
        let file = fixture.file
        for count in 0..<file.count { #expect(DecoderSession(PSDCodec(), Array(file.prefix(count))).error != nil) }
        for offset in file.indices {
            for value in [0, 1, 127, 128, 255] as [UInt8] {
                var damaged = file
                damaged[offset] = value
                let session = DecoderSession(PSDCodec(), damaged)
                #expect(session.error != nil || session.bitmap != nil)
            }
        }
    }
}
