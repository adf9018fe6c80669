import ImageEffects
import Raster
import Testing

@Suite("Crop and scale: all content modes")
struct CropAndScaleTests {
    static let pictures = [(512, 384), (384, 512), (100, 100), (7, 300), (301, 5), (1, 1), (224, 186)]
    static let bounds: [(Double, Double)] = [(224, 186), (200, 200), (99.5, 51.25), (1, 1), (600, 400), (10, 500)]

    /// Canvas and rectangle by the table in the description of the geometry.
    static func plain(
        _ size: PixelSize, _ w: Double, _ h: Double, _ mode: ContentMode, _ padToFit: Bool
    ) -> (canvas: PixelSize, rect: PixelRect) {
        func whole(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }
        func length(_ value: Double) -> Int { max(1, whole(value)) }
        let (W, H) = (Double(size.width), Double(size.height))
        let factor =
            switch mode {
            case .aspectFit: min(w / W, h / H)
            case .aspectFill: max(w / W, h / H)
            default: 1.0
            }
        let stretches = mode == .scaleToFill || mode == .redraw
        let (rw, rh) = stretches ? (w, h) : (W * factor, H * factor)
        let isLeft = [.left, .topLeft, .bottomLeft].contains(mode)
        let isRight = [.right, .topRight, .bottomRight].contains(mode)
        let isTop = [.top, .topLeft, .topRight].contains(mode)
        let isBottom = [.bottom, .bottomLeft, .bottomRight].contains(mode)
        var x = isLeft ? 0 : whole(isRight ? w - rw : (w - rw) / 2)
        var y = isTop ? 0 : whole(isBottom ? h - rh : (h - rh) / 2)
        var canvas = PixelSize(width: length(w), height: length(h))
        if !padToFit {
            if length(rw) < canvas.width { (canvas.width, x) = (length(rw), 0) }
            if length(rh) < canvas.height { (canvas.height, y) = (length(rh), 0) }
        }
        return (canvas, PixelRect(x: x, y: y, width: length(rw), height: length(rh)))
    }

    @Test("Canvas and position in every mode follow the formula", arguments: ContentMode.allCases, [false, true])
    func geometry(mode: ContentMode, padToFit: Bool) throws {
        let context = try EffectContext()
        for (width, height) in Self.pictures {
            let size = PixelSize(width: width, height: height)
            for (w, h) in Self.bounds {
                let effect = Effects.CropAndScale(width: w, height: h, contentMode: mode, padToFit: padToFit)
                let plain = Self.plain(size, w, h, mode, padToFit)
                #expect(try effect.resultSize(of: size, in: context) == plain.canvas, "\(size) in \(w)x\(h)")
                let placement = try #require(try effect.placement(of: size, in: context))
                #expect(placement == Placement(canvas: plain.canvas, of: size, at: plain.rect), "\(size) in \(w)x\(h)")
            }
        }
    }

