import Raster
import Testing

/// Scores of pictures against the definition in double precision.
@Suite("SSIMULACRA 2")
struct SSIMULACRA2Tests {
    /// A gradient with edges, and noise of at most `noise` over it.
    private func picture(_ size: PixelSize, _ format: PixelFormat = .rgba8, alpha: AlphaMode = .none, noise: Int) throws
        -> Bitmap
    {
        var random = Noise(UInt64(noise) + 3)
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: format, alpha: alpha))
        bitmap.withMutableRows(0..<size.height) { rows in
            for y in 0..<size.height {
                func value(_ x: Int, _ channel: Int) -> Int {
                    let edge = x / 7 % 2 == y / 9 % 2 ? 40 : 0
                    let grain = noise > 0 ? Int(random.next() % UInt64(noise)) : 0
                    return min(255, (x * (channel + 1) + y * 2) % 180 + edge + grain)
                }
                if format == .rgba8 {
                    var row = rows.row(y, as: RGBA8.self)
                    for x in 0..<size.width {
                        row[x] = RGBA8(
                            UInt8(value(x, 0)), UInt8(value(x, 1)), UInt8(value(x, 2)),
                            alpha.hasAlpha ? UInt8(x * 255 / size.width) : 255)
                    }
                } else {
                    var row = rows.row(y, as: RGBA16.self)
                    for x in 0..<size.width {
                        row[x] = RGBA16(UInt16(value(x, 0) * 250), UInt16(value(x, 1) * 251), UInt16(value(x, 2) * 257))
                    }
                }
            }
        }
        return bitmap.freeze()
    }

    private func score(_ image: Bitmap, _ original: Bitmap) throws -> Double {
        try SSIMULACRA2.score(of: image.makeRowSource(), comparedTo: original.makeRowSource())
    }

    @Test(
        "Scores are those of the definition, at odd sizes, of small images, and of wide ones in parts",
        arguments: [(1, 1), (4, 3), (7, 40), (8, 8), (9, 17), (33, 31), (67, 129), (1201, 20), (1100, 71)])
    func definition(width: Int, height: Int) throws {
        let size = PixelSize(width: width, height: height)
        let original = try picture(size, noise: 0)
        for noise in [1, 3, 12, 80] {
            let image = try picture(size, noise: noise)
            var reference = SSIMULACRA2Reference(original, image, on: 0)
            #expect(abs(try score(image, original) - reference.score) < 0.05)
        }
    }

    @Test("Sixteen bits count")
    func deepPictures() throws {
        let size = PixelSize(width: 70, height: 50)
        let (original, image) = (try picture(size, .rgba16, noise: 0), try picture(size, .rgba16, noise: 5))
        var reference = SSIMULACRA2Reference(original, image, on: 0)
        #expect(abs(try score(image, original) - reference.score) < 0.05)
        #expect(try score(original, original) == 100)
    }

    @Test("Images with alpha have the worse score of those on a dark and on a light background")
    func alpha() throws {
        let size = PixelSize(width: 90, height: 64)
        let original = try picture(size, alpha: .straight, noise: 0)
        for image in [try picture(size, alpha: .straight, noise: 30), try picture(size, noise: 30)] {
            var (dark, light) = (
                SSIMULACRA2Reference(original, image, on: 0.1), SSIMULACRA2Reference(original, image, on: 0.9)
            )
            // Colours multiplied by alpha have eight bits.
            #expect(abs(try score(image, original) - min(dark.score, light.score)) < 0.5)
        }
    }

    @Test("Identical images score 100, and more noise scores less")
    func order() throws {
        let size = PixelSize(width: 200, height: 90)
        let original = try picture(size, noise: 0)
        #expect(try score(original, original) == 100)
        let scores = try [2, 5, 20, 60, 200].map { try score(picture(size, noise: $0), original) }
        #expect(scores == scores.sorted(by: >) && scores[0] < 100)
    }

    @Test("Images of different sizes aren't compared")
    func differentSizes() throws {
        let original = try picture(PixelSize(width: 20, height: 10), noise: 0)
        let turned = try picture(PixelSize(width: 10, height: 20), noise: 0)
        let error = #expect(throws: ImageError.self) { try score(turned, original) }
        #expect(error?.code == .invalidParameter)
    }

    @Test("Rows that end early are an error")
    func truncatedRows() throws {
        let original = try picture(PixelSize(width: 20, height: 30), noise: 0)
        let short = ShortRows(original.info)
        let error = #expect(throws: ImageError.self) {
            try SSIMULACRA2.score(of: short, comparedTo: original.makeRowSource())
        }
        #expect(error?.code == .truncated)
    }

    /// Promises rows, and has none.
    private final class ShortRows: RowSource {
        let info: BitmapInfo
        init(_ info: BitmapInfo) { self.info = info }
        func read(into rows: inout MutablePixelRows) -> Int { 0 }
    }
}
