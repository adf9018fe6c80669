import ImageFormats
import ImageFormatsTestSupport
import Raster
import Synchronization
import TestSupport
import Testing

@Suite("Thumbnails in one call")
struct ImageThumbnailTests {
    @Test(
        "A plan with a box decodes no larger than what fits it",
        arguments: [
            // A portrait in a landscape box: the box as a target would be decoded in full.
            (
                PixelSize(width: 600, height: 800), PixelSize(width: 160, height: 120),
                PixelSize(width: 300, height: 400)
            ),
            (
                PixelSize(width: 800, height: 600), PixelSize(width: 120, height: 160),
                PixelSize(width: 400, height: 300)
            ),
            (PixelSize(width: 600, height: 800), PixelSize(width: 75, height: 100), PixelSize(width: 150, height: 200)),
            // An eighth.
            (PixelSize(width: 800, height: 400), PixelSize(width: 50, height: 900), PixelSize(width: 100, height: 50)),
            // Never larger than the image.
            (PixelSize(width: 60, height: 80), PixelSize(width: 600, height: 600), PixelSize(width: 60, height: 80)),
        ] as [(PixelSize, PixelSize, PixelSize)])
    func decodedPixels(size: PixelSize, box: PixelSize, decoded: PixelSize) throws {
        let file = try ImageDestination(format: .jpeg).encode(Bitmap.grainy(size))
        #expect(try ImageRowSource(Source(file), plan: DecodingPlan(fitting: box)).info.size == decoded)
        #expect(try ImageSource.decode(file, plan: DecodingPlan(fitting: box)).bitmap.size == decoded)
        // The thumbnail asks its decoder for the same: its pixels are those of the small decode.
        let rows = try ImageRowSource(Source(file), plan: DecodingPlan(fitting: box))
        let target = size.fitted(within: box)
        let expected = try ResamplingRowSource(rows, to: target).makeBitmap()
        #expect(try Image(data: file).thumbnail(fitting: box).bitmap().tightBytes() == expected.tightBytes())
    }

    @Test("As many pixels are decoded for every orientation", arguments: Orientation.allCases)
    func orientedPixels(_ orientation: Orientation) throws {
        let options = EncodingOptions(metadata: ImageMetadata(orientation: orientation))
        let file = try ImageDestination(format: .jpeg, options: options)
            .encode(Bitmap.grainy(PixelSize(width: 600, height: 800)))
        let size = orientation.applied(to: PixelSize(width: 600, height: 800))
        let box = PixelSize(width: 160, height: 120)
        let decoded = try ImageRowSource(Source(file), plan: DecodingPlan(fitting: box)).info.size
        // 90x120 takes a half, 160x120 a quarter's 200x150 is too small for.
        #expect(
            decoded
                == (orientation.swapsSides
                    ? size.fitted(within: PixelSize(width: 400, height: 300)) : .init(width: 300, height: 400)))
        let thumbnail = try Image(data: file).thumbnail(fitting: box)
        #expect(thumbnail.size == size.fitted(within: box) && thumbnail.orientation == .up && thumbnail.isDecoded)
        let whole = try ImageSource.decode(file).bitmap.resampled(to: thumbnail.size)
        #expect(try #require(thumbnail.bitmap().noise(against: whole)) > 30)
    }

    @Test("An image's own orientation counts too", arguments: Orientation.allCases)
    func ownOrientation(_ orientation: Orientation) throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 90, height: 60))
        let thumbnail = try Image(bitmap, orientation: orientation).thumbnail(fitting: 30)
        #expect(thumbnail.size == orientation.applied(to: PixelSize(width: 30, height: 20)))
        let expected = try bitmap.oriented(by: orientation).resampled(to: thumbnail.size)
        #expect(try thumbnail.bitmap().tightBytes() == expected.tightBytes())
    }

    @Test("A side is a square box; an image that fits stays as it is, undecoded")
    func sides() throws {
        let file = try ImageDestination(format: .png).encode(Bitmap.grainy(PixelSize(width: 90, height: 60)))
        let image = try Image(data: file)
        #expect(try image.thumbnail(fitting: 45).size == PixelSize(width: 45, height: 30))
        #expect(try image.thumbnail(fitting: 1).size == PixelSize(width: 1, height: 1))
        for side in [90, 4000, Int.max] {
            let same = try image.thumbnail(fitting: side)
            #expect(same.size == image.size && !same.isDecoded && same.format == .png)
        }
        #expect(!image.isDecoded)
    }

    @Test("A box without pixels is refused", arguments: [(0, 0), (-1, 5), (5, 0), (Int.min, Int.max)])
    func emptyBoxes(width: Int, height: Int) throws {
        let image = try Image(data: ImageDestination(format: .png).encode(Bitmap.pattern(9, 6)))
        let box = PixelSize(width: width, height: height)
        for image in [image, Image(try image.bitmap())] {
            let error = try #require(throws: ImageError.self) { try image.thumbnail(fitting: box) }
            #expect(error.code == .invalidParameter)
            #expect(error.message == "invalid box \(box): width and height must be at least 1")
        }
    }

    @Test("A deferred image of a program's own is asked for no more than fits the box")
    func providers() throws {
        let spy = Spy(bitmap: try Bitmap.grainy(PixelSize(width: 90, height: 60)))
        let image = Image(deferred: spy)
        #expect(try image.thumbnail(fitting: PixelSize(width: 90, height: 30)).size == PixelSize(width: 45, height: 30))
        #expect(try image.bitmap(for: DecodingPlan(fitting: PixelSize(width: 10, height: 90))).size == spy.info.size)
        #expect(spy.targets.withLock { $0 } == [PixelSize(width: 45, height: 30), PixelSize(width: 10, height: 7)])
    }

    @Test("The asynchronous form makes the same, and ends when its task is cancelled")
    func asynchronous() async throws {
        let image = try Image(
            data: ImageDestination(format: .jpeg).encode(Bitmap.grainy(PixelSize(width: 90, height: 60))))
        let expected = try Self.small(image)
        #expect(try await image.thumbnail(fitting: 30).bitmap().tightBytes() == expected.bitmap().tightBytes())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await image.thumbnail(fitting: 30)
        }
        task.cancel()
        let result = await task.result
        #expect(errorCode { try result.get() } == .cancelled)
    }

    private static func small(_ image: Image) throws -> Image { try image.thumbnail(fitting: 30) }
}

/// Notes the target sizes that it is asked for.
private final class Spy: BitmapProvider {
    let bitmap: Bitmap
    let targets = Mutex<[PixelSize?]>([])
    var info: BitmapInfo { bitmap.info }

    init(bitmap: Bitmap) { self.bitmap = bitmap }

    func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
        targets.withLock { $0.append(plan.targetSize) }
        return bitmap
    }
}