    @Test("Pixels in every mode are within 1 of double precision", arguments: ContentMode.allCases, [false, true])
    func pixels(mode: ContentMode, padToFit: Bool) throws {
        var noise = Noise(51)
        for (bits, alpha) in [(8, AlphaMode.premultiplied), (8, .none), (16, .premultiplied)] {
            let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
            for (width, height) in [(12, 9), (9, 14), (1, 1), (30, 4)] {
                let picture = try noise.picture(width, height, bits: bits, alpha: alpha)
                for (w, h) in [(10.0, 10.0), (20, 7), (5, 33)] {
                    let effect = Effects.CropAndScale(width: w, height: h, contentMode: mode, padToFit: padToFit)
                    let result = try effect.apply(to: picture, in: context)
                    #expect(result.keepsItsWord && result.format == picture.format)
                    let plain = Self.plain(picture.size, w, h, mode, padToFit)
                    let wanted = ReferencePicture(picture).drawn(on: plain.canvas, at: plain.rect)
                    #expect(wanted.largestDifference(result) <= 1, "\(picture.size) in \(w)x\(h)")
                    let covers = Placement(canvas: plain.canvas, of: picture.size, at: plain.rect).destination.size
                    if alpha == .none { #expect((result.alpha == .none) == (covers == plain.canvas)) }
                }
            }
        }
    }

    @Test("Results agree with images drawn as text")
    func drawn() throws {
        let context = try EffectContext()
        let picture = try TextPicture("RGB\nCMY\nKW5").bitmap()
        let table: [(ContentMode, Double, Double, Bool, TextPicture)] = [
            (.center, 5, 5, true, ".....\n.RGB.\n.CMY.\n.KW5.\n....."), (.center, 5, 5, false, "RGB\nCMY\nKW5"),
            (.center, 1, 1, true, "M"), (.topLeft, 2, 2, true, "RG\nCM"), (.bottomRight, 2, 2, false, "MY\nW5"),
            (.top, 1, 5, true, "G\nM\nW\n.\n."), (.top, 1, 5, false, "G\nM\nW"), (.bottom, 1, 2, true, "M\nW"),
            (.left, 2, 1, true, "CM"), (.right, 5, 1, true, "..CMY"), (.right, 5, 1, false, "CMY"),
            (.topRight, 2, 4, true, "GB\nMY\nW5\n.."), (.bottomLeft, 4, 4, true, "....\nRGB.\nCMY.\nKW5."),
            (.aspectFit, 5, 3, true, ".RGB.\n.CMY.\n.KW5."), (.aspectFit, 5, 3, false, "RGB\nCMY\nKW5"),
            (.aspectFill, 1, 3, false, "G\nM\nW"), (.scaleToFill, 3, 3, true, "RGB\nCMY\nKW5"),
        ]
        for (mode, w, h, padToFit, wanted) in table {
            let effect = Effects.CropAndScale(width: w, height: h, contentMode: mode, padToFit: padToFit)
            #expect(TextPicture(try effect.apply(to: picture, in: context)) == wanted, "\(effect)")
        }
    }

    @Test("Worked examples: 512x384 in 224x186 and in 200x200")
    func worked() throws {
        let context = try EffectContext()
        let size = PixelSize(width: 512, height: 384)
        #expect(
            try Effects.CropAndScale(width: 224, height: 186).resultSize(of: size, in: context)
                == PixelSize(width: 224, height: 168))
        #expect(
            try Effects.CropAndScale(width: 200, height: 200).resultSize(of: size, in: context)
                == PixelSize(width: 200, height: 150))
    }

    @Test("At a scale of 2, a point is two pixels")
    func scale() throws {
        let context = try EffectContext(scale: 2)
        let size = PixelSize(width: 512, height: 384)
        #expect(
            try Effects.CropAndScale(width: 100, height: 100, contentMode: .center).resultSize(of: size, in: context)
                == PixelSize(width: 200, height: 200))
    }

    @Test("Only the result counts towards the limit, not the part that is cut off")
    func limits() throws {
        let context = try EffectContext(options: EffectOptions(maximumPixelCount: 10_000))
        let large = PixelSize(width: 20_000, height: 20_000)
        for mode in ContentMode.allCases {
            let effect = Effects.CropAndScale(width: 100, height: 100, contentMode: mode)
            #expect(try effect.resultSize(of: large, in: context) == PixelSize(width: 100, height: 100))
        }
        let strip = PixelSize(width: 1 << 20, height: 1)
        let fill = Effects.CropAndScale(width: 100, height: 100, contentMode: .aspectFill)
        #expect(try fill.resultSize(of: strip, in: context) == PixelSize(width: 100, height: 100))
        let tooLarge = Effects.CropAndScale(width: 101, height: 100, contentMode: .aspectFill, padToFit: true)
        let error = #expect(throws: ImageError.self) { try tooLarge.resultSize(of: large, in: context) }
        #expect(error?.code == .limitExceeded)
    }
}
