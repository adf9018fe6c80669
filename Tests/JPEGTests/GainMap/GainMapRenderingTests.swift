import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("Gain maps applied")
struct GainMapRenderingTests {
    /// The linear light of PQ pixels, in BT.2020's primaries with white as 1 (ITU-R BT.2100, table 4; BT.2408).
    static func light(of bitmap: Bitmap) -> [Double] {
        bitmap.samples16.enumerated().filter { $0.offset % 4 != 3 }.map { _, sample in
            let e = pow(Double(sample) / 65535, 32.0 / 2523)
            return pow(max(0, e - 107.0 / 128) / (2413.0 / 128 - 2392.0 / 128 * e), 16384.0 / 2610) * 10000 / 203
        }
    }

    /// What full red, green and blue are in BT.2020's primaries (ITU-R BT.2087; Display P3's from its chromaticities).
    static let fromSRGB = [
        [0.627404, 0.329283, 0.043313], [0.069097, 0.919540, 0.011362], [0.016391, 0.088013, 0.895595],
    ]
    static let fromP3 = [
        [0.753833, 0.198597, 0.047570], [0.045744, 0.941777, 0.012479], [-0.001210, 0.017602, 0.983609],
    ]

    static func converted(_ light: [Double], by matrix: [[Double]]) -> [Double] {
        stride(from: 0, to: light.count, by: 3).flatMap { pixel in
            matrix.map { row in max(0, (0..<3).reduce(0) { $0 + row[$1] * light[pixel + $1] }) }
        }
    }

