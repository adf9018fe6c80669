import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Gain maps made")
struct GainMapMakingTests {
    /// Smooth colours of up to 800 candela per square metre, in PQ.
    private static func image() throws -> Image {
        let size = PixelSize(width: 64, height: 48)
        var bitmap = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: .rgba16))
        var rows = bitmap.mutableRows
        for y in 0..<48 {
            var row = rows.row(y, as: RGBA16.self)
            for x in 0..<64 {
                func value(_ light: Double) -> UInt16 { UInt16(ToneMapping.pqValue(light) * 65535) }
                let light = 2 + 798 * pow(Double(x) / 63, 3)
                row[x] = RGBA16(value(light), value(light * (1 - 0.3 * Double(y) / 47)), value(light * 0.8), 65535)
            }
        }
        return try Image(
            data: ToneMapping.png(bitmap.freeze(), primaries: 9, transfer: 16, peak: 800),
            options: DecodingOptions(maximumBitsPerChannel: 16))
    }

    @Test("A JPEG with a made map leads back to the image in PQ")
    func roundTrip() throws {
        let image = try Self.image()
        let made = try image.withMadeGainMap()
        #expect(made.info.profile == .sRGB && made.gainMap?.image.size == PixelSize(width: 32, height: 24))
        let file = try made.data(as: .jpeg, options: EncodingOptions(quality: 1, jpeg: .init(subsampling: .yuv444)))
        let back = try Image(data: file).rendered(for: .high(headroom: .infinity)).bitmap()
        let wanted = try image.rendered(for: .high(headroom: .infinity)).bitmap()
        let (a, b) = (GainMapRenderingTests.light(of: back), GainMapRenderingTests.light(of: wanted))
        // Of the light's own size, as steps of eight bits are.
        let errors = zip(a, b).map { abs($0 - $1) / max(0.2, $1) }
        #expect(errors.reduce(0, +) / Double(errors.count) < 0.02 && errors.max()! < 0.2)
        // The base is the rendition in standard range.
        let standard = try image.rendered(for: .standard).bitmap().samples16
        let base = try Image(data: file).bitmap().samples16
        #expect(zip(standard, base).allSatisfy { abs(Int($0) - Int($1)) < 257 * 6 })
    }

    @Test("libvips renders a made map", .needsUltraHDR)
    func libvips() throws {
        let file = try Self.image().withMadeGainMap().data(as: .jpeg, quality: 0.95)
        let light = try #require(try LibVIPS.scRGB(file))
        #expect(light.max()! > 3 && light.max()! < 4.6)
    }

    @Test("An image in standard range gets no map")
    func standard() throws {
        let image = Image(try GainMapFixture.bitmap(PixelSize(width: 20, height: 10)))
        #expect(try image.withMadeGainMap().gainMap == nil)
    }
}
