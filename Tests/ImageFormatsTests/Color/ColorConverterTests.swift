import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("Conversion to sRGB")
struct ColorConverterTests {
    private typealias Point = ColorProfile.Chromaticities.Point

    private static let sRGBPoints = ColorProfile.Chromaticities(
        white: Point(x: 0.3127, y: 0.329), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.3, y: 0.6),
        blue: Point(x: 0.15, y: 0.06))
    private static let adobePoints = ColorProfile.Chromaticities(
        white: Point(x: 0.3127, y: 0.329), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.21, y: 0.71),
        blue: Point(x: 0.15, y: 0.06))

    private func converted(_ bitmap: Bitmap) throws -> Bitmap {
        var copy = try bitmap.mutableCopy()
        var rows = copy.mutableRows
        try ColorConverter(from: bitmap.info)?.convert(&rows)
        return copy.freeze()
    }

    /// The largest and the mean difference of channels, in parts of 255; traps where alpha differs.
    private func difference(_ bitmap: Bitmap, _ expected: ([Double]) -> [Double]) throws -> (
        largest: Double, mean: Double
    ) {
        let result = try converted(bitmap)
        let is16 = bitmap.format.bitsPerChannel == 16
        func channels(_ bitmap: Bitmap) -> [Double] {
            let bytes = bitmap.tightBytes()
            guard is16 else { return bytes.map { Double($0) / 255 } }
            return bitmap.storedSamples.map { Double($0) / 65535 }
        }
        let (before, after) = (channels(bitmap), channels(result))
        let count = bitmap.format.channelCount
        var (largest, total) = (0.0, 0.0)
        for start in stride(from: 0, to: before.count, by: count) {
            let wanted = expected(Array(before[start..<(start + min(3, count))]))
            for channel in wanted.indices {
                let error = abs(wanted[channel] - after[start + channel]) * 255
                largest = max(largest, error)
                total += error
            }
            if count == 4 { #expect(before[start + 3] == after[start + 3]) }
        }
        return (largest, total / Double(before.count / count * min(3, count)))
    }

    @Test("A matrix profile is converted by the formula of its tags", arguments: [PixelFormat.rgba8, .rgba16])
    func aMatrixProfileIsTheFormulaOfItsTags(_ format: PixelFormat) throws {
        let bitmap = try Bitmap.pattern(61, 43, format, profile: .icc(TestProfiles.wideRGB))
        let columns = [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]]
        let difference = try difference(bitmap) { ColorMath.sRGB(xyz: ColorMath.sum(columns, $0.map { $0 * $0 })) }
        // Half a step is rounding; the rest is lcms2's 14-bit arithmetic for bytes.
        #expect(difference.largest <= 1)
        #expect(difference.mean <= (format == .rgba8 ? 0.3 : 0.1))
    }

    @Test("A grey profile is converted by its curve", arguments: [PixelFormat.gray8, .gray16, .rgba8, .rgba16])
    func aGrayProfileIsItsCurve(_ format: PixelFormat) throws {
        let bitmap = try Bitmap.pattern(61, 43, format, profile: .icc(TestProfiles.linearGray))
        let difference = try difference(bitmap) { $0.map(ColorMath.encoded) }
        #expect(difference.largest <= (format.bitsPerChannel == 8 ? 0.51 : 0.1))
    }

    @Test(
        "A gamma value alone is a curve", arguments: [0.35, 0.5, 0.55, 1.0, 1.8],
        [PixelFormat.gray8, .gray16, .rgba8, .rgba16])
    func gammaAloneIsACurve(_ gamma: Double, _ format: PixelFormat) throws {
        for points in [nil, Self.sRGBPoints] {
            let bitmap = try Bitmap.pattern(31, 23, format, profile: .calibrated(gamma: gamma, points))
            let difference = try difference(bitmap) { $0.map { ColorMath.encoded(pow($0, 1 / gamma)) } }
            #expect(difference.largest <= (format.bitsPerChannel == 8 ? 0.501 : 0.002))
        }
    }

    @Test("Chromaticities are a matrix", arguments: [0.45455, 1.0], [PixelFormat.rgba8, .rgba16])
    func chromaticitiesAreAMatrix(_ gamma: Double, _ format: PixelFormat) throws {
        let bitmap = try Bitmap.pattern(61, 43, format, profile: .calibrated(gamma: gamma, Self.adobePoints))
        // The white is the same, so no adaptation comes between.
        let (source, target) = (ColorMath.primaries(Self.adobePoints), ColorMath.primaries(Self.sRGBPoints))
        let difference = try difference(bitmap) { values in
            let light = ColorMath.sum(source, values.map { pow($0, 1 / gamma) })
            return ColorMath.solve(target, light).map(ColorMath.encoded)
        }
        #expect(difference.largest <= 1.5)
        #expect(difference.mean <= 0.3)
    }

    @Test(
        "sRGB is left unchanged",
        arguments: [
            ColorProfile.sRGB, .icc(TestProfiles.sRGB), .calibrated(gamma: 0.45455, nil),
            .calibrated(gamma: 0.45455, sRGBPoints), .calibrated(gamma: 1 / 2.2, sRGBPoints),
        ])
    func whatIsSRGBIsLeftAsItIs(_ profile: ColorProfile) throws {
        for format in [PixelFormat.rgba8, .rgba16] {
            let size = PixelSize(width: 1, height: 1)
            #expect(try ColorConverter(from: BitmapInfo(size: size, format: format, profile: profile)) == nil)
        }
    }

    @Test(
        "An unusable profile is taken for sRGB",
        arguments: [
            .icc([]), .icc([1, 2, 3]), .icc(Array(TestProfiles.wideRGB.dropLast(40))), .icc(TestProfiles.cmyk),
            .icc(TestProfiles.profile(space: "RGB ", connection: "XYZ ", tags: [])),
            .icc(TestProfiles.profile(space: "GRAY", connection: "XYZ ", tags: [])),
            .icc(TestProfiles.profile(space: "Lab ", connection: "Lab ", tags: [])),
            .icc(TestProfiles.profile(space: "RGB ", connection: "Lab ", deviceClass: "link", tags: [])),
            .calibrated(gamma: 0, nil), .calibrated(gamma: -1, nil),
            .calibrated(gamma: .nan, nil), .calibrated(gamma: .infinity, nil), .calibrated(gamma: 1e-300, nil),
            .calibrated(
                gamma: 1,
                ColorProfile.Chromaticities(
                    white: .init(x: 0, y: 0), red: .init(x: 0, y: 0), green: .init(x: 0, y: 0), blue: .init(x: 0, y: 0))
            ),
            .calibrated(
                gamma: 1,
                ColorProfile.Chromaticities(
                    white: .init(x: .nan, y: 1), red: .init(x: 1, y: 1), green: .init(x: 1, y: 1),
                    blue: .init(x: 1, y: 1))),
        ] as [ColorProfile])
    func whatCantBeUsedIsTakenForSRGB(_ profile: ColorProfile) throws {
        for format in [PixelFormat.rgba8, .rgba16] {
            let bitmap = try Bitmap.pattern(5, 5, format, profile: profile)
            #expect(try ColorConverter(from: bitmap.info) == nil)
        }
    }

    @Test("A profile beyond the size limit is taken for sRGB")
    func aProfileBeyondTheLimitIsTakenForSRGB() throws {
        let size = PixelSize(width: 1, height: 1)
        for (slack, isUsed) in [(0, true), (17 << 20, false)] {
            let bytes = TestProfiles.wideRGB + [UInt8](repeating: 0, count: slack)
            let info = BitmapInfo(size: size, format: .rgba8, profile: .icc(bytes))
            #expect((try ColorConverter(from: info) != nil) == isUsed)
        }
    }

    @Test("A colour profile is ignored for grey images")
    func aColorProfileIsNotForGray() throws {
        for format in [PixelFormat.gray8, .gray16] {
            let info = BitmapInfo(
                size: PixelSize(width: 1, height: 1), format: format, profile: .icc(TestProfiles.wideRGB))
            #expect(try ColorConverter(from: info) == nil)
        }
    }

    @Test("Premultiplied colours are refused")
    func premultipliedColorsAreRefused() throws {
        for profile in [ColorProfile.icc(TestProfiles.wideRGB), .calibrated(gamma: 1, nil)] {
            let info = BitmapInfo(
                size: PixelSize(width: 1, height: 1), format: .rgba8, alpha: .premultiplied, profile: profile)
            let error = #expect(throws: ImageError.self) { try ColorConverter(from: info) }
            #expect(error?.code == .unsupported)
        }
    }

    @Test("Converting many rows is the same as converting each", arguments: [PixelFormat.rgba8, .rgba16, .gray8])
    func manyRowsAtOnceAreTheSameAsOneByOne(_ format: PixelFormat) throws {
        let profile = format.isGray ? TestProfiles.linearGray : TestProfiles.wideRGB
        let bitmap = try Bitmap.pattern(1003, 701, format, profile: .icc(profile))
        let converter = try #require(try ColorConverter(from: bitmap.info))
        var single = try bitmap.mutableCopy()
        for y in 0..<bitmap.height { single.withMutableRows(y..<(y + 1)) { converter.convert(&$0) } }
        #expect(try converted(bitmap).tightBytes() == single.freeze().tightBytes())
    }

    @Test("One converter serves many threads")
    func oneConverterServesManyThreads() async throws {
        let bitmap = try Bitmap.pattern(301, 101, .rgba8, profile: .icc(TestProfiles.wideRGB))
        let expected = try converted(bitmap).tightBytes()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { try converted(bitmap).tightBytes() == expected } }
            for try await same in group { #expect(same) }
        }
    }

    /// Damaged profiles convert to something or count as none, but alpha stays and nothing traps.
    @Test(
        "Damaged profiles never trap",
        arguments: [TestProfiles.wideRGB, TestProfiles.sRGB, TestProfiles.linearGray, TestProfiles.cmyk])
    func damagedProfilesDoNoHarm(_ profile: [UInt8]) throws {
        var random = SeededGenerator(UInt64(profile.count))
        let bitmap = try Bitmap.pattern(7, 3, .rgba8)
        let alphas = stride(from: 3, to: 7 * 3 * 4, by: 4)
        for _ in 0..<50 {
            var damaged = profile
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                // Most of what matters is in the header, the tag table and the first words of each tag.
                damaged[Int.random(in: 0..<min(damaged.count, 420), using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random)) }
            let result = try converted(bitmap.withMeaning(alpha: .straight, profile: .icc(damaged)))
            #expect(alphas.allSatisfy { result.tightBytes()[$0] == bitmap.tightBytes()[$0] })
            var row = [RGBA8](repeating: RGBA8(1, 2, 3, 4), count: 5)
            var span = row.mutableSpan
            CMYKConverter(profile: damaged, isInverted: true).convert(
                [UInt8](repeating: 99, count: 20).span.bytes, into: &span)
            #expect(row.allSatisfy { $0.alpha == 255 })
        }
    }
}