    /// The linear light of pixels in sRGB's curve.
    static func standardLight(of bitmap: Bitmap) -> [Double] {
        bitmap.samples16.enumerated().filter { $0.offset % 4 != 3 }.map { _, sample in
            let value = Double(sample) / 65535
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
    }

    private static func expected(_ base: Bitmap, _ map: Bitmap, _ metadata: GainMapMetadata, weight: Double) -> [Double]
    {
        converted(formula(standardLight(of: base), base.size, map, metadata, weight: weight), by: fromSRGB)
    }

    /// The formula of ISO 21496-1 in double precision, pixel by pixel, in the primaries of `light`.
    static func formula(
        _ light: [Double], _ size: PixelSize, _ map: Bitmap, _ metadata: GainMapMetadata, weight: Double
    ) -> [Double] {
        let gains = map.samples16
        func sample(_ x: Int, _ y: Int, _ channel: Int) -> Double {
            func place(_ index: Int, _ count: Int, _ stored: Int) -> (Int, Int, Double) {
                let center = min(
                    Double(stored - 1), max(0, (Double(index) + 0.5) * Double(stored) / Double(count) - 0.5))
                return (Int(center), min(stored - 1, Int(center) + 1), center - center.rounded(.down))
            }
            let (left, right, fx) = place(x, size.width, map.width)
            let (top, bottom, fy) = place(y, size.height, map.height)
            func stored(_ x: Int, _ y: Int) -> Double { Double(gains[(y * map.width + x) * 4 + channel]) / 65535 }
            return (stored(left, top) * (1 - fx) + stored(right, top) * fx) * (1 - fy)
                + (stored(left, bottom) * (1 - fx) + stored(right, bottom) * fx) * fy
        }
        let channels = [metadata.red, metadata.green, metadata.blue]
        var result: [Double] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                for (index, channel) in channels.enumerated() {
                    let stored = light[(y * size.width + x) * 3 + index]
                    let recovered = pow(sample(x, y, index), 1 / channel.gamma)
                    let gain = channel.minimum + (channel.maximum - channel.minimum) * recovered
                    result.append((stored + channel.baseOffset) * exp2(gain * weight) - channel.alternateOffset)
                }
            }
        }
        return result
    }

    /// The mean and the largest difference.
    static func difference(_ a: [Double], _ b: [Double]) -> (mean: Double, largest: Double) {
        let all = zip(a, b).map { abs($0 - $1) }
        return (all.reduce(0, +) / Double(max(1, all.count)), all.max() ?? .infinity)
    }

    @Test("The rendition is the standard's formula", arguments: [1.5, 2, 4.9, 100], [true, false])
    func formula(headroom: Double, isGray: Bool) throws {
        let metadata = isGray ? GainMapFixture.gray : GainMapFixture.colored
        let image = try GainMapFixture.image(
            metadata, size: PixelSize(width: 95, height: 61), mapSize: PixelSize(width: 31, height: 23), isGray: isGray)
        let rendered = try image.rendered(for: .high(headroom: headroom)).bitmap()
        #expect(rendered.format == .rgba16 && rendered.size == image.size)
        let weight = min(1, log2(headroom) / metadata.alternateHeadroom)
        let map = try #require(image.gainMap).image.bitmap()
        let expected = try Self.expected(image.bitmap(), map, metadata, weight: weight)
        let difference = Self.difference(Self.light(of: rendered), expected)
        #expect(difference.mean < 0.0005 && difference.largest < 0.004, "\(difference)")
    }

    @Test("Standard range, and a headroom of 1, are the base")
    func standard() throws {
        let image = try GainMapFixture.image()
        for range in [DynamicRange.standard, .high(headroom: 1)] {
            let rendered = try image.rendered(for: range)
            #expect(rendered.gainMap == nil)
            #expect(try rendered.bitmap().tightBytes() == image.bitmap().tightBytes())
        }
        #expect(try image.withGainMap(nil).rendered(for: .high(headroom: 8)).bitmap().format == .rgba8)
    }

    @Test("A headroom below 1 or no number is refused", arguments: [0.99, 0, -1, -.infinity, .nan])
    func invalid(headroom: Double) throws {
        let image = try GainMapFixture.image()
        #expect(errorCode { try image.rendered(for: .high(headroom: headroom)) } == .invalidParameter)
    }

    @Test("A conversion to sRGB shows no more than white")
    func clipped() throws {
        let rendered = try GainMapFixture.image().rendered(for: .high(headroom: 4)).bitmap()
        #expect(try ImageDestination(format: .png).encode(rendered).count > 100)
        #expect(Self.light(of: rendered).max()! > 2)
    }

    /// Files for libvips: the size of the base and of the map, and the largest gain in stops.
    private static let files = [
        (PixelSize(width: 96, height: 64), PixelSize(width: 96, height: 64), 2.0),
        (PixelSize(width: 96, height: 64), PixelSize(width: 48, height: 32), 1.0),
        (PixelSize(width: 120, height: 90), PixelSize(width: 40, height: 30), 1.0),
        (PixelSize(width: 64, height: 64), PixelSize(width: 64, height: 64), 3.0),
    ]

    @Test("libvips reads our files and renders them as we do", .needsUltraHDR, arguments: files)
    func libvipsReads(size: PixelSize, mapSize: PixelSize, stops: Double) throws {
        let metadata = GainMapMetadata(.init(minimum: 0, maximum: stops), alternateHeadroom: stops)
        // libvips enlarges a map by half a pixel of the base off its place, which shows where the map has edges.
        let image = try GainMapFixture.image(metadata, size: size, mapSize: mapSize, hasMark: size == mapSize)
        let file = try GainMapFixture.file(image)
        let theirs = try #require(try LibVIPS.scRGB(file), "libvips refuses the file")
        let ours = try Image(data: file).rendered(for: .high(headroom: .infinity)).bitmap()
        let difference = Self.difference(Self.light(of: ours), Self.converted(theirs, by: Self.fromSRGB))
        #expect(difference.mean <= 1.0 / 255 && difference.largest <= 4.0 / 255, "\(difference)")
        // Numbers are single precision there.
        let numbers = try #require(try LibVIPS.metadata(file))
        #expect(numbers.count == 5)
        for (number, expected) in zip(numbers, [exp2(stops), 1, 1, 1 / 64.0, 1 / 64.0]) {
            #expect(abs(number - expected) < 1e-5 * expected, "\(numbers)")
        }
    }

    @Test("We render libvips' files as it does", .needsUltraHDR, arguments: [1.5, 3, 4])
    func libvipsWrites(peak: Double) throws {
        let file = try #require(try LibVIPS.file(peak: peak), "libvips can't write a file")
        let image = try Image(data: file)
        #expect(try GainMapFixture.error(in: file) == nil)
        let theirs = try #require(try LibVIPS.scRGB(file))
        let ours = try image.rendered(for: .high(headroom: .infinity)).bitmap()
        let difference = Self.difference(Self.light(of: ours), Self.converted(theirs, by: Self.fromP3))
        #expect(difference.mean <= 1.0 / 255 && difference.largest <= 4.0 / 255, "\(difference)")
        // What we write of it libvips reads, with the same numbers.
        let copy = try image.data(as: .jpeg, quality: 0.95, keeping: .all)
        #expect(try LibVIPS.metadata(copy) == LibVIPS.metadata(file))
    }
}
