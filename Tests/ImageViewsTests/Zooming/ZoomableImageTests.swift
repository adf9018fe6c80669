import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import TestSupport
import Testing

import ImageViews

@MainActor @Suite("A zoomable image")
struct ZoomableImageTests {
    static let size = PixelSize(width: 1501, height: 1103)

    private func file(_ format: ImageFormat, orientation: Orientation = .up, isProgressive: Bool = false) throws
        -> [UInt8]
    {
        var options = EncodingOptions(quality: 0.9)
        options.metadata.orientation = orientation
        options.jpeg.subsampling = .yuv444
        options.jpeg.isProgressive = isProgressive
        return try ImageDestination(format: format, options: options).encode(Bitmap.grainy(Self.size))
    }

    /// The drawing list, drawn: each picture has to come as large as it is.
    private func composed(_ picture: ZoomableImage) throws -> Bitmap {
        let (scale, view) = (picture.zoom.scaleFactor, picture.zoom.viewSize)
        func pixels(_ points: Double) throws -> Int {
            let pixels = points * scale
            #expect(abs(pixels - pixels.rounded()) < 1e-6)
            return Int(pixels.rounded())
        }
        let size = PixelSize(width: try pixels(view.width), height: try pixels(view.height))
        var canvas = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied))
        for drawing in picture.drawing {
            let upright = try drawing.image.storedBitmap().oriented(by: drawing.orientation)
            let (x, y) = (try pixels(drawing.rect.x), try pixels(drawing.rect.y))
            #expect(try pixels(drawing.rect.width) == upright.width)
            #expect(try pixels(drawing.rect.height) == upright.height)
            let clip = PixelRect(
                x: try pixels(drawing.clip.x) - x, y: try pixels(drawing.clip.y) - y,
                width: try pixels(drawing.clip.width), height: try pixels(drawing.clip.height))
            let piece = try upright.cropped(to: clip).converted(to: .rgba8, alpha: .premultiplied)
            canvas.draw(piece, x: x + clip.x, y: y + clip.y)
        }
        return canvas.freeze()
    }

    /// Clips are apart, and together all of the picture that is in the view.
    private func expectCover(_ picture: ZoomableImage) {
        let zoom = picture.zoom
        let view = ViewRect(zoom.viewSize)
        let clips = picture.drawing.map { $0.clip.intersection(view) }.filter { !$0.isEmpty }
        let area = clips.reduce(0) { $0 + $1.width * $1.height }
        let corner = ViewPoint(
            x: (zoom.offset.x * zoom.scaleFactor).rounded() / zoom.scaleFactor,
            y: (zoom.offset.y * zoom.scaleFactor).rounded() / zoom.scaleFactor)
        func length(_ pixels: Int) -> Double {
            (Double(pixels) * zoom.zoom * zoom.scaleFactor).rounded() / zoom.scaleFactor
        }
        let whole = ViewRect(
            x: corner.x, y: corner.y, width: length(zoom.shownSize.width), height: length(zoom.shownSize.height)
        ).intersection(view)
        #expect(abs(area - whole.width * whole.height) < 1e-3)
        for (index, clip) in clips.enumerated() {
            for other in clips[(index + 1)...] {
                let both = clip.intersection(other)
                #expect(both.width < 1e-6 || both.height < 1e-6)
            }
        }
    }

    @Test(
        "One to one draws the image's exact pixels",
        arguments: [ImageFormat.jpeg, .png], [0, 1, 2, 3])
    func exact(format: ImageFormat, turns: Int) async throws {
        for (scale, orientation) in [(1.0, Orientation.up), (2, .right), (1.5, .rightMirrored)] {
            let picture = try await TiledImage(file(format, orientation: orientation))
            let image = ZoomableImage(picture)
            image.zoom.viewSize = ViewSize(width: 600 / scale, height: 480 / scale)
            image.zoom.scaleFactor = scale
            image.zoom.rotate(by: turns)
            image.zoom.oneToOne()
            let pixel = image.zoom.offset
            image.zoom.pan(
                by: ViewPoint(
                    x: (pixel.x * scale - 77.3).rounded() / scale - pixel.x,
                    y: (pixel.y * scale + 41.2).rounded() / scale - pixel.y))
            await image.arrive()
            #expect(image.error == nil && !image.isLoading && !image.isArriving)
            #expect(image.drawing.allSatisfy { !$0.isStandIn })
            let visible = image.zoom.visibleRect
            let rect = PixelRect(
                x: Int(visible.x.rounded()), y: Int(visible.y.rounded()), width: Int(visible.width.rounded()),
                height: Int(visible.height.rounded()))
            #expect(rect.size.pixelCount == 600 * 480)
            let expected = try await picture.region(rect).oriented(by: image.zoom.orientation)
                .converted(to: .rgba8, alpha: .premultiplied)
            #expect(try composed(image).tightBytes() == expected.tightBytes())
            expectCover(image)
        }
    }

    @Test("Coarser tiles cover missing ones at any zoom", arguments: 0..<8 as Range<UInt64>)
    func standIns(seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        let picture = try await TiledImage(file(.jpeg))
        let budget = Int.random(in: 2 << 20...5 << 20, using: &random)
        let image = ZoomableImage(picture, tileBudget: budget)
        image.zoom.scaleFactor = [1, 1.25, 2].randomElement(using: &random)!
        image.zoom.viewSize = ViewSize(width: 400, height: 300)
        await image.settle()
        var sawStandIns = false
        for _ in 0..<40 {
            let pointer = ViewPoint(
                x: Double.random(in: 0...400, using: &random), y: Double.random(in: 0...300, using: &random))
            image.zoom.zoom(by: Double.random(in: 0.3...3, using: &random), about: pointer)
            image.zoom.pan(by: ViewPoint(x: pointer.y - 150, y: pointer.x - 200))
            if Int.random(in: 0..<5, using: &random) == 0 { image.zoom.rotate(by: 1) }
            expectCover(image)
            #expect(image.loadingTiles.count <= ZoomableImage.loadCount)
            let schedule = try #require(image.schedule)
            #expect(image.loadingTiles.isSubset(of: schedule.now + schedule.soon))
            #expect(image.tileByteCount <= budget)
            sawStandIns = sawStandIns || image.drawing.contains(where: \.isStandIn)
            if Bool.random(using: &random) {
                await image.settle()
                #expect(image.tileByteCount <= budget && image.drawing.allSatisfy { !$0.isStandIn })
                expectCover(image)
            }
        }
        #expect(sawStandIns && image.error == nil)
    }

    @Test("Tiles that left the view aren't loaded")
    func cancelled() async throws {
        let picture = try await TiledImage(file(.jpeg))
        let image = ZoomableImage(picture, tileBudget: 3 << 20)
        image.zoom.viewSize = ViewSize(width: 300, height: 300)
        image.zoom.oneToOne()
        image.zoom.pan(by: ViewPoint(x: 1e5, y: 1e5))
        let first = image.loadingTiles
        #expect(first.count == ZoomableImage.loadCount)
        image.zoom.pan(by: ViewPoint(x: -1e5, y: -1e5))
        let backdrop = TileAddress(level: picture.levels.count - 1, column: 0, row: 0)
        #expect(image.loadingTiles.intersection(first) == [backdrop])
        await image.settle()
        #expect(image.tileByteCount <= 3 << 20 && image.drawing.allSatisfy { !$0.isStandIn })
    }

    @Test("A progressive image is refined in place")
    func passes() async throws {
        let bytes = try file(.jpeg, isProgressive: true)
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        continuation.yield(Array(bytes[..<(bytes.count / 2)]))
        let picture = try await TiledImage(stream, options: TiledImage.Options(showsPasses: true))
        #expect(picture.access == .decoded)
        let image = ZoomableImage(picture)
        image.zoom.viewSize = ViewSize(width: 500, height: 400)
        image.zoom.oneToOne()
        let count = try #require(image.schedule).visible.addresses.count
        while image.drawing.count < count || image.drawing.contains(where: \.isStandIn) { await Task.yield() }
        #expect(image.isArriving)
        let early = Dictionary(image.drawing.map { ($0.id.tile, $0.id.version) }, uniquingKeysWith: max)
        continuation.yield(Array(bytes[(bytes.count / 2)...]))
        continuation.finish()
        await image.arrive()
        #expect(!image.isArriving && image.error == nil)
        for drawing in image.drawing { #expect(drawing.id.version > early[drawing.id.tile] ?? .max) }
        let pixel = image.zoom.offset
        image.zoom.pan(by: ViewPoint(x: pixel.x.rounded() - pixel.x, y: pixel.y.rounded() - pixel.y))
        await image.settle()
        let visible = image.zoom.visibleRect
        let rect = PixelRect(x: Int(visible.x), y: Int(visible.y), width: 500, height: 400)
        let whole = try ImageSource.decode(bytes).bitmap.cropped(to: rect)
        #expect(
            try composed(image).tightBytes() == whole.converted(to: .rgba8, alpha: .premultiplied).tightBytes())
    }

    @Test("A truncated image keeps its tiles and reports the error")
    func truncated() async throws {
        let bytes = try file(.png)
        let picture = try await TiledImage(Array(bytes[..<(bytes.count / 2)]))
        let image = ZoomableImage(picture)
        image.zoom.viewSize = ViewSize(width: 500, height: 400)
        image.zoom.oneToOne()
        image.zoom.pan(by: ViewPoint(x: 1e5, y: 1e5))
        await image.arrive()
        #expect(image.error?.code == .truncated && !image.isArriving)
        #expect(!image.drawing.isEmpty && image.tileByteCount > 0)
    }

    @Test("An image in memory and a deferred one are shown")
    func whole() async throws {
        let bitmap = try Bitmap.grainy(PixelSize(width: 300, height: 200))
        let image = ZoomableImage(Image(bitmap, orientation: .left))
        image.zoom.viewSize = ViewSize(width: 400, height: 400)
        #expect(image.drawing.count == 1 && image.zoom.pictureSize == PixelSize(width: 200, height: 300))
        #expect(image.drawing.first?.rect == ViewRect(x: 100, y: 50, width: 200, height: 300))
        let upright = try bitmap.oriented(by: .left).converted(to: .rgba8, alpha: .premultiplied)
        let drawn = try composed(image).cropped(to: PixelRect(x: 100, y: 50, width: 200, height: 300))
        #expect(drawn.tightBytes() == upright.tightBytes())
        expectCover(image)
        let data = try ImageDestination(format: .png).encode(bitmap)
        let deferred = ZoomableImage(try ImageSource.image(data))
        #expect(deferred.isLoading && deferred.drawing.isEmpty)
        deferred.zoom.viewSize = ViewSize(width: 400, height: 400)
        await deferred.settle()
        #expect(!deferred.isLoading && deferred.drawing.count == 1)
        #expect(!deferred.advance(by: .seconds(1)))
        deferred.zoom.doubleTap(at: .zero)
        #expect(deferred.advance(by: .milliseconds(1)))
    }

    /// Squares of a quarter of a pixel, drawn at any size.
    private struct Checks: BitmapProvider {
        let info = BitmapInfo(size: PixelSize(width: 300, height: 200), format: .rgba8)

        func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
            let region = plan.region ?? PixelRect(info.size)
            let size = plan.targetSize ?? region.size
            var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
            var rows = bitmap.mutableRows
            for y in 0..<size.height {
                let down = (Double(y) + 0.5) / Double(size.height) * Double(region.height) + Double(region.y)
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<size.width {
                    let across = (Double(x) + 0.5) / Double(size.width) * Double(region.width) + Double(region.x)
                    row[x] = RGBA8(UInt8(Int(across * 4) & 255), UInt8(Int(down * 4) & 255), 7)
                }
            }
            return bitmap.freeze()
        }
    }

    @Test("A drawing is rendered at each zoom, and the last rendering covers until then")
    func vector() async throws {
        let image = ZoomableImage(vector: Checks())
        image.zoom.viewSize = ViewSize(width: 400, height: 400)
        #expect(image.isLoading && image.drawing.isEmpty)
        await image.settle()
        #expect(image.drawing.count == 1 && image.drawing.first?.isStandIn == false)
        image.zoom.zoom(by: 4, about: ViewPoint(x: 200, y: 200))
        #expect(image.isLoading && image.drawing.count == 1 && image.drawing.first?.isStandIn == true)
        expectCover(image)
        await image.settle()
        let region = PixelRect(x: 100, y: 50, width: 100, height: 100)
        #expect(image.zoom.visibleRect == PixelRegion(region))
        let expected = try Checks().makeBitmap(
            DecodingPlan(region: region, targetSize: PixelSize(width: 400, height: 400)))
        let sharp = image.drawing.filter { !$0.isStandIn }
        #expect(sharp.count == 1 && image.drawing.count == 5)
        let clip = try #require(sharp.first).clip
        #expect(clip.intersection(ViewRect(image.zoom.viewSize)) == ViewRect(image.zoom.viewSize))
        let upright = try #require(sharp.first).image.bitmap()
        let drawn = try upright.cropped(to: PixelRect(x: -Int(clip.x), y: -Int(clip.y), width: 400, height: 400))
        #expect(drawn.tightBytes() == expected.tightBytes())
        // A small way needs nothing new; a large one does, and what isn't drawn yet is the older drawing.
        image.zoom.pan(by: ViewPoint(x: 60, y: 0))
        #expect(!image.isLoading)
        image.zoom.pan(by: ViewPoint(x: 200, y: 0))
        expectCover(image)
        #expect(image.isLoading)
        image.zoom.rotate(by: 1)
        await image.settle()
        expectCover(image)
        #expect(image.drawing.contains { !$0.isStandIn })
    }

    @Test("Zoomed and panned beside a neighbour, both pages show their own pixels")
    func pages() async throws {
        var pages = PageModel(count: 2, viewSize: ViewSize(width: 600, height: 400))
        let picture = try await TiledImage(file(.jpeg))
        let images = [ZoomableImage(picture), ZoomableImage(picture)]
        for (index, image) in images.enumerated() {
            image.zoom.viewSize = pages.viewSize
            image.zoom.oneToOne()
            image.zoom.pan(by: ViewPoint(x: index == 0 ? -1e5 : 1e5, y: 1e5))
            // In and out about a place at the edge.
            for factor in [1.7, 2, 0.31, 0.9, 1 / (1.7 * 2 * 0.31 * 0.9)] {
                image.zoom.zoom(by: factor, about: ViewPoint(x: index == 0 ? 600 : 0, y: 0))
            }
            #expect(pages.index == 0 && abs(image.zoom.zoom - 1) < 1e-9)
            image.zoom.oneToOne(about: ViewPoint(x: index == 0 ? 600 : 0, y: 0))
        }
        pages.beginDrag(images[0].zoom)
        pages.drag(by: ViewPoint(x: -308, y: 0), zoom: &images[0].zoom)
        #expect(pages.frame(of: 0).x == -308 && pages.frame(of: 1).x == 308 && pages.visiblePages == 0..<2)
        for (index, image) in images.enumerated() {
            await image.settle()
            let x = index == 0 ? Self.size.width - 600 : 0
            let expected = try await picture.region(PixelRect(x: x, y: 0, width: 600, height: 400))
                .converted(to: .rgba8, alpha: .premultiplied)
            #expect(try composed(image).tightBytes() == expected.tightBytes())
        }
    }
}
