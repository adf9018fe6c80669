import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

/// Bases in high dynamic range, whose maps lead to the standard range.
@Suite("Gain maps of high bases")
struct HighBaseRenderingTests {
    private typealias Math = GainMapRenderingTests

    /// From BT.2020's primaries to sRGB's (ITU-R BT.2407, 2).
    private static let toSRGB = [
        [1.660491, -0.587641, -0.072850], [-0.124550, 1.132900, -0.008349], [-0.018151, -0.100579, 1.118730],
    ]

    /// The metadata of the way back: the base is the alternate rendition, and the other way round.
    static func reversed(_ metadata: GainMapMetadata) -> GainMapMetadata {
        func channel(_ channel: GainMapMetadata.Channel) -> GainMapMetadata.Channel {
            .init(
                minimum: channel.minimum, maximum: channel.maximum, gamma: channel.gamma,
                baseOffset: channel.alternateOffset, alternateOffset: channel.baseOffset)
        }
        return GainMapMetadata(
            red: channel(metadata.red), green: channel(metadata.green), blue: channel(metadata.blue),
            baseHeadroom: metadata.alternateHeadroom, alternateHeadroom: metadata.baseHeadroom,
            usesBaseColorSpace: false)
    }

    /// Parameters for each channel that make no light negative.
    private static let colored = GainMapMetadata(
        red: .init(minimum: 0, maximum: 1.7, gamma: 1.1, baseOffset: 0.01, alternateOffset: 0.01),
        green: .init(minimum: 0, maximum: 2.3, gamma: 0.9, baseOffset: 0.015, alternateOffset: 0.01),
        blue: .init(minimum: 0.1, maximum: 1.9, gamma: 1, baseOffset: 0.03, alternateOffset: 0), alternateHeadroom: 2.3)

    /// An image in standard range, and its high rendition with the map that leads back.
    static func pair(_ metadata: GainMapMetadata, isGray: Bool) throws -> (standard: Bitmap, high: Image) {
        let image = try GainMapFixture.image(
            metadata, size: PixelSize(width: 95, height: 61), mapSize: PixelSize(width: 31, height: 23), isGray: isGray)
        var map = try #require(image.gainMap)
        map.metadata = reversed(map.metadata)
        map.alternateProfile = .sRGB
        let high = try image.rendered(for: .high(headroom: .infinity)).bitmap()
        return (try image.bitmap(), Image(high).withGainMap(map))
    }

    @Test("The standard rendition is the one that the high one was made from", arguments: [true, false])
    func roundTrip(isGray: Bool) throws {
        let metadata = isGray ? GainMapFixture.gray : Self.colored
        let (standard, high) = try Self.pair(metadata, isGray: isGray)
        let rendered = try high.rendered(for: .standard)
        #expect(rendered.gainMap == nil)
        let bitmap = try rendered.bitmap()
        #expect(bitmap.profile == .sRGB && bitmap.format == .rgba16 && bitmap.size == standard.size)
        let differences = zip(bitmap.samples16, standard.samples16).map { abs(Double($0) - Double($1)) / 257 }
        #expect(differences.max()! < 1 && differences.reduce(0, +) / Double(differences.count) < 0.2)
        // Without the map it is another one.
        let mapped = try high.withGainMap(nil).rendered(for: .standard).bitmap()
        #expect(mapped.samples16 != bitmap.samples16)
        // A map that is made again leads from this rendition to the high one.
        let made = try high.withMadeGainMap()
        #expect(try made.bitmap().samples16 == bitmap.samples16)
        #expect(try #require(made.gainMap).metadata.isBaseHigher == false)
    }

