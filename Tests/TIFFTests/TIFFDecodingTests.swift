#if TIFF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("TIFF: decoding")
struct TIFFDecodingTests {
    typealias Fixture = TIFFFixture
    typealias Page = TIFFFixture.Page

    /// Grey values, of 16 bits, of a picture in one row.
    private func grays(_ page: Page, little: Bool = true, big: Bool = false) throws -> [UInt16] {
        let bitmap = try Fixture.bitmap(TIFFFixture(isLittleEndian: little, isBig: big).file(page))
        #expect(bitmap.format.isGray)
        return stride(from: 0, to: bitmap.samples16.count, by: 4).map { bitmap.samples16[$0] }
    }

    @Test("Bits are black or white by the polarity, in either bit order")
    func bilevel() throws {
        let black = Page(10, 1, photometric: 1, bits: [1], chunks: [[0b1010_0000, 0b0100_0000]])
        let ones: [UInt16] = [65535, 0, 65535, 0, 0, 0, 0, 0, 0, 65535]
        #expect(try grays(black) == ones)
        var white = black
        white.fields[262] = (3, [0])
        #expect(try grays(white) == ones.map { 65535 - $0 })
        var reversed = black
        reversed.fields[266] = (3, [2])
        reversed.chunks = [[0b0000_0101, 0b0000_0010]]
        #expect(try grays(reversed) == ones)
    }

    @Test("Unsigned samples of any width are scaled to white")
    func unsigned() throws {
        func page(_ bits: UInt64, _ bytes: [UInt8], width: Int) -> Page {
            Page(width, 1, photometric: 1, bits: [bits], chunks: [bytes])
        }
        #expect(try grays(page(2, [0b0001_1011], width: 4)) == [0, 21845, 43690, 65535])
        #expect(try grays(page(4, [0x0F, 0x70], width: 3)) == [0, 65535, 7 * 4369])
        #expect(try grays(page(8, [0, 1, 255], width: 3)) == [0, 257, 65535])
        #expect(try grays(page(12, [0xFF, 0xF0, 0x01, 0x80, 0x00], width: 3)) == [65535, 16, 32776])
        #expect(try grays(page(16, [0x34, 0x12, 0xFF, 0xFF], width: 2)) == [0x1234, 65535])
        #expect(try grays(page(16, [0x12, 0x34, 0xFF, 0xFF], width: 2), little: false) == [0x1234, 65535])
        #expect(try grays(page(24, [0, 0, 0x80, 255, 255, 255], width: 2)) == [32768, 65535])
        #expect(try grays(page(24, [0x80, 0, 0, 255, 255, 255], width: 2), little: false) == [32768, 65535])
        #expect(try grays(page(32, [0, 0, 0, 0x80, 255, 255, 255, 255], width: 2)) == [32768, 65535])
    }

    @Test("Signed samples up to 0 are black, but 8-bit ones are taken for unsigned")
    func signed() throws {
        func page(_ bits: UInt64, _ bytes: [UInt8], width: Int) -> Page {
            Page(width, 1, photometric: 1, bits: [bits], more: [339: (3, [2])], chunks: [bytes])
        }
        #expect(try grays(page(8, [0x80, 0xFF, 0, 127], width: 4)) == [128 * 257, 65535, 0, 127 * 257])
        #expect(try grays(page(16, [0, 0x80, 0xFF, 0x7F, 0, 0x40], width: 3)) == [0, 65535, 32769])
        #expect(try grays(page(32, [0, 0, 0, 0x80, 255, 255, 255, 0x7F], width: 2)) == [0, 65535])
    }

    @Test(
        "The preview of a camera's raw file is decoded only on request", arguments: [false, true])
    func preview(isDNG: Bool) throws {
        var preview = Page(
            4, 3, photometric: 2, bits: [8, 8, 8], more: [254: (4, [1])], chunks: [[UInt8](repeating: 9, count: 36)])
        if isDNG { preview.fields[50706] = (1, [1, 4, 0, 0]) }
        let raw = Page(
            16, 12, photometric: 32803, bits: [16], more: [254: (4, [0])], chunks: [[UInt8](repeating: 1, count: 384)])
        preview.children = [330: [raw]]
        let file = TIFFFixture().file(preview)
        let error = try #require(throws: ImageError.self) { try TIFFFixture.decode(file) }
        #expect(error.code == .unsupported && error.message.contains("16x12") && error.message.contains("4x3"))
        #expect(error.message.contains("DNG") == isDNG)
        #expect(try TIFFFixture.bitmap(file, page: 0).size == PixelSize(width: 4, height: 3))
        // A page with smaller forms of itself is one, and so is one that is reduced by its own word alone.
        (preview.fields[254], preview.children) = ((4, [0]), [330: [raw]])
        #expect(try TIFFFixture.bitmap(TIFFFixture().file(preview)).size == PixelSize(width: 4, height: 3))
        (preview.fields[254], preview.children) = ((4, [1]), [:])
        #expect(try TIFFFixture.bitmap(TIFFFixture().file(preview)).size == PixelSize(width: 4, height: 3))
    }

