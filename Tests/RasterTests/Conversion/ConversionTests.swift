import Raster
import Testing

@Suite("Pixel format and alpha conversion")
struct ConversionTests {
    static let pairs = PixelFormat.allCases.flatMap { a in PixelFormat.allCases.map { (a, $0) } }
    static let alphas: [AlphaMode] = [.none, .straight, .premultiplied]

    /// The rules of `RowSource.converted`, written down once more with plain integers.
    static func reference(_ source: Bitmap, _ format: PixelFormat, _ alpha: AlphaMode, _ background: RGBA8) -> [Int] {
        let samples = Samples(source)
        let to = BitmapInfo(size: source.size, format: format, alpha: alpha)
        let (from8, to8) = (source.format.bitsPerChannel == 8, format.bitsPerChannel == 8)
        // The depth that alpha is applied at.
        let deep = from8 && (to8 || format.isGray) ? 255 : 65535
        func toDeep(_ v: Int) -> Int { from8 && deep == 65535 ? v * 257 : v }
        func fromDeep(_ v: Int) -> Int {
            if deep == 255 { return to8 ? v : v * 257 }
            return to8 ? (v * 255 + 32767) / 65535 : v
        }
        var result: [Int] = []
        for y in 0..<source.height {
            for x in 0..<source.width {
                var p = samples.pixel(x, y).map(toDeep)
                if p.count == 1 { p = [p[0], p[0], p[0], deep] }
                let a = p[3]
                let b = [background.red, background.green, background.blue].map { Int($0) * (deep / 255) }
                for c in 0..<3 {
                    switch (source.alpha, to.alpha) {
                    case (.straight, .premultiplied): p[c] = (p[c] * a + deep / 2) / deep
                    case (.premultiplied, .straight): p[c] = a == 0 ? 0 : min(deep, (p[c] * deep + a / 2) / a)
                    case (.straight, .none): p[c] = (p[c] * a + b[c] * (deep - a) + deep / 2) / deep
                    case (.premultiplied, .none): p[c] = min(deep, p[c] + (b[c] * (deep - a) + deep / 2) / deep)
                    default: break
                    }
                }
                if source.alpha != .none && to.alpha == .none { p[3] = deep }
                if format.isGray {
                    if source.format.isGray {
                        result.append(fromDeep(p[0]))
                    } else {
                        // Grey of more bits than the colours had is made from widened colours.
                        let wide = deep == 255 && !to8 ? 257 : 1
                        let luma = ((19595 * p[0] + 38470 * p[1] + 7471 * p[2]) * wide + 32768) / 65536
                        result.append(wide == 257 ? luma : fromDeep(luma))
                    }
                } else {
                    result += p.map(fromDeep)
                }
            }
        }
        return result
    }