    @Test("A rendition is the standard's formula", arguments: [1, 1.5, 2, 3.9], [true, false])
    func formula(headroom: Double, isGray: Bool) throws {
        var (_, high) = try Self.pair(isGray ? GainMapFixture.gray : GainMapFixture.colored, isGray: isGray)
        var map = try #require(high.gainMap)
        // In the base's own primaries, BT.2020's.
        map.metadata.usesBaseColorSpace = true
        high = high.withGainMap(map)
        let rendered = try high.rendered(for: .high(headroom: headroom)).bitmap()
        #expect(rendered.profile.isHighDynamicRange && rendered.format == .rgba16)
        let range = map.metadata.baseHeadroom
        let weight = -min(1, max(0, (range - log2(headroom)) / range))
        let light = Math.light(of: try high.bitmap())
        let expected = Math.formula(light, high.size, try map.image.bitmap(), map.metadata, weight: weight)
        let difference = Math.difference(Math.light(of: rendered), expected.map { max(0, $0) })
        #expect(difference.mean < 0.0005 && difference.largest < 0.006, "\(difference)")
        // The standard range has the same light as a headroom of 1, where sRGB has the colour.
        guard headroom == 1 else { return }
        let standard = Math.standardLight(of: try high.rendered(for: .standard).bitmap())
        let converted = Math.converted(expected, by: Self.toSRGB)
        let pairs = stride(from: 0, to: converted.count, by: 3).filter { start in
            converted[start..<(start + 3)].allSatisfy { (0.001...0.999).contains($0) }
        }
        #expect(pairs.count > 100)
        for start in pairs {
            for index in start..<(start + 3) { #expect(abs(standard[index] - converted[index]) < 0.004) }
        }
    }

    @Test("A display with the base's headroom shows the base", arguments: [4, 5, 100])
    func base(headroom: Double) throws {
        let (_, high) = try Self.pair(GainMapFixture.gray, isGray: true)
        let rendered = try high.rendered(for: .high(headroom: headroom * 1.0001))
        #expect(rendered.gainMap == nil)
        #expect(try rendered.bitmap().samples16 == high.bitmap().samples16)
    }

    @Test("The formula at a few numbers")
    func numbers() throws {
        // White at four times white, and a gain of two stops everywhere: white.
        let bright = try ToneMapping.row(
            [812, 203, 50.75, 0].map { light in
                let value = ToneMapping.pqValue(light)
                return [value, value, value]
            })
        let file = try ToneMapping.png(bright, primaries: 9, transfer: 16)
        var options = DecodingOptions(color: .asStored)
        options.maximumBitsPerChannel = 16
        let base = try ImageSource.decode(file, options: options).bitmap
        let full = try ToneMapping.row([[1, 1, 1]]).converted(to: .gray8, alpha: AlphaMode.none)
        let metadata = GainMapMetadata(
            .init(minimum: 0, maximum: 2, baseOffset: 0, alternateOffset: 0), baseHeadroom: 2, alternateHeadroom: 0)
        let image = Image(base).withGainMap(GainMap(Image(full), metadata))
        let standard = Math.standardLight(of: try image.rendered(for: .standard).bitmap())
        for (index, light) in [1, 0.25, 0.0625, 0].enumerated() {
            #expect(abs(standard[3 * index] - light) < 0.002, "\(standard)")
        }
        let half = Math.light(of: try image.rendered(for: .high(headroom: 2)).bitmap())
        for (index, light) in [2, 0.5, 0.125, 0].enumerated() {
            #expect(abs(half[3 * index] - light) < 0.002, "\(half)")
        }
    }

    @Test("An alternate rendition that is brighter than white is compressed")
    func highAlternate() throws {
        let (_, high) = try Self.pair(GainMapFixture.gray, isGray: true)
        var map = try #require(high.gainMap)
        map.metadata.alternateHeadroom = 1
        map.metadata.red.maximum = 1
        (map.metadata.green, map.metadata.blue) = (map.metadata.red, map.metadata.red)
        let image = high.withGainMap(map)
        let bright = Math.light(of: try image.rendered(for: .high(headroom: 2)).bitmap())
        #expect(bright.max()! > 1.2)
        let standard = try image.rendered(for: .standard).bitmap()
        #expect(standard.profile == .sRGB)
        let light = Math.standardLight(of: standard)
        // Luminance around white, which clipping would leave or make white.
        var (compressed, clipped, count) = (0.0, 0.0, 0)
        for start in stride(from: 0, to: light.count, by: 3) {
            let before = 0.2627 * bright[start] + 0.678 * bright[start + 1] + 0.0593 * bright[start + 2]
            guard (0.85...1.4).contains(before) else { continue }
            compressed += 0.2126 * light[start] + 0.7152 * light[start + 1] + 0.0722 * light[start + 2]
            clipped += min(1, before)
            count += 1
        }
        #expect(count > 100 && compressed < 0.97 * clipped, "\(count): \(compressed) and \(clipped)")
    }

    @Test("HLG is the PQ of a display of 1,000 cd/m²")
    func hybrid() throws {
        let values = (0...60).map { [Double($0) / 60, Double(60 - $0) / 80, 0.3] }
        let file = try ToneMapping.png(ToneMapping.row(values), primaries: 9, transfer: 18)
        let hybrid = Image(try ImageSource.decode(file, options: DecodingOptions(color: .asStored)).bitmap)
        let quantized = try hybrid.rendered(for: .high(headroom: .infinity))
        let gains = try GainMapFixture.bitmap(PixelSize(width: 16, height: 1), format: .gray8)
        let map = GainMap(Image(gains), Self.reversed(GainMapFixture.gray), alternateProfile: .sRGB)
        for range in [DynamicRange.standard, .high(headroom: 2)] {
            let (a, b) = (
                try hybrid.withGainMap(map).rendered(for: range).bitmap(),
                try quantized.withGainMap(map).rendered(for: range).bitmap()
            )
            #expect(a.samples16 == b.samples16)
        }
    }

    @Test("A base in sRGB that calls itself the higher one is darkened by its map")
    func standardBase() throws {
        let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2), baseHeadroom: 2, alternateHeadroom: 0)
        let image = try GainMapFixture.image(metadata)
        #expect(try image.rendered(for: .high(headroom: 4)).gainMap == nil)
        let rendered = try image.rendered(for: .standard).bitmap()
        #expect(rendered.profile == .sRGB)
        let map = try #require(image.gainMap).image.bitmap()
        let expected = Math.formula(
            Math.standardLight(of: try image.bitmap()), image.size, map, metadata, weight: -1)
        let difference = Math.difference(Math.standardLight(of: rendered), expected.map { max(0, $0) })
        #expect(difference.mean < 0.0005 && difference.largest < 0.004, "\(difference)")
    }

    @Test("Maps whose numbers are absurd give finite pixels", arguments: [-32, 32] as [Double])
    func absurd(stops: Double) throws {
        let (_, high) = try Self.pair(GainMapFixture.gray, isGray: true)
        var map = try #require(high.gainMap)
        map.metadata = GainMapMetadata(
            .init(minimum: stops, maximum: stops, gamma: 1024, baseOffset: 32, alternateOffset: -32), baseHeadroom: 32,
            alternateHeadroom: 0)
        for range in [DynamicRange.standard, .high(headroom: 1.5)] {
            #expect(try high.withGainMap(map).rendered(for: range).bitmap().size == high.size)
        }
        // Equal headrooms: no gain.
        map.metadata.baseHeadroom = 0
        let same = try high.withGainMap(map).rendered(for: .high(headroom: .infinity))
        #expect(try same.bitmap().samples16 == high.bitmap().samples16)
    }
}
