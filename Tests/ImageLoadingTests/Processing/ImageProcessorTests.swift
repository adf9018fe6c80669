import Foundation
import ImageEffects
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import Testing

@Suite("Processors")
struct ImageProcessorTests {
    private func size(_ processor: some ImageProcessing, of width: Int, _ height: Int, scale: Double = 1) throws
        -> [Int]
    {
        let size = try processor.process(Image(TestPicture.bitmap(width, height), scale: scale)).size
        return [size.width, size.height]
    }

    @Test(
        "Resizing keeps proportions",
        arguments: [
            // Covers the size.
            (.resize(width: 50, height: 50), [100, 50]),
            (.resize(width: 50, height: 50, crop: true), [50, 50]),
            (.resize(width: 50, height: 50, contentMode: .aspectFit), [50, 25]),
            (.resize(width: 50), [50, 25]),
            (.resize(height: 50), [100, 50]),
            // Never larger unless it is allowed.
            (.resize(width: 400, height: 400), [200, 100]),
            (.resize(width: 400, height: 50), [200, 100]),
            // Cropped, it has the proportions of the size nevertheless.
            (.resize(width: 400, height: 50, crop: true), [200, 25]),
            (.resize(width: 400, height: 400, crop: true), [100, 100]),
            (.resize(width: 50, height: 400, crop: true), [13, 100]),
            (.resize(width: 400, height: 200, crop: true), [200, 100]),
            (.resize(width: 200, height: 100, crop: true), [200, 100]),
            (.resize(width: 100, height: 100, crop: true), [100, 100]),
            (.resize(width: 9000, height: 1, crop: true), [200, 1]),
            (.resize(width: 400, height: 400, contentMode: .aspectFit), [200, 100]),
            (.resize(width: 400), [200, 100]),
            (.resize(height: 400), [200, 100]),
            (.resize(width: 400, height: 400, upscale: true), [800, 400]),
            (.resize(width: 400, height: 400, crop: true, upscale: true), [400, 400]),
            (.resize(width: 400, height: 400, contentMode: .aspectFit, upscale: true), [400, 200]),
            (.resize(width: 400, upscale: true), [400, 200]),
            (.resize(height: 400, upscale: true), [800, 400]),
            (.resize(width: 1, unit: .pixels), [1, 1]),
        ] as [(ImageProcessors.Resize, [Int])])
    func resizingKeepsProportions(processor: ImageProcessors.Resize, expected: [Int]) throws {
        #expect(try size(processor, of: 200, 100) == expected)
    }

    @Test("A width alone doesn't limit the height")
    func aWidthAloneSetsNoLimitToTheHeight() throws {
        #expect(try size(.resize(width: 10, upscale: true), of: 1, 1200) == [10, 12000])
    }

    @Test("Points are pixels times the scale")
    func pointsArePixelsTimesTheScale() throws {
        #expect(try size(.resize(width: 20), of: 200, 100, scale: 2) == [40, 20])
        #expect(try size(.resize(width: 20, unit: .pixels), of: 200, 100, scale: 2) == [20, 10])
        let image = try ImageProcessors.Resize(width: 20).process(Image(TestPicture.bitmap(200, 100), scale: 2))
        #expect(image.scale == 2)
    }

    @Test("An empty size is refused", arguments: [0, -5, .nan, .infinity, -.infinity] as [Double], [false, true])
    func aSizeThatIsNoneIsRefused(side: Double, isEnlarged: Bool) throws {
        let image = Image(try TestPicture.bitmap(8, 8))
        let processors: [ImageProcessors.Resize] = [
            .resize(width: side, upscale: isEnlarged), .resize(height: side, upscale: isEnlarged),
            .resize(width: side, height: 5, upscale: isEnlarged), .resize(width: 5, height: side, upscale: isEnlarged),
            .resize(width: side, height: 5, crop: true, upscale: isEnlarged),
            .resize(width: 5, height: side, contentMode: .aspectFit, upscale: isEnlarged),
        ]
        for processor in processors {
            let error = #expect(throws: ImageError.self) { try processor.process(image) }
            #expect(error?.code == .invalidParameter)
        }
    }

