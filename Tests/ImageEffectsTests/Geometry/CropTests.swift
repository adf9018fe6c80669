import ImageEffects
import Raster
import Testing

@Suite("Crop")
struct CropTests {
    @Test("Pixels outside the image are transparent, repeated or left out", arguments: [8, 16])
    func outside(bits: Int) throws {
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        let picture = try TextPicture("RGB\nKW1").bitmap(bits: bits)
        let table: [(Effects.Crop, TextPicture)] = [
            (.crop(x: 1, y: 0, width: 2, height: 2), "GB\nW1"),
            (.crop(x: 0, y: 0, width: 3, height: 2), "RGB\nKW1"),
            (.crop(x: -1, y: -1, width: 5, height: 4), ".....\n.RGB.\n.KW1.\n....."),
            (.crop(x: 2, y: 1, width: 2, height: 1), "1."),
            (.crop(x: 10, y: -10, width: 2, height: 1), ".."),
            (.crop(x: -1, y: -1, width: 5, height: 4, outside: .clamped), "RRGBB\nRRGBB\nKKW11\nKKW11"),
            (.crop(x: 10, y: -10, width: 2, height: 1, outside: .clamped), "BB"),
            (.crop(x: 1, y: 0, width: 1, height: 2, outside: .clamped), "G\nW"),
            (.crop(x: -1, y: -1, width: 3, height: 2, outside: .intersected), "RG"),
            (.crop(x: 1, y: 1, width: 1_000_000, height: 1_000_000, outside: .intersected), "W1"),
            (.crop(x: 0.5, y: 0.49, width: 1.5, height: 1.4), "GB"),
            (.crop(x: -0.5, y: 0, width: 0.2, height: 0.2), "R"),
        ]
        for (crop, wanted) in table {
            let result = try crop.apply(to: picture, in: context)
            #expect(TextPicture(result) == wanted, "\(crop)")
            #expect(try crop.resultSize(of: picture.size, in: context) == result.size)
            #expect(result.keepsItsWord)
        }
    }

    @Test("An image stays opaque where nothing is added")
    func alpha() throws {
        let context = try EffectContext()
        let picture = try TextPicture("RGB\nKW1").bitmap()
        let within = Effects.Crop(x: 1, y: 0, width: 2, height: 2)
        #expect(try within.apply(to: picture, in: context).alpha == AlphaMode.none)
        let beyond = Effects.Crop(x: 1, y: 0, width: 3, height: 2)
        #expect(try beyond.apply(to: picture, in: context).alpha == .premultiplied)
        let clamped = Effects.Crop(x: 1, y: 0, width: 3, height: 2, outside: .clamped)
        #expect(try clamped.apply(to: picture, in: context).alpha == AlphaMode.none)
    }

    @Test("A crop of a crop is one crop")
    func composition() throws {
        var noise = Noise(31)
        let context = try EffectContext()
        for _ in 0..<100 {
            let picture = try noise.picture(noise.whole(1...30), noise.whole(1...30))
            let (x, y) = (noise.whole(-5...20), noise.whole(-5...20))
            let (width, height) = (noise.whole(1...30), noise.whole(1...30))
            let outer = Effects.Crop(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
            let (dx, dy) = (noise.whole(0...width - 1), noise.whole(0...height - 1))
            let (w, h) = (noise.whole(1...width - dx), noise.whole(1...height - dy))
            let inner = Effects.Crop(x: Double(dx), y: Double(dy), width: Double(w), height: Double(h))
            let once = Effects.Crop(x: Double(x + dx), y: Double(y + dy), width: Double(w), height: Double(h))
            let twice = try inner.apply(to: outer.apply(to: picture, in: context), in: context)
            #expect(twice.tightBytes() == (try once.apply(to: picture, in: context)).tightBytes())
        }
    }

    @Test("Lengths are in points at the image's scale")
    func scale() throws {
        let picture = try TextPicture("RGBK\nRGBK").bitmap()
        let crop = Effects.Crop(x: 0.5, y: 0, width: 1, height: 0.5)
        #expect(TextPicture(try crop.apply(to: picture, in: EffectContext(scale: 2))) == "GB")
    }

    @Test("Invalid rectangles are refused")
    func refusals() throws {
        let context = try EffectContext()
        let size = PixelSize(width: 10, height: 10)
        let table: [(Effects.Crop, ImageError.Code)] = [
            (.crop(x: 0, y: 0, width: 0, height: 1), .invalidParameter),
            (.crop(x: 0, y: 0, width: 1, height: -1), .invalidParameter),
            (.crop(x: 0, y: 0, width: .nan, height: 1), .invalidParameter),
            (.crop(x: .nan, y: 0, width: 1, height: 1), .invalidParameter),
            (.crop(x: 0, y: -.infinity, width: 1, height: 1), .invalidParameter),
            (.crop(x: 1e9, y: 0, width: 1, height: 1), .invalidParameter),
            (.crop(x: 0, y: 0, width: 1e6, height: 1e6), .limitExceeded),
            (.crop(x: 0, y: 0, width: 1e6, height: 1e6, outside: .clamped), .limitExceeded),
            (.crop(x: 10, y: 0, width: 5, height: 5, outside: .intersected), .invalidParameter),
            (.crop(x: -5, y: 0, width: 5, height: 5, outside: .intersected), .invalidParameter),
        ]
        for (crop, code) in table {
            let error = #expect(throws: ImageError.self) { try crop.resultSize(of: size, in: context) }
            #expect(error?.code == code, "\(crop)")
            #expect(throws: ImageError.self) { try crop.placement(of: size, in: context) }
        }
    }
}
