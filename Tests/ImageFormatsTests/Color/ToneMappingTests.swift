import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// PQ and HLG, and the way to sRGB: compared with the formulas of ITU-R BT.2100 and BT.2390 in double precision.
@Suite("Tone mapping")
struct ToneMappingTests {
    private static let deep = DecodingOptions(maximumBitsPerChannel: 16)

    /// Saturated and muted patches at several luminances, as linear light in BT.709's primaries.
    private static let patches: [[Double]] = {
        let colors: [[Double]] = [
            [1, 0.05, 0.05], [0.05, 1, 0.05], [0.05, 0.05, 1], [1, 1, 0.05], [0.05, 1, 1], [1, 0.05, 1],
            [1, 0.5, 0.05], [0.5, 1, 0.05], [0.05, 1, 0.5], [0.05, 0.5, 1], [0.5, 0.05, 1], [1, 0.05, 0.5],
            [0.9, 0.6, 0.45], [0.4, 0.55, 0.75], [0.3, 0.6, 0.3], [0.7, 0.7, 0.4],
        ]
        return [20.0, 100, 203, 500, 950].flatMap { luminance in colors.map { $0.map { $0 * luminance } } }
    }()

    /// The values of PQ, for BT.2020's primaries, of light in BT.709's.
    private static func stored(_ light: [Double]) -> [Double] {
        ToneMapping.converted(light, from: 1, to: 9).map(ToneMapping.pqValue)
    }

    /// The linear light of the only row of a file decoded to sRGB, 0 to 1.
    private static func standard(_ file: [UInt8]) throws -> [[Double]] {
        let decoded = try ImageSource.decode(file, options: deep)
        #expect(decoded.bitmap.profile == .sRGB)
        let samples = decoded.bitmap.samples16
        return stride(from: 0, to: samples.count, by: 4).map { start in
            (0..<3).map { channel in
                let value = Double(samples[start + channel]) / 65535
                return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
            }
        }
    }

    @Test("PQ and HLG equal their closed forms at 1,000 points")
    func curves() {
        for step in 0...1000 {
            let value = Double(step) / 1000
            #expect(abs(PerceptualQuantizer.light(value) * 10000 - ToneMapping.pqLight(value)) < 1e-8)
            #expect(abs(PerceptualQuantizer.value(ToneMapping.pqLight(value) / 10000) - value) < 1e-6)
            #expect(abs(HybridLogGamma.sceneLight(value) - ToneMapping.hlgScene(value)) < 1e-7)
            #expect(abs(HybridLogGamma.value(sceneLight: ToneMapping.hlgScene(value)) - value) < 1e-6)
        }
        // BT.2408, table 1: the values of white and of an 18% grey card.
        #expect(abs(PerceptualQuantizer.value(203 / 10000) - 0.58) < 0.002)
        #expect(abs(PerceptualQuantizer.value(26 / 10000) - 0.38) < 0.002)
        #expect(abs(HybridLogGamma.displayLight(0.75) * 1000 - 203) < 1)
    }

    @Test(
        "Colours equal the formulas in double precision",
        arguments: [
            (9, 16, 1000), (9, 16, 4000), (9, 16, nil), (12, 16, 1000), (1, 16, 600), (9, 18, nil), (12, 18, nil),
        ]
            as [(UInt8, UInt8, Int?)])
    func colors(primaries: UInt8, transfer: UInt8, peak: Int?) throws {
        var colors: [[Double]] = []
        let steps = stride(from: 0.0, through: 0.75, by: 0.075)
        for red in steps { for green in steps { for blue in steps { colors.append([red, green, blue]) } } }
        let file = try ToneMapping.png(
            ToneMapping.row(colors), primaries: primaries, transfer: transfer, peak: peak)
        let assumed = transfer == 18 ? 1000 : Double(peak ?? 10000)
        var (worst, sum) = (0.0, 0.0)
        for (color, result) in zip(colors, try Self.standard(file)) {
            let expected = ToneMapping.standard(color, primaries: primaries, transfer: transfer, peak: assumed)
            for (a, b) in zip(result, expected) {
                let difference = abs(ColorMath.encoded(a) - ColorMath.encoded(b)) * 255
                worst = max(worst, difference)
                sum += difference
            }
        }
        #expect(worst <= 1.5 && sum / Double(colors.count * 3) < 0.1, "\(worst), \(sum / Double(colors.count * 3))")
    }

