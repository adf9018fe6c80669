import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("Animations")
struct AnimationTests {
    static let request = ImageRequest(url: URL(string: "https://example.com/animation")!)
    static let formats: [ImageFormat] = [.gif, .png]

    private func decoder(_ request: ImageRequest = request) -> ImageDecoders.Default {
        ImageDecoders.Default(context: ImageDecodingContext(request: request, data: Data()))
    }

    private func color(_ image: Image) throws -> RGBA8 { try image.bitmap().pixel(2, 2) }

    @Test("An animation comes with its frames and its bytes", arguments: formats)
    func anAnimationComesWithItsFramesAndItsBytes(format: ImageFormat) throws {
        let data = try TestPicture.animation(format)
        let container = try decoder().decode(data)
        #expect(container.type == format && container.data == data && !container.isPreview)
        #expect(try color(container.image) == TestPicture.frameColor(0))
        let animation = try #require(container.animation)
        #expect(animation.frameCount == 4 && animation.loopCount == 3 && animation.isFinished && animation.error == nil)
        #expect(animation.size == PixelSize(width: 24, height: 16))
        #expect(animation.durations.map { ($0 * 10).rounded() } == [1, 2, 3, 4])
        #expect(animation.byteCount == data.count + 4 * 24 * 16 * 4)
        for index in [3, 0, 2, 1] {
            #expect(try color(animation.frame(at: index)) == TestPicture.frameColor(index))
        }
        for index in [-1, 4, .max] { #expect(throws: ImageError.self) { try animation.frame(at: index) } }
    }

    @Test("Frames play while others arrive", arguments: formats)
    func framesPlayWhileOthersArrive(format: ImageFormat) throws {
        let data = try TestPicture.animation(format)
        let decoder = decoder()
        var counts: [Int] = []
        var animation: ImageAnimation?
        for end in 0..<data.count {
            guard let preview = decoder.decodePartiallyDownloadedData(data.prefix(end)) else { continue }
            #expect(preview.isPreview && preview.type == format)
            #expect(try color(preview.image) == TestPicture.frameColor(0))
            guard let arriving = preview.animation else { continue }
            #expect(animation == nil || animation === arriving)
            animation = arriving
            let count = arriving.durations.count
            counts.append(count)
            #expect(!arriving.isFinished)
            #expect(try color(arriving.frame(at: count - 1)) == TestPicture.frameColor(count - 1))
            #expect(throws: ImageError.self) { try arriving.frame(at: count) }
        }
        #expect(counts == [1, 2, 3, 4])
        let final = try decoder.decode(data)
        #expect(final.animation === animation && final.data == data && !final.isPreview)
        #expect(animation?.isFinished == true && animation?.frameCount == 4)
    }

    @Test("The final animation doesn't depend on how the bytes are split", arguments: formats, [1, 10, 100, 10000])
    func theFinalAnimationDoesNotDependOnThePieces(format: ImageFormat, step: Int) throws {
        let data = try TestPicture.animation(format)
        let decoder = decoder()
        for end in stride(from: step, through: data.count, by: step) {
            _ = decoder.decodePartiallyDownloadedData(data.prefix(end))
        }
        let animation = try #require(try decoder.decode(data).animation)
        for index in 0..<4 { #expect(try color(animation.frame(at: index)) == TestPicture.frameColor(index)) }
    }

    @Test("An animation may be recognised only at its second frame")
    func anAnimationMayBeKnownByItsSecondFrameOnly() throws {
        // Played once: no block says so, and the first frame could be all.
        let buffer = ByteBuffer()
        try ImageDestination(format: .gif, options: EncodingOptions(loopCount: 1))
            .encode(count: 2, to: buffer) { (index) throws(ImageError) in
                var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 8, height: 8), format: .rgba8))
                var rows = bitmap.mutableRows
                for y in 0..<8 {
                    var row = rows.row(y, as: RGBA8.self)
                    for x in 0..<8 { row[x] = TestPicture.frameColor(index) }
                }
                return (bitmap.freeze(), 0.5)
            }
        let data = Data(buffer.bytes)
        #expect(try decoder().decode(data).animation?.loopCount == 1)
        let decoder = decoder()
        var counts: [Int?] = []
        for end in 0..<data.count {
            guard let preview = decoder.decodePartiallyDownloadedData(data.prefix(end)) else { continue }
            counts.append(preview.animation?.durations.count)
        }
        #expect(counts.last == 2)
        #expect(try decoder.decode(data).animation?.frameCount == 2)
    }

    @Test("One frame is no animation")
    func oneFrameIsNoAnimation() throws {
        let data = try TestPicture.animation(count: 1)
        for isArriving in [false, true] {
            let decoder = decoder()
            if isArriving {
                for end in 0..<data.count { _ = decoder.decodePartiallyDownloadedData(data.prefix(end)) }
            }
            let container = try decoder.decode(data)
            #expect(container.animation == nil && container.data == nil)
            #expect(try color(container.image) == TestPicture.frameColor(0))
        }
    }

    @Test("A truncated animation keeps its complete frames", arguments: formats)
    func aTruncatedAnimationKeepsTheFramesBefore(format: ImageFormat) throws {
        let data = try TestPicture.animation(format)
        let part = data.prefix(data.count * 2 / 3)
        for isArriving in [false, true] {
            let decoder = decoder()
            if isArriving { _ = decoder.decodePartiallyDownloadedData(part) }
            do {
                _ = try decoder.decode(part)
                Issue.record("frames are missing")
            } catch ImageDecodingError.incomplete(let container, let error) {
                #expect(error.code == .truncated)
                let animation = try #require(container.animation)
                #expect(animation.error == error && animation.isFinished && (1...3).contains(animation.durations.count))
                #expect(try color(animation.frame(at: 0)) == TestPicture.frameColor(0))
            }
        }
    }

    @Test("Thumbnails apply to every frame")
    func framesAreThumbnailsToo() throws {
        var request = Self.request
        request.thumbnail = .init(width: 8, height: 8, unit: .pixels, contentMode: .aspectFill)
        let container = try decoder(request).decode(TestPicture.animation())
        #expect(container.image.size == PixelSize(width: 8, height: 8))
        let frame = try #require(container.animation).frame(at: 3)
        #expect(frame.size == PixelSize(width: 8, height: 8))
        #expect(try color(frame) == TestPicture.frameColor(3))
    }

    @Test("Processors apply to every frame")
    func processorsWorkOnEachFrame() async throws {
        let container = try decoder().decode(TestPicture.animation())
        let context = ImageProcessingContext(request: Self.request)
        let small = try ImageProcessors.Resize(width: 12).process(container, context: context)
        #expect(small.data == nil && small.header == container.header && small.type == .gif)
        let twice = try ImageProcessors.Circle().process(small, context: context)
        for (container, size) in [(small, PixelSize(width: 12, height: 8)), (twice, PixelSize(width: 8, height: 8))] {
            let animation = try #require(container.animation)
            #expect(container.image.size == size && animation.frameCount == 4)
            for index in 0..<4 {
                let frame = try await animation.frame(at: index)
                #expect(frame.size == size)
                #expect(try frame.bitmap().pixel(4, 4) == TestPicture.frameColor(index))
            }
        }
        // The one that it came from is as it was.
        #expect(try await container.animation?.frame(at: 1).size == PixelSize(width: 24, height: 16))

        struct Refusal: Error {}
        let refusing = try #require(container.animation).processed(by: .process(id: "refuses") { _ in throw Refusal() })
        await #expect(throws: Refusal.self) { try await refusing.frame(at: 0) }
    }

    @Test("Several tasks can request frames concurrently")
    func framesCanBeAskedForByManyAtOnce() async throws {
        let animation = try ImageAnimation(TestPicture.animation(count: 6))
        try await withThrowingTaskGroup(of: (Int, RGBA8).self) { group in
            for index in 0..<60 {
                group.addTask { (index % 6, try await animation.frame(at: index % 6).bitmap().pixel(1, 1)) }
            }
            for try await (index, color) in group { #expect(color == TestPicture.frameColor(index)) }
        }
    }

    @Test("A still image has no frames")
    func whatIsNoAnimationHasNoFrames() throws {
        #expect(throws: ImageError.self) { try ImageAnimation(Data("text".utf8)) }
        #expect(throws: ImageError.self) { try ImageAnimation(Data()) }
        #expect(throws: ImageError.self) { try ImageAnimation(TestPicture.file(.bmp, TestPicture.bitmap(4, 4))) }
    }
}