    @Test("Every format converts to every other, with every alpha mode", arguments: pairs)
    func formats(from: PixelFormat, to: PixelFormat) throws {
        let background = RGBA8(10, 200, 77, 3)
        for fromAlpha in from.isGray ? [.none] : Self.alphas {
            let source = try noisePicture(67, 9, from, fromAlpha)
            for toAlpha in Self.alphas {
                let result = try source.converted(to: to, alpha: toAlpha, background: background)
                #expect(result.format == to)
                #expect(result.alpha == (to.isGray ? .none : toAlpha))
                #expect(
                    Samples(result).values == Self.reference(source, to, toAlpha, background),
                    "\(from) \(fromAlpha) to \(to) \(toAlpha)")
                let streamed = try StingySource(source, rowCount: 2)
                    .converted(to: to, alpha: toAlpha, background: background).makeBitmap()
                #expect(streamed.tightBytes() == result.tightBytes())
                #expect(streamed.info == result.info)
            }
        }
    }

    @Test("Premultiplying is exact for every colour and alpha, and is undone within alpha's resolution")
    func everyPair() throws {
        let info = BitmapInfo(size: PixelSize(width: 256, height: 256), format: .rgba8, alpha: .straight)
        let values = (0..<65536).flatMap { [$0 & 255, 255 - $0 & 255, $0 & 255, $0 >> 8] }
        let straight = try Samples(size: info.size, channelCount: 4, values: values).makeBitmap(info)
        let premultiplied = try straight.converted(alpha: .premultiplied)
        #expect(Samples(premultiplied).values == Self.reference(straight, .rgba8, .premultiplied, RGBA8(0, 0, 0)))
        let back = try premultiplied.converted(alpha: .straight)
        #expect(Samples(back).values == Self.reference(premultiplied, .rgba8, .straight, RGBA8(0, 0, 0)))
        let again = try back.converted(alpha: .premultiplied)
        #expect(again.tightBytes() == premultiplied.tightBytes())
    }

    @Test("Unpremultiplying survives colours above their alpha")
    func colorsAboveAlpha() throws {
        let info = BitmapInfo(size: PixelSize(width: 256, height: 256), format: .rgba8, alpha: .premultiplied)
        let values = (0..<65536).flatMap { [$0 & 255, 255 - $0 & 255, $0 & 255, $0 >> 8] }
        let broken = try Samples(size: info.size, channelCount: 4, values: values).makeBitmap(info)
        let black = RGBA8(0, 0, 0)
        #expect(
            Samples(try broken.converted(alpha: .straight)).values == Self.reference(broken, .rgba8, .straight, black))
        let white = RGBA8(255, 255, 255)
        #expect(
            Samples(try broken.converted(alpha: AlphaMode.none)).values == Self.reference(broken, .rgba8, .none, white))
    }

    @Test("Every value of 16 bits is rounded to the nearest of 8")
    func narrowing() throws {
        let info = BitmapInfo(size: PixelSize(width: 65536, height: 1), format: .gray16)
        let all = try Samples(size: info.size, channelCount: 1, values: Array(0..<65536)).makeBitmap(info)
        let expected = (0..<65536).map { ($0 * 255 + 32767) / 65535 }
        #expect(Samples(try all.converted(to: .gray8)).values == expected)
    }

    @Test(
        "Every colour with every alpha is blended over every kind of background", arguments: [0, 1, 127, 128, 254, 255])
    func flattening(level: Int) throws {
        let info = BitmapInfo(size: PixelSize(width: 257, height: 255), format: .rgba8, alpha: .straight)
        let values = (0..<65535).flatMap { [$0 & 255, 255 - $0 & 255, $0 & 255, $0 >> 8] }
        let source = try Samples(size: info.size, channelCount: 4, values: values).makeBitmap(info)
        let background = RGBA8(UInt8(level), UInt8(255 - level), 200)
        let result = try source.converted(alpha: AlphaMode.none, background: background)
        #expect(Samples(result).values == Self.reference(source, .rgba8, .none, background))
    }

    @Test("8 bits to 16 and back is lossless", arguments: [PixelFormat.gray8, .rgba8])
    func widening(format: PixelFormat) throws {
        let source = try noisePicture(300, 3, format, .straight)
        let back = try source.converted(to: format.withBitsPerChannel(16)).converted(to: format)
        #expect(back.tightBytes() == source.tightBytes())
    }

    @Test("A bitmap that needs no conversion is returned")
    func nothingToDo() throws {
        let source = try noisePicture(4, 4, .rgba8, .straight)
        let rows = source.makeRowSource()
        #expect(try rows.converted(to: .rgba8, alpha: .straight) === rows)
        #expect(try source.converted(to: .rgba8).tightBytes() == source.tightBytes())
    }

    @Test("The profile is kept")
    func profile() throws {
        let source = try noisePicture(4, 4, .rgba8, .straight).withMeaning(alpha: .straight, profile: .icc([1, 2]))
        #expect(try source.converted(to: .rgba16, alpha: .premultiplied).profile == .icc([1, 2]))
    }

    @Test("A failing source's error comes after its rows")
    func failure() throws {
        let source = try noisePicture(5, 8, .rgba16, .straight)
        let converted = try StingySource(source, rowCount: 2, failsAfter: 4).converted(to: .rgba8, alpha: .none)
        var target = try MutableBitmap(converted.info)
        var delivered = 0
        #expect(throws: ImageError(.corrupt, "row 4 is damaged")) {
            while true {
                delivered += try target.withMutableRows(delivered..<8) { (rows) throws(ImageError) in
                    try converted.read(into: &rows)
                }
            }
        }
        #expect(delivered == 4)
    }
}