    @Test("Hues stay within 2 degrees", arguments: [1000, 4000])
    func hues(peak: Int) throws {
        let file = try ToneMapping.png(
            ToneMapping.row(Self.patches.map(Self.stored)), primaries: 9, transfer: 16, peak: peak)
        var worst = 0.0
        for (patch, result) in zip(Self.patches, try Self.standard(file)) {
            let before = ToneMapping.converted(patch, from: 1, to: 9)
            let after = ToneMapping.converted(result.map { $0 * 203 }, from: 1, to: 9)
            let chroma = ToneMapping.ictcp(after)
            // Near grey a rounding turns the hue.
            guard hypot(chroma[1], chroma[2]) > 0.01 else { continue }
            worst = max(worst, ToneMapping.hueDifference(before, after))
        }
        #expect(worst < 2, "\(worst)")
    }

    @Test("Near black, pixels of 8 bits are the formulas' results, rounded", arguments: [1000, 4000])
    func dark(peak: Int) throws {
        // PQ in 8 bits up to 2.3 candela per square metre, where a step of the result turns hues by several degrees.
        let steps = (0...9).map { UInt8($0 * 8) }
        var bitmap = try MutableBitmap(
            uninitialized: BitmapInfo(size: PixelSize(width: 1000, height: 1), format: .rgba8))
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: RGBA8.self)
        for index in 0..<1000 { row[index] = RGBA8(steps[index / 100], steps[index / 10 % 10], steps[index % 10]) }
        let stored = bitmap.freeze()
        let file = try ToneMapping.png(stored, primaries: 9, transfer: 16, peak: peak)
        let (values, results) = (stored.tightBytes(), try ImageSource.decode(file).bitmap.tightBytes())
        var worst = 0.0
        for index in 0..<1000 {
            let color = (0..<3).map { Double(values[4 * index + $0]) / 255 }
            let expected = ToneMapping.standard(color, primaries: 9, transfer: 16, peak: Double(peak))
            for channel in 0..<3 {
                worst = max(
                    worst, abs(Double(results[4 * index + channel]) - ColorMath.encoded(expected[channel]) * 255))
            }
        }
        #expect(worst <= 0.75, "\(worst)")
    }

    @Test("Light grows steadily up to the peak, and mid grey stays", arguments: [600, 1000, 4000, 10000])
    func greys(peak: Int) throws {
        let top = ToneMapping.pqValue(Double(peak))
        let values = (0...1000).map { Double($0) / 1000 * top }
        let file = try ToneMapping.png(
            ToneMapping.row(values.map { [$0, $0, $0] }), primaries: 9, transfer: 16, peak: peak)
        let results = try Self.standard(file).map { $0[1] }
        let light = values.map {
            ToneMapping.pqLight(ToneMapping.compressed($0, from: Double(peak), to: 203)) / 203
        }
        // A step of the encoded 16 bits is up to 2.3 / 65535 of white's light, and both results may be off by half of one.
        let visible = 4.0 / 65535
        #expect(zip(light.dropFirst(), light).count { $0 - $1 > visible } > 700)
        for index in 1..<results.count {
            let isVisible = light[index] - light[index - 1] > visible
            #expect(results[index] > results[index - 1] || !isVisible, "\(index)")
            #expect(results[index] >= results[index - 1] - 4e-5, "\(index)")
        }
        #expect(results[1000] > 0.999 && results[950] < 0.999)
        let gray = values.firstIndex { ToneMapping.pqLight($0) >= 26 }!
        let wanted = ToneMapping.pqLight(values[gray]) / 203
        #expect(abs(ColorMath.encoded(results[gray]) - ColorMath.encoded(wanted)) * 255 < 1)
    }

    @Test("Content that doesn't exceed white isn't compressed")
    func low() throws {
        let values = (0...100).map { Double($0) / 100 * ToneMapping.pqValue(203) }
        let file = try ToneMapping.png(
            ToneMapping.row(values.map { [$0, $0, $0] }), primaries: 9, transfer: 16, peak: 203)
        for (value, result) in zip(values, try Self.standard(file)) {
            #expect(abs(ColorMath.encoded(result[0]) - ColorMath.encoded(ToneMapping.pqLight(value) / 203)) * 255 < 0.3)
        }
    }

    @Test("High dynamic range is delivered as PQ, with no more than the headroom", arguments: [16, 18] as [UInt8])
    func high(transfer: UInt8) throws {
        let values = (0...200).map { Double($0) / 200 * 0.75 }
        let file = try ToneMapping.png(
            ToneMapping.row(values.map { [$0, $0, $0] }), primaries: 12, transfer: transfer, peak: 1000)
        for headroom in [2.0, .infinity] {
            var options = Self.deep
            options.dynamicRange = .high(headroom: headroom)
            let bitmap = try ImageSource.decode(file, options: options).bitmap
            #expect(bitmap.profile.isHighDynamicRange && bitmap.format == .rgba16)
            let samples = bitmap.samples16
            for (index, value) in values.enumerated() {
                let light = ToneMapping.pqValue(ToneMapping.grayLight(value, transfer: transfer))
                let wanted = ToneMapping.compressed(light, from: 1000, to: min(1000, 203 * headroom))
                #expect(abs(Double(samples[4 * index + 1]) / 65535 - wanted) < 0.0005)
            }
            // It is read like a file's own pixels.
            let again = try ImageSource.decode(ImageDestination(format: .png).encode(bitmap), options: Self.deep)
            #expect(again.header.profile.isHighDynamicRange && again.bitmap.profile == .sRGB)
        }
    }

    @Test("As stored, no value changes")
    func stored() throws {
        let row = try ToneMapping.row(Self.patches.map(Self.stored))
        let file = try ToneMapping.png(row, primaries: 9, transfer: 16, peak: 1000)
        for color in [DecodingOptions.Color.sRGB, .asStored] {
            var options = Self.deep
            (options.color, options.dynamicRange) = (color, .asStored)
            let bitmap = try ImageSource.decode(file, options: options).bitmap
            #expect(bitmap.samples16 == row.samples16 && bitmap.profile.isHighDynamicRange)
        }
    }

    @Test("A rendition in standard range is compressed from the measured peak")
    func measured() throws {
        let values = (0...100).map { Double($0) / 100 * ToneMapping.pqValue(800) }
        let file = try ToneMapping.png(ToneMapping.row(values.map { [$0, $0, $0] }), primaries: 9, transfer: 16)
        let rendered = try Image(data: file).rendered(for: .standard).bitmap()
        #expect(rendered.profile == .sRGB && rendered.format == .rgba16)
        for (value, sample) in zip(values, stride(from: 0, to: 404, by: 4).map { rendered.samples16[$0] }) {
            let light = ToneMapping.pqLight(ToneMapping.compressed(value, from: 800, to: 203)) / 203
            #expect(abs(Double(sample) / 65535 - ColorMath.encoded(light)) * 255 < 0.5)
        }
        let bright = try Image(data: file).rendered(for: .high(headroom: 8))
        #expect(bright.info.profile.isHighDynamicRange)
        #expect(throws: ImageError.self) { try Image(data: file).rendered(for: .high(headroom: 0.5)) }
    }

    @Test("The mastering display's peak counts where the content's is unknown")
    func masteringDisplay() throws {
        let values: [Double] = (0...50).map { Double($0) / 66 }
        let row = try ToneMapping.row(values.map { [$0, $0, $0] })
        func pixels(_ peak: Int?, _ displayPeak: Int?) throws -> [UInt16] {
            let file = try ToneMapping.png(row, primaries: 9, transfer: 16, peak: peak, displayPeak: displayPeak)
            return try ImageSource.decode(file, options: Self.deep).bitmap.samples16
        }
        #expect(try pixels(nil, 1000) == pixels(1000, nil))
        #expect(try pixels(1000, 4000) == pixels(1000, nil))
        #expect(try pixels(nil, nil) != pixels(1000, nil))
        // A luminance that PQ can't have counts as unknown.
        #expect(try pixels(0, nil) == pixels(nil, nil))
        #expect(try pixels(0, 1000) == pixels(1000, nil))
        #expect(try pixels(60_000, 1000) == pixels(1000, nil))
        #expect(try pixels(nil, 20_000) == pixels(nil, nil))
    }

    @Test("PQ and HLG are written with their code points", arguments: [16, 18] as [UInt8])
    func written(transfer: UInt8) throws {
        let row = try ToneMapping.row(Self.patches.map(Self.stored))
        let file = try ToneMapping.png(row, primaries: 9, transfer: transfer, peak: transfer == 16 ? 1000 : nil)
        var options = Self.deep
        options.dynamicRange = .asStored
        let bitmap = try ImageSource.decode(file, options: options).bitmap
        for format in [ImageFormat.png, .avif, .heic, .jpegXL] where CodecRegistry.default.canEncode(format) {
            let encoded = try ImageDestination(format: format, options: EncodingOptions(isLossless: true)).encode(
                bitmap)
            let again = try ImageSource.decode(encoded, options: options)
            #expect(again.header.profile.isHighDynamicRange, "\(format)")
            let pairs = zip(again.bitmap.samples16, bitmap.samples16)
            let worst = pairs.map { abs(Int($0) - Int($1)) }.max() ?? 0
            // AVIF and HEIC have 10 or 12 bits.
            #expect(worst <= (format == .png || format == .jpegXL ? 0 : 80), "\(format): \(worst)")
        }
        // Other formats get sRGB.
        for format in [ImageFormat.jpeg, .webP] where CodecRegistry.default.canEncode(format) {
            let encoded = try ImageDestination(format: format).encode(bitmap)
            #expect(try ImageSource.header(of: encoded).profile == .sRGB, "\(format)")
        }
    }
}
