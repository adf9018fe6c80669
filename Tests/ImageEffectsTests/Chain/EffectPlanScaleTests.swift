import ImageEffects
import Raster
import Testing

@Suite("Chains on images of another scale")
struct EffectPlanScaleTests {
    /// An image of 160 × 120 pixels at a scale, in points of another, and the result's size in pixels.
    @Test(
        "An image keeps its size in points",
        arguments: [
            (1, 1, [.cropAndScale(width: 200, height: 200, contentMode: .center)], PixelSize(width: 160, height: 120)),
            (1, 2, [.cropAndScale(width: 200, height: 200, contentMode: .center)], PixelSize(width: 320, height: 240)),
            (2, 2, [.cropAndScale(width: 200, height: 200, contentMode: .center)], PixelSize(width: 160, height: 120)),
            (2, 1, [.cropAndScale(width: 200, height: 200, contentMode: .center)], PixelSize(width: 80, height: 60)),
            (3, 2, [.cropAndScale(width: 200, height: 200, contentMode: .left)], PixelSize(width: 107, height: 80)),
            (1, 2, [.cropAndScale(width: 100, height: 100, contentMode: .topLeft)], PixelSize(width: 200, height: 200)),
            (
                1, 2, [.cropAndScale(width: 100, height: 100, contentMode: .aspectFit)],
                PixelSize(width: 200, height: 150)
            ),
            (1, 2, [.crop(x: 10, y: 10, width: 50, height: 40)], PixelSize(width: 100, height: 80)),
            (1, 2, [.cornerRadius(8)], PixelSize(width: 320, height: 240)),
            (1, 2, [], PixelSize(width: 320, height: 240)),
            (
                1, 2,
                [.scaleToFit(width: 80, height: 80), .cropAndScale(width: 100, height: 100, contentMode: .center)],
                PixelSize(width: 160, height: 120)
            ),
        ] as [(Double, Double, EffectChain, PixelSize)])
    func sizes(_ own: Double, _ counted: Double, _ chain: EffectChain, _ expected: PixelSize) throws {
        var noise = Noise(71)
        let image = Image(deferred: StandInProvider(try noise.picture(160, 120)), scale: own)
        let result = try image.applying(chain, options: EffectOptions(units: .pointsOf(scale: counted)))
        #expect(result.size == expected)
        #expect(result.scale == counted)
    }

    @Test(
        "The pixels are those of the image scaled first, but scaled once",
        arguments: [(1.0, 2.0), (2.0, 1.0), (3.0, 2.0), (1.0, 1.5)])
    func pixels(_ own: Double, _ counted: Double) throws {
        var noise = Noise(72)
        let picture = try noise.smoothPicture(120, 90)
        let options = EffectOptions(units: .pointsOf(scale: counted))
        let natural = PixelSize(
            width: Int((120 * counted / own).rounded()), height: Int((90 * counted / own).rounded()))
        let scaled = Image(try picture.resampled(to: natural), scale: counted)
        for chain in [
            [], [.cropAndScale(width: 30, height: 30, contentMode: .bottomRight)],
            [.crop(x: 5, y: 5, width: 20, height: 15)],
            [.crop(x: 4, y: 4, width: 24, height: 20), .scale(width: 12, height: 10)],
            [.cropAndScale(width: 300, height: 300, contentMode: .center, padToFit: true)],
        ] as [EffectChain] {
            let result = try Image(deferred: StandInProvider(picture), scale: own).applying(chain, options: options)
            let wanted = try scaled.applying(chain, options: options).bitmap()
            #expect(try result.bitmap().size == wanted.size, "\(chain)")
            #expect(try result.bitmap().largestDifference(wanted) <= 12, "\(chain)")
        }
    }

    /// Draws a disc over all of its size, as a vector format does.
    private struct Disc: BitmapProvider {
        let info = BitmapInfo(size: PixelSize(width: 40, height: 20), format: .rgba8)
        var isVector: Bool { true }

        func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
            try plan.validate(for: info.size)
            let part = plan.region ?? PixelRect(info.size)
            let size = plan.targetSize ?? part.size
            var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
            var rows = bitmap.mutableRows
            for y in 0..<size.height {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<size.width {
                    let across = (Double(x) + 0.5) / Double(size.width) * Double(part.width) + Double(part.x) - 20
                    let down = (Double(y) + 0.5) / Double(size.height) * Double(part.height) + Double(part.y) - 10
                    let isInside = across * across / 400 + down * down / 100 < 1
                    row[x] = isInside ? RGBA8(255, 255, 255) : RGBA8(0, 0, 0)
                }
            }
            return bitmap.freeze()
        }
    }

    @Test(
        "A drawing is rendered at the displayed size, with sharp edges",
        arguments: [
            ([.scale(width: 400, height: 200)], 400, 200), ([.scaleToFit(width: 333, height: 333)], 333, 167),
            ([.scaleToFill(width: 333, height: 333)], 333, 333), ([.cover(width: 77, height: 77)], 154, 77),
            ([.crop(x: 3, y: 2, width: 17, height: 9), .scale(width: 123, height: 456)], 123, 456),
            ([.cropAndScale(width: 90, height: 90, contentMode: .aspectFill)], 90, 90),
            ([.cropAndScale(width: 90, height: 90, contentMode: .aspectFit, padToFit: true)], 90, 90),
            ([.scale(width: 13, height: 7)], 13, 7), ([.scale(width: 400, height: 10)], 400, 10),
        ] as [(EffectChain, Int, Int)], [false, true])
    func drawings(_ drawn: (EffectChain, Int, Int), isDecoded: Bool) throws {
        let (chain, width, height) = drawn
        let image = Image(deferred: Disc())
        #expect(image.isVector)
        // What is decoded is made smaller, and drawn again only where it would have to be larger.
        if isDecoded, width > 40 || height > 20 { _ = try image.bitmap() }
        let result = try image.applying(chain).bitmap()
        #expect(result.size == PixelSize(width: width, height: height))
        // Resampling would leave greys at the edges.
        for y in 0..<height { #expect(Set(result.reds(y)).isSubset(of: [0, 255]), "row \(y)") }
    }

    @Test("A drawing at another scale is rendered at that scale")
    func scaledDrawing() throws {
        let options = EffectOptions(units: .pointsOf(scale: 3))
        let result = try Image(deferred: Disc()).applying(.opacity(1), options: options)
        #expect(result.size == PixelSize(width: 120, height: 60))
        #expect(Set(try result.bitmap().reds(3)) == [0, 255])
    }

    @Test(
        "A drawing that would be too large is refused",
        arguments: [
            [.scale(width: 1e6, height: 1e6)],
            // A speck of it, enlarged beyond all measure.
            [.cropAndScale(width: 1e-6, height: 1e6, contentMode: .aspectFill)],
        ] as [EffectChain])
    func tooLarge(_ chain: EffectChain) {
        #expect(throws: ImageError.self) { try Image(deferred: Disc()).applying(chain) }
    }
}

extension Bitmap {
    /// The red of each pixel in a row.
    fileprivate func reds(_ y: Int) -> [UInt8] {
        let row = rows.row(y, as: RGBA8.self)
        return (0..<width).map { row[$0].red }
    }
}