    @Test("Floating-point samples are black at 0 and white at 1")
    func float() throws {
        func page(_ bits: UInt64, _ values: [UInt64]) -> Page {
            let bytes = values.flatMap { TIFFFixture().number($0, Int(bits) / 8) }
            return Page(values.count, 1, photometric: 1, bits: [bits], more: [339: (3, [3])], chunks: [bytes])
        }
        let expected: [UInt16] = [0, 32768, 65535, 65535, 0, 0, 65535]
        let values: [Double] = [0, 0.5, 1, 7, -1, .nan, .infinity]
        #expect(try grays(page(64, values.map(\.bitPattern))) == expected)
        #expect(try grays(page(32, values.map { UInt64(Float($0).bitPattern) })) == expected)
        // 0, 0.5, 1, 7, -1, not a number, infinity; the smallest normal one and a quarter of it come to 4 and 1.
        let halves: [UInt64] = [0, 0x3800, 0x3C00, 0x4700, 0xBC00, 0x7E00, 0x7C00, 0x0400, 0x0100]
        #expect(try grays(page(16, halves)) == expected + [4, 1])
        let triples: [UInt64] = [0, 0x3E0000, 0x3F0000, 0x41C000, 0xBF0000, 0x7F8000, 0x7F0000]
        #expect(try grays(page(24, triples)) == expected)
    }

    @Test("A palette gives the upper 8 of its 16 bits")
    func palette() throws {
        var colors = [UInt64](repeating: 0, count: 48)
        (colors[1], colors[17], colors[33]) = (0xFFFF, 0x80FF, 0x1200)
        let page = Page(2, 1, photometric: 3, bits: [4], more: [320: (3, colors)], chunks: [[0x10]])
        let bitmap = try Fixture.bitmap(TIFFFixture().file(page))
        #expect(bitmap.format == .rgba8)
        #expect(bitmap.tightBytes() == [255, 0x80, 0x12, 255, 0, 0, 0, 255])
        // Written by a program that had eight bits in mind.
        (colors[1], colors[17], colors[33]) = (255, 128, 18)
        var old = page
        old.fields[320] = (3, colors)
        #expect(try Fixture.bitmap(TIFFFixture().file(old)).tightBytes() == bitmap.tightBytes())
    }

    static let alphas: [(extra: [UInt64]?, expected: [UInt8])] = [
        ([2], [100, 50, 0, 128]), ([1], [199, 100, 0, 128]), ([0], [100, 50, 0, 255]), (nil, [100, 50, 0, 128]),
    ]

    @Test("Alpha becomes straight", arguments: alphas)
    func alpha(extra: [UInt64]?, expected: [UInt8]) throws {
        var page = Page(1, 1, photometric: 2, bits: [8, 8, 8, 8], chunks: [[100, 50, 0, 128]])
        if let extra { page.fields[338] = (3, extra) }
        let file = TIFFFixture().file(page)
        let bitmap = try Fixture.bitmap(file)
        #expect(bitmap.tightBytes() == expected)
        #expect(bitmap.alpha == (extra == [0] ? .none : .straight))
        let header = try Fixture.decode(file).header
        #expect(header.hasAlpha == (extra != [0]))
    }

    @Test("16-bit associated alpha is unpremultiplied with rounding")
    func associated() throws {
        let samples: [UInt64] = [10000, 20000, 30000, 40000, 5, 0, 9, 0, 65535, 1, 2, 3]
        let page = Page(
            3, 1, photometric: 2, bits: [16, 16, 16, 16], more: [338: (3, [1])],
            chunks: [samples.flatMap { TIFFFixture().number($0, 2) }])
        let bitmap = try Fixture.bitmap(TIFFFixture().file(page))
        // Colours of what is transparent are gone, and what exceeds its alpha is white.
        #expect(bitmap.samples16 == [16384, 32768, 49151, 40000, 0, 0, 0, 0, 65535, 21845, 43690, 3])
    }