    /// Remembers what was asked of it.
    private final class Spy: BitmapProvider {
        let info = BitmapInfo(size: PixelSize(width: 800, height: 600), format: .rgba8)
        let plans = Mutex<[DecodingPlan]>([])
        func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
            plans.withLock { $0.append(plan) }
            var info = info
            info.size = plan.targetSize ?? info.size
            return try MutableBitmap(info).freeze()
        }
    }

    @Test("A deferred image is decoded at the smaller size")
    func aDeferredPictureIsDecodedSmall() throws {
        for processor in [.resize(width: 80), .effects(.scaleToFit(width: 80, height: 80))] as [any ImageProcessing] {
            let spy = Spy()
            #expect(try processor.process(Image(deferred: spy)).size == PixelSize(width: 80, height: 60))
            #expect(spy.plans.withLock { $0 } == [DecodingPlan(targetSize: PixelSize(width: 80, height: 60))])
        }
        let spy = Spy()
        #expect(try !ImageProcessors.Resize(width: 900).process(Image(deferred: spy)).isDecoded)
        #expect(spy.plans.withLock { $0 }.isEmpty)
    }

    @Test("A circle is cut out of the centre")
    func aCircleIsCutOutOfTheMiddle() throws {
        let image = Image(try TestPicture.bitmap(60, 40), scale: 2)
        let circle = try ImageProcessors.Circle().process(image).bitmap()
        #expect(circle.size == PixelSize(width: 40, height: 40))
        #expect(circle.pixel(0, 0).alpha == 0)
        #expect(circle.pixel(20, 20) == (try image.bitmap().pixel(30, 20)))
        let red = RGBA8(255, 0, 0)
        let points = try ImageProcessors.Circle(border: .init(color: red, width: 3)).process(image).bitmap()
        #expect(points.pixel(20, 2) == red && points.pixel(20, 5) == red && points.pixel(20, 7) != red)
        let pixels = try ImageProcessors.Circle(border: .init(color: red, width: 3, unit: .pixels)).process(image)
            .bitmap()
        #expect(pixels.pixel(20, 2) == red && pixels.pixel(20, 3) != red && pixels.pixel(0, 0).alpha == 0)
    }

    @Test("Corners are rounded")
    func cornersAreRounded() throws {
        let image = Image(try TestPicture.bitmap(60, 40), scale: 2)
        for (processor, inside) in [
            (.roundedCorners(radius: 8, unit: .pixels), 3), (.roundedCorners(radius: 8), 6),
        ] as [(ImageProcessors.RoundedCorners, Int)] {
            let round = try processor.process(image).bitmap()
            #expect(round.size == PixelSize(width: 60, height: 40) && round.pixel(0, 0).alpha == 0)
            #expect(round.pixel(inside, inside) == (try image.bitmap().pixel(inside, inside)))
        }
        #expect(try ImageProcessors.RoundedCorners(radius: 8).process(image).bitmap().pixel(3, 3).alpha < 255)
        let border = ImageProcessingOptions.Border(color: RGBA8(0, 255, 0), unit: .pixels)
        let line = try ImageProcessors.RoundedCorners(radius: 8, border: border).process(image).bitmap()
        #expect(line.pixel(30, 0) == RGBA8(0, 255, 0) && line.pixel(30, 1) != RGBA8(0, 255, 0))
        #expect(throws: ImageError.self) { try ImageProcessors.RoundedCorners(radius: -1).process(image) }
    }

    @Test("A blur's radius is in pixels")
    func blurringCountsPixels() throws {
        let bitmap = try TestPicture.bitmap(40, 40)
        let blurred = try ImageProcessors.GaussianBlur(radius: 3).process(Image(bitmap, scale: 2)).bitmap()
        #expect(blurred.tightBytes() == (try Image(bitmap).applying(.blur(radius: 3)).bitmap().tightBytes()))
        #expect(blurred.tightBytes() != bitmap.tightBytes() && blurred.isOpaque)
    }

    @Test("Processors are composed in order")
    func processorsAreComposedInOrder() throws {
        let context = ImageProcessingContext(request: ImageRequest(url: URL(string: "https://example.com/a")!))
        let composition = ImageProcessors.Composition([
            .resize(width: 20), .circle(), .process(id: "marks") { Image(try $0.bitmap(), scale: 3) },
        ])
        let container = ImageContainer(
            image: Image(try TestPicture.bitmap(40, 20)), type: .png, data: Data([1]), userInfo: ["kept": true])
        let result = try composition.process(container, context: context)
        #expect(result.image.size == PixelSize(width: 10, height: 10) && result.image.scale == 3)
        #expect(result.data == nil && result.type == .png && result.userInfo["kept"] as? Bool == true)
        #expect(try composition.process(container.image).size == result.image.size)
        #expect(try ImageProcessors.Composition([]).process(container, context: context).data == Data([1]))
    }

    static let distinct: [any ImageProcessing] = [
        .resize(width: 20), .resize(height: 20), .resize(width: 20, unit: .pixels), .resize(width: 20, upscale: true),
        .resize(width: 20, height: 20), .resize(width: 20, height: 20, contentMode: .aspectFit),
        .resize(width: 20, height: 20, crop: true), .resize(width: 20.5),
        .circle(), .circle(border: .init(color: RGBA8(1, 2, 3))),
        .circle(border: .init(color: RGBA8(1, 2, 3), width: 2)),
        .circle(border: .init(color: RGBA8(1, 2, 3), unit: .pixels)),
        .roundedCorners(radius: 5), .roundedCorners(radius: 5, unit: .pixels),
        .roundedCorners(radius: 5, border: .init(color: RGBA8(1, 2, 3))),
        .gaussianBlur(), .gaussianBlur(radius: 2),
        .process(id: "a") { $0 }, .process(id: "b") { $0 },
        .effects(.cornerRadius(8)), .effects(.cornerRadius(8), options: EffectOptions(units: .pixels)),
        .effects(.circle, .cornerRadius(8)), .effects([.circle]),
        .composition([]), .composition([.circle()]), .composition([.circle(), .circle()]),
        .composition([.composition([.circle()])]),
    ]

    @Test("Different processors have different identifiers")
    func identitiesTellProcessorsApart() {
        #expect(Set(Self.distinct.map(\.identity)).count == Self.distinct.count)
        #expect(Set(Self.distinct.map(\.identifier)).count == Self.distinct.count)
        #expect(Self.distinct.map(\.identity) == Self.distinct.map(\.identity))
    }

    @Test("Identifiers are the same in every run")
    func identitiesAreTheSameInEveryRun() {
        #expect(ImageProcessors.Resize(width: 20).identifier == "resize(20.0, any, points, aspectFit, false, false)")
        #expect(ImageProcessors.Anonymous(id: "a") { $0 }.identifier == "a")
        #expect(ImageProcessors.Circle().identifier == "circle")
        #expect(ImageProcessors.Composition([.circle()]).identifier == "composition(circle)")
    }

    /// All that a processor has to have.
    private struct Simplest: ImageProcessing {
        let identifier = "org.example.simplest"
        func process(_ image: Image) throws -> Image { image }
    }

    @Test("A processor only needs an identifier")
    func aProcessorNeedsAnIdentifierOnly() throws {
        #expect(Simplest().identity == EffectIdentity("org.example.simplest"))
        let container = ImageContainer(image: Image(try TestPicture.bitmap(2, 2)), data: Data([1]))
        let context = ImageProcessingContext(request: ImageRequest(url: URL(string: "https://example.com/a")!))
        #expect(try Simplest().process(container, context: context).data == nil)
    }
}
