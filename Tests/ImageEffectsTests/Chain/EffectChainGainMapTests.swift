import ImageEffects
import Raster
import Testing

@Suite("Gain maps in chains of effects")
struct EffectChainGainMapTests {
    private static let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2), alternateHeadroom: 2)

    /// Grey values that rise by `step` a pixel to the right and twice that to the bottom, as the means of `step` by
    /// `step` pixels of a ramp of 1.
    private static func ramp(_ size: PixelSize, step: Int, format: PixelFormat) throws -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: BitmapInfo(size: size, format: format))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            func value(_ x: Int) -> UInt8 { UInt8((x + 2 * y) * step + (step - 1) * 3 / 2) }
            if format == .gray8 {
                var row = rows.row(y, as: Gray8.self)
                for x in 0..<size.width { row[x] = Gray8(value(x)) }
            } else {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<size.width { row[x] = RGBA8(value(x), value(x), value(x)) }
            }
        }
        return bitmap.freeze()
    }

    /// An image of 80x48 whose map of 20x12 has the same values, four pixels of the image to one.
    private static func image(orientation: Orientation = .up) throws -> Image {
        let map = try ramp(PixelSize(width: 20, height: 12), step: 4, format: .gray8)
        let base = try ramp(PixelSize(width: 80, height: 48), step: 1, format: .rgba8)
        return Image(base, orientation: orientation)
            .withGainMap(GainMap(Image(map, orientation: orientation), metadata))
    }

    /// How far the map's values are from the image's at the same places, at the most.
    private static func shift(_ image: Image) throws -> Int {
        let map = try #require(image.gainMap).image.bitmap()
        let base = try image.bitmap().resampled(to: map.size, filter: .area)
        var largest = 0
        for y in 1..<(map.height - 1) {
            let (a, b) = (map.rows.row(y, as: Gray8.self), base.rows.row(y, as: RGBA8.self))
            for x in 1..<(map.width - 1) { largest = max(largest, abs(Int(a[x].value) - Int(b[x].red))) }
        }
        return largest
    }

    /// Chains that keep the map, and its size then.
    private static let keeping: [(EffectChain, PixelSize)] = [
        ([.crop(x: 8, y: 4, width: 40, height: 32)], PixelSize(width: 10, height: 8)),
        ([.crop(x: 6, y: 7, width: 42, height: 30)], PixelSize(width: 11, height: 8)),
        ([.scale(width: 40, height: 24)], PixelSize(width: 10, height: 6)),
        ([.scaleToFit(width: 200, height: 200)], PixelSize(width: 20, height: 12)),
        ([.scaleToFill(width: 40, height: 40)], PixelSize(width: 10, height: 10)),
        ([.rotate(degrees: 90)], PixelSize(width: 12, height: 20)),
        ([.rotate(degrees: -180)], PixelSize(width: 20, height: 12)),
        ([.flip(.horizontal)], PixelSize(width: 20, height: 12)),
        ([.flip(.vertical), .rotate(degrees: 270)], PixelSize(width: 12, height: 20)),
        (
            [.crop(x: 16, y: 0, width: 64, height: 48), .rotate(degrees: 90), .scale(width: 36, height: 48)],
            PixelSize(width: 9, height: 12)
        ),
    ]

    @Test("What moves pixels moves the map's alike, to less than one of its pixels", arguments: keeping.indices)
    func keeps(index: Int) throws {
        let (chain, size) = Self.keeping[index]
        let result = try Self.image().applying(chain)
        let map = try #require(result.gainMap)
        #expect(map.image.size == size && map.metadata == Self.metadata)
        // A pixel of the map is four steps wide and eight high.
        #expect(try Self.shift(result) < 4)
    }

    @Test("An image's own orientation turns its map too", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        let image = try Self.image(orientation: orientation)
        #expect(try Self.shift(image) < 4)
        #expect(try Self.shift(image.applying(.flip(.horizontal))) < 4)
        #expect(try Self.shift(image.decompressed()) < 4)
    }

    private static let dropping: [EffectChain] = [
        [.saturation(0)], [.opacity(0.5)], [.rotate(degrees: 10)], [.cornerRadius(8)],
        [.crop(x: -8, y: 0, width: 80, height: 48)], [.flip(.horizontal), .blur(radius: 2)],
        [.custom("same") { $0 }],
    ]

    @Test("What changes colours or adds pixels drops the map", arguments: dropping.indices)
    func drops(index: Int) throws {
        #expect(try Self.image().applying(Self.dropping[index]).gainMap == nil)
    }

    @Test("An image without a map gets none, and one whose map was removed stays so")
    func none() throws {
        #expect(try Self.image().withGainMap(nil).applying(.flip(.horizontal)).gainMap == nil)
        #expect(try Self.image().withGainMap(nil).withGainMap(Self.image().gainMap).gainMap != nil)
    }
}
