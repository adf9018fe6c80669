import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Radiance HDR")
struct HDRTests {
    private static let registry = CodecRegistry([HDRCodec()])
    static let stored = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)

    private static func file(_ resolution: String, _ pixels: [UInt8], lines: String = "") -> [UInt8] {
        Array("#?RADIANCE\n# a comment\nFORMAT=32-bit_rle_rgbe\n\(lines)\n\(resolution)\n".utf8) + pixels
    }

    private static func decode(_ file: [UInt8], _ options: DecodingOptions = stored) throws -> DecodedImage {
        try ImageSource.decode(file, options: options, registry: registry)
    }

    /// BT.2020's values in PQ for sRGB's linear light that is too dark or bright by `error`, by the standards' formulas in
    /// double precision.
    private static func expected(_ color: SIMD3<Double>, _ error: Double) -> SIMD3<Double> {
        let rows = [
            SIMD3(0.6274039, 0.3292830, 0.0433131), SIMD3(0.0690973, 0.9195404, 0.0113623),
            SIMD3(0.0163914, 0.0880133, 0.8955953),
        ]
        return SIMD3(
            value((rows[0] * color).sum() + error), value((rows[1] * color).sum() + error),
            value((rows[2] * color).sum() + error))
    }

    private static func value(_ light: Double) -> Double {
        let power = pow(min(1, max(0, light * 203 / 10000)), 2610.0 / 16384)
        return pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32) * 65535
    }

    /// Expects pixels computed from linear light: within 2 of 65535 for light within 1/10000 of the brightest channel, which
    /// is the precision of profiles' primaries.
    static func expect(_ bitmap: Bitmap, _ light: [SIMD3<Double>], alpha: [UInt16]? = nil) {
        #expect(bitmap.format == .rgba16 && bitmap.size.pixelCount == light.count)
        for (index, color) in light.enumerated() {
            let row = bitmap.rows.row(index / bitmap.size.width, as: RGBA16.self)
            let pixel = row[index % bitmap.size.width]
            let error = color.max() / 10000
            let (least, most) = (expected(color, -error), expected(color, error))
            let found = SIMD3(Double(pixel.red), Double(pixel.green), Double(pixel.blue))
            for channel in 0..<3 {
                let range = (least[channel] - 2)...(most[channel] + 2)
                #expect(range.contains(found[channel]), "pixel \(index), channel \(channel): \(found), not \(range)")
            }
            #expect(pixel.alpha == alpha?[index] ?? 65535)
        }
    }

    private static let plain: [UInt8] = [128, 64, 32, 129, 255, 0, 1, 120, 7, 8, 9, 0, 100, 100, 100, 136]
    private static let plainLight: [SIMD3<Double>] = [
        SIMD3(1, 0.5, 0.25), SIMD3(255, 0, 1) / 65536, .zero, SIMD3(repeating: 100),
    ]

    @Test("Mantissas and exponents are light, in PQ with white at 203 candela per square metre")
    func values() throws {
        let decoded = try Self.decode(Self.file("-Y 2 +X 2", Self.plain))
        #expect(decoded.error == nil && decoded.header.format == .hdr && decoded.header.bitsPerChannel == 16)
        // 100 times white is beyond PQ.
        var light = Self.plainLight
        light[3] = SIMD3(repeating: 10000 / 203)
        Self.expect(decoded.bitmap, light)
    }

    @Test("White becomes white in eight bits, and nothing brighter is clipped to it")
    func standardRange() throws {
        let pixels: [UInt8] = [128, 128, 128, 129, 128, 128, 128, 131, 64, 64, 64, 128, 0, 0, 0, 0]
        let bitmap = try Self.decode(Self.file("-Y 1 +X 4", pixels), DecodingOptions()).bitmap
        #expect(bitmap.info.profile == .sRGB && bitmap.format == .rgba8)
        let row = bitmap.rows.row(0, as: RGBA8.self)
        #expect(row[1].red >= 254 && row[3] == RGBA8(0, 0, 0))
        #expect(row[0].red < 255 && row[0].red > row[2].red && row[2].red > 60)
        // Without anything brighter, white is at the top.
        let alone = try Self.decode(Self.file("-Y 1 +X 1", [128, 128, 128, 129]), DecodingOptions()).bitmap
        #expect(alone.rows.row(0, as: RGBA8.self)[0].red >= 254)
    }

    @Test("Runs of channels and of pixels are unpacked")
    func runs() throws {
        // Eight pixels: a run of three, five literals; and for the others a run of eight.
        let row: [UInt8] = [2, 2, 0, 8, 131, 10, 5, 20, 30, 40, 50, 60, 136, 7, 136, 9, 136, 136]
        let decoded = try Self.decode(Self.file("-Y 1 +X 8", row))
        Self.expect(decoded.bitmap, [10, 10, 10, 20, 30, 40, 50, 60].map { SIMD3($0, 7, 9) })
        // One pixel, repeated 3 times and then 256 times.
        let old: [UInt8] = [5, 6, 7, 136, 1, 1, 1, 3, 1, 1, 1, 1]
        let repeated = try Self.decode(Self.file("-Y 1 +X 260", old))
        Self.expect(repeated.bitmap, Array(repeating: SIMD3(5, 6, 7), count: 260))
    }

    @Test(
        "Axes in any order and direction",
        arguments: [
            ("-Y 2 +X 3", [0, 1, 2, 3, 4, 5]), ("-Y 2 -X 3", [2, 1, 0, 5, 4, 3]), ("+Y 2 +X 3", [3, 4, 5, 0, 1, 2]),
            ("+Y 2 -X 3", [5, 4, 3, 2, 1, 0]), ("+X 3 -Y 2", [0, 2, 4, 1, 3, 5]), ("-X 3 -Y 2", [4, 2, 0, 5, 3, 1]),
            ("+X 3 +Y 2", [1, 3, 5, 0, 2, 4]), ("-X 3 +Y 2", [5, 3, 1, 4, 2, 0]),
        ] as [(String, [Double])])
    func axes(resolution: String, upright: [Double]) throws {
        let pixels: [UInt8] = (0..<6).flatMap { [UInt8($0), 0, 0, 136] as [UInt8] }
        let decoded = try Self.decode(Self.file(resolution, pixels))
        #expect(decoded.header.size == PixelSize(width: 3, height: 2))
        Self.expect(decoded.bitmap, upright.map { SIMD3($0, 0, 0) })
    }

    @Test("Primaries in the header are used")
    func primaries() throws {
        let wide = "PRIMARIES=0.708 0.292 0.17 0.797 0.131 0.046 0.3127 0.329\n"
        let bitmap = try Self.decode(Self.file("-Y 1 +X 1", [255, 0, 0, 128], lines: wide)).bitmap
        let pixel = bitmap.rows.row(0, as: RGBA16.self)[0]
        // BT.2020's red stays alone; of sRGB's red, green is above 19,000.
        #expect(pixel.red > 37000 && pixel.green < 6000 && pixel.blue < 6000)
    }

    @Test("A region is the same part of the whole")
    func region() throws {
        let pixels: [UInt8] = (0..<60).flatMap { [UInt8($0), UInt8(60 - $0), 3, 134] as [UInt8] }
        let file = Self.file("-Y 6 +X 10", pixels)
        let whole = try Self.decode(file).bitmap
        let part = PixelRect(x: 2, y: 1, width: 5, height: 4)
        let decoded = try ImageSource.decode(
            file, plan: DecodingPlan(region: part), options: Self.stored, registry: Self.registry)
        #expect(decoded.bitmap.tightBytes() == (try whole.cropped(to: part)).tightBytes())
    }

    // MARK: Damage

    struct Damage: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        var rows = 0
    }

    static let damaged: [Damage] = [
        Damage(testDescription: "cut in the header", file: Array(file("", []).prefix(30)), code: .truncated),
        Damage(testDescription: "no pixels", file: file("-Y 2 +X 2", []), code: .truncated),
        Damage(
            testDescription: "cut in a row", file: file("-Y 2 +X 2", Array(plain.dropLast(3))), code: .truncated,
            rows: 1),
        Damage(testDescription: "no resolution", file: file("-Y 2", plain), code: .corrupt),
        Damage(testDescription: "two axes alike", file: file("-Y 2 +Y 2", plain), code: .corrupt),
        Damage(testDescription: "a negative width", file: file("-Y 2 +X -2", plain), code: .corrupt),
        Damage(testDescription: "no width", file: file("-Y 2 +X 0", plain), code: .corrupt),
        Damage(testDescription: "too many pixels", file: file("-Y 999999 +X 999999", plain), code: .limitExceeded),
        Damage(testDescription: "a side that is too long", file: file("-Y 1 +X 2000000", plain), code: .limitExceeded),
        Damage(
            testDescription: "XYZ", file: Array("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\nabcd".utf8),
            code: .unsupported),
        Damage(
            testDescription: "an unknown format", file: Array("#?RADIANCE\nFORMAT=mp3\n\n-Y 1 +X 1\nabcd".utf8),
            code: .corrupt),
        Damage(
            testDescription: "a header without end",
            file: Array("#?RADIANCE\n".utf8) + [UInt8](repeating: 65, count: 70_000),
            code: .corrupt),
        Damage(testDescription: "a run at the start", file: file("-Y 1 +X 2", [1, 1, 1, 2]), code: .corrupt),
        Damage(
            testDescription: "a run beyond the row", file: file("-Y 1 +X 2", [5, 5, 5, 5, 1, 1, 1, 2]), code: .corrupt),
        Damage(
            testDescription: "runs that grow beyond everything",
            file: file("-Y 1 +X 2", [5, 5, 5, 5] + (0..<9).flatMap { _ in [1, 1, 1, 0] as [UInt8] } + [1, 1, 1, 9]),
            code: .corrupt),
        Damage(testDescription: "a run of 0", file: file("-Y 1 +X 8", [2, 2, 0, 8, 0, 0]), code: .corrupt),
        Damage(testDescription: "a run of 9 in 8", file: file("-Y 1 +X 8", [2, 2, 0, 8, 137, 0]), code: .corrupt),
        Damage(testDescription: "cut in a run", file: file("-Y 1 +X 8", [2, 2, 0, 8, 136]), code: .truncated),
        Damage(testDescription: "cut in literals", file: file("-Y 1 +X 8", [2, 2, 0, 8, 8, 1, 2]), code: .truncated),
    ]

    @Test("Damaged files give their rows, then an error", arguments: damaged)
    func damage(_ damage: Damage) {
        let session = DecoderSession(HDRCodec(), damage.file, options: Self.stored)
        #expect(session.error?.code == damage.code, "\(session.error as Any)")
        #expect(session.rows == damage.rows)
    }

    @Test("Every cut gives an error")
    func cuts() {
        let file = Self.file("-Y 1 +X 8", [2, 2, 0, 8, 131, 10, 5, 20, 30, 40, 50, 60, 136, 7, 136, 9, 136, 136])
        for count in 0..<file.count {
            #expect(DecoderSession(HDRCodec(), Array(file.prefix(count))).error != nil)
        }
    }
}