    @Test("CMYK becomes RGB by the plain formula")
    func inks() throws {
        let page = Page(2, 1, photometric: 5, bits: [8, 8, 8, 8], chunks: [[0, 255, 100, 51, 0, 0, 0, 0]])
        let decoded = try Fixture.decode(TIFFFixture().file(page))
        #expect(decoded.header.colorModel == .cmyk)
        #expect(decoded.bitmap.tightBytes() == [204, 0, 124, 255, 255, 255, 255, 255])
        let converted = try Fixture.bitmap(TIFFFixture().file(page), color: .sRGB)
        #expect(converted.tightBytes() == decoded.bitmap.tightBytes())
    }

    @Test("L*a*b* greys are sRGB greys, in every form")
    func lab() throws {
        // L* of 100, 0, and 53.585, which is sRGB's 128; red is (54.29, 80.81, 69.89) under D50.
        let forms: [(UInt64, UInt64, [UInt64])] = [
            (8, 8, [255, 0, 0, 0, 0, 0, 137, 0, 0, 138, 81, 70]),
            (9, 8, [255, 128, 128, 0, 128, 128, 137, 128, 128, 138, 209, 198]),
            (8, 16, [65535, 0, 0, 0, 0, 0, 35117, 0, 0, 35579, 20687, 17892]),
            (9, 16, [65280, 32768, 32768, 0, 32768, 32768, 34980, 32768, 32768, 35440, 53455, 50660]),
        ]
        for (photometric, bits, samples) in forms {
            let page = Page(
                4, 1, photometric: photometric, bits: [bits, bits, bits],
                chunks: [samples.flatMap { TIFFFixture().number($0, Int(bits) / 8) }])
            let bitmap = try Fixture.bitmap(TIFFFixture().file(page), bits: 8)
            let expected: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 255, 128, 128, 128, 255, 255, 0, 0, 255]
            let differences = zip(bitmap.tightBytes(), expected).map { abs(Int($0) - Int($1)) }
            #expect(differences.max()! <= (bits == 8 ? 4 : 1), "\(photometric) \(bits): \(bitmap.tightBytes())")
        }
    }

    // MARK: Layouts

    /// A picture of 5 × 7 pixels whose red says the column, green the row and blue both.
    private static func color(_ x: Int, _ y: Int) -> [UInt8] { [UInt8(20 * x), UInt8(30 * y), UInt8(x * 7 + y)] }

    private static var pixels: [UInt8] {
        (0..<7).flatMap { y in (0..<5).flatMap { x in color(x, y) + [255] } }
    }

    /// The same picture in strips or tiles, contiguous or planar.
    static let layouts: [String: Page] = {
        let bits: [UInt64] = [8, 8, 8]
        func rows(_ range: Range<Int>, _ sample: Int? = nil) -> [UInt8] {
            range.flatMap { y in (0..<5).flatMap { x in sample.map { [color(x, y)[$0]] } ?? color(x, y) } }
        }
        func tile(_ left: Int, _ top: Int, _ sample: Int? = nil) -> [UInt8] {
            (top..<(top + 16)).flatMap { y in
                (left..<(left + 16)).flatMap { x -> [UInt8] in
                    let pixel = x < 5 && y < 7 ? color(x, y) : [99, 99, 99]
                    return sample.map { [pixel[$0]] } ?? pixel
                }
            }
        }
        let strips: [Int: TIFFFixture.Field] = [278: (3, [3])]
        let planarStrips = strips.merging([284: (3, [2])]) { $1 }
        let tiles: [Int: TIFFFixture.Field] = [322: (3, [16]), 323: (3, [16])]
        let planarTiles = tiles.merging([284: (3, [2])]) { $1 }
        func page(_ more: [Int: TIFFFixture.Field], _ chunks: [[UInt8]]) -> Page {
            Page(5, 7, photometric: 2, bits: bits, more: more, chunks: chunks)
        }
        // PackBits: a run of literals for each row of 15 bytes.
        let packed: [[UInt8]] = [0..<3, 3..<6, 6..<7].map { range -> [UInt8] in
            range.flatMap { y -> [UInt8] in [14] + rows(y..<(y + 1)) }
        }
        return [
            "strips": page(strips, [rows(0..<3), rows(3..<6), rows(6..<7)]),
            "planar strips": page(
                planarStrips,
                (0..<3).flatMap { sample -> [[UInt8]] in
                    [rows(0..<3, sample), rows(3..<6, sample), rows(6..<7, sample)]
                }),
            "one strip": page([:], [rows(0..<7)]),
            "PackBits": page(strips.merging([259: (3, [32773])]) { $1 }, packed),
            "tiles": page(tiles, [tile(0, 0)]),
            "planar tiles": page(planarTiles, (0..<3).map { tile(0, 0, $0) }),
        ]
    }()

    @Test("Strips, tiles and planes give the same image", arguments: layouts.keys.sorted())
    func layout(name: String) throws {
        for (isLittleEndian, isBig) in [(true, false), (false, false), (true, true), (false, true)] {
            let file = TIFFFixture(isLittleEndian: isLittleEndian, isBig: isBig).file(Self.layouts[name]!)
            #expect(try Fixture.bitmap(file).tightBytes() == Self.pixels)
        }
    }

    @Test("A region is the crop of the whole", arguments: layouts.keys.sorted())
    func regions(name: String) throws {
        let file = TIFFFixture().file(Self.layouts[name]!)
        let whole = try Fixture.bitmap(file)
        for region in [
            PixelRect(x: 1, y: 2, width: 3, height: 4), PixelRect(x: 4, y: 6, width: 1, height: 1),
            PixelRect(x: 0, y: 3, width: 5, height: 1),
        ] {
            let part = try Fixture.bitmap(file, plan: DecodingPlan(region: region))
            #expect(part.tightBytes() == (try whole.cropped(to: region)).tightBytes())
        }
    }

    @Test("Strips and tiles outside of a region are not read")
    func untouched() throws {
        var page = Self.layouts["PackBits"]!
        (page.chunks[0], page.chunks[2]) = ([0x7F], [0x7F])
        let file = TIFFFixture().file(page)
        let region = PixelRect(x: 0, y: 3, width: 5, height: 3)
        let part = try Fixture.bitmap(file, plan: DecodingPlan(region: region))
        #expect(part.tightBytes() == Array(Self.pixels[60..<120]))
        #expect(errorCode { if let error = try Fixture.decode(file).error { throw error } } == .corrupt)
    }

    @Test("A large strip is read a few rows at a time, up to its damage")
    func largeStrip() throws {
        // PackBits: sixteen runs of 128 in each of 1024 rows.
        func row(_ y: Int) -> [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: y + 3 * $0) } }
        var packed: [UInt8] = (0..<1024).flatMap { y -> [UInt8] in
            row(y).flatMap { value -> [UInt8] in [0x81, value] }
        }
        func file() -> [UInt8] {
            TIFFFixture().file(
                Page(2048, 1024, photometric: 1, more: [259: (3, [32773])], chunks: [packed]))
        }
        let whole = try Fixture.bitmap(file())
        for y in [0, 1, 127, 128, 500, 1023] {
            let values = stride(from: 0, to: 2048, by: 128).map { whole.rows.row(y, as: Gray8.self)[$0 + 127].value }
            #expect(values == row(y))
        }
        let region = PixelRect(x: 100, y: 300, width: 900, height: 400)
        let part = try Fixture.bitmap(file(), plan: DecodingPlan(region: region))
        #expect(part.tightBytes() == (try whole.cropped(to: region)).tightBytes())
        // What is behind the region is nobody's business.
        packed.removeLast(32 * 200)
        #expect(try Fixture.bitmap(file(), plan: DecodingPlan(region: region)).tightBytes() == part.tightBytes())
        let damaged = try Fixture.decode(file())
        #expect(damaged.error != nil)
        #expect(damaged.bitmap.rows.row(823, as: Gray8.self)[0].value == row(823)[0])
    }

    // MARK: Pages

    private static func gray(_ size: Int, _ value: UInt8, _ more: [Int: TIFFFixture.Field] = [:]) -> Page {
        Page(
            size, size, photometric: 1, more: more, chunks: [[UInt8](repeating: value, count: size * size)])
    }

    @Test("A large blank page in fax codes is decoded")
    func blankFaxPage() throws {
        // Group 4: one bit for a white row, and two end-of-line codes (ITU-T T.6).
        let (width, height) = (10_000, 8000)
        let codes = [UInt8](repeating: 0xFF, count: height / 8) + [0x00, 0x10, 0x01]
        let file = TIFFFixture().file(
            Page(width, height, photometric: 0, bits: [1], more: [259: (3, [4])], chunks: [codes]))
        #expect(width * height / file.count > 60_000)
        let plan = DecodingPlan(targetSize: PixelSize(width: 10, height: 8))
        #expect(try Fixture.bitmap(file, plan: plan).tightBytes().allSatisfy { $0 == 255 })
    }

    @Test("Every directory is a page by its index")
    func pages() throws {
        let file = TIFFFixture().file([Self.gray(4, 1), Self.gray(2, 2, [254: (4, [1])]), Self.gray(3, 3)])
        for (page, size, value) in [(nil, 4, 1), (0, 4, 1), (1, 2, 2), (2, 3, 3)] as [(Int?, Int, UInt8)] {
            let decoded = try Fixture.decode(file, page: page)
            #expect(decoded.header.sequence == ImageSequence(.pages, count: 3))
            #expect(decoded.bitmap.width == size && decoded.bitmap.tightBytes().allSatisfy { $0 == value })
        }
        for page in [3, -1] { #expect(errorCode { try Fixture.decode(file, page: page) } == .invalidParameter) }
        #expect(try Fixture.decode(TIFFFixture().file(Self.gray(4, 1))).header.sequence == nil)
    }

    @Test("A cycle of directories ends")
    func loop() throws {
        let file = TIFFFixture().file([Self.gray(4, 1), Self.gray(3, 2)], last: 8)
        #expect(try Fixture.decode(file, page: 1).header.sequence?.count == 2)
        let beyond = TIFFFixture().file([Self.gray(4, 1), Self.gray(3, 2)], last: 1 << 30)
        #expect(try Fixture.decode(beyond, page: 1).header.sequence?.count == 2)
    }

    @Test("Reduced images are used for small sizes", arguments: ["sub-directories", "pages", "tiles"])
    func pyramid(kind: String) throws {
        let (half, quarter) = (Self.gray(8, 2, [254: (4, [1])]), Self.gray(4, 3, [254: (4, [1])]))
        var main = Self.gray(16, 1)
        var file: [UInt8]
        switch kind {
        case "sub-directories":
            main.children = [330: [half, Self.gray(7, 9, [254: (4, [1])]), quarter]]
            file = TIFFFixture().file([main, Self.gray(8, 8)])
        case "pages":
            file = TIFFFixture().file([main, half, quarter, Self.gray(2, 7)])
        default:
            func tiled(_ size: Int, _ value: UInt8) -> Page {
                Page(
                    size, size, photometric: 1, more: [322: (3, [16]), 323: (3, [16])],
                    chunks: [[UInt8](repeating: value, count: 256)])
            }
            file = TIFFFixture().file([tiled(16, 1), tiled(8, 2), tiled(4, 3)])
        }
        func decode(_ target: Int, region: PixelRect? = nil) throws -> (Int, UInt8) {
            let plan = DecodingPlan(region: region, targetSize: PixelSize(width: target, height: target))
            let bitmap = try Fixture.bitmap(file, plan: plan)
            return (bitmap.width, bitmap.tightBytes()[0])
        }
        for (target, size, value) in [(16, 16, 1), (5, 16, 1), (4, 8, 2), (3, 8, 2), (2, 4, 3), (1, 4, 3)] {
            #expect(try decode(target) == (size, UInt8(value)))
        }
        // A quarter of the picture at half its size; and one that has no whole pixels at that size.
        #expect(try decode(2, region: PixelRect(x: 8, y: 0, width: 8, height: 8)) == (4, 2))
        #expect(try decode(2, region: PixelRect(x: 1, y: 1, width: 5, height: 5)) == (5, 1))
    }

    @Test("Pages of half the size without the reduced flag are pages")
    func halfPages() throws {
        let file = TIFFFixture().file([Self.gray(16, 1), Self.gray(8, 2)])
        let plan = DecodingPlan(targetSize: PixelSize(width: 4, height: 4))
        #expect(try Fixture.bitmap(file, plan: plan).width == 16)
    }
}
#endif
