import Foundation
import ImageLoadingTestSupport
import TesseraCompatibility
import TestSupport
import Testing

@MainActor @Suite("FXImageView's names of views")
struct FXImageViewTests {
    private func makeView(_ cache: ProcessedImageCache) -> FXImageView {
        let view = FXImageView(queue: EffectQueue(), cache: cache)
        view.size = ViewSize(CGSize(width: 8, height: 6))
        return view
    }

    @Test("A block makes the image from the cropped and scaled one, and nil leaves none")
    func block() throws {
        let view = makeView(ProcessedImageCache(memoryPressure: nil))
        #expect(view.customEffectsBlock == nil)
        view.customEffectsBlock = { image in
            image.size == PixelSize(width: 8, height: 6) ? image.withAlpha(0.5) : nil
        }
        view.image = Image(try TestPicture.bitmap(32, 32))
        #expect(try view.processedImage?.bitmap().pixel(1, 1).alpha == 128)
        #expect(view.customEffectsBlock?(try .pixel(1)) == nil)
        view.cacheKey = "none"
        view.customEffectsBlock = { _ in nil }
        #expect(view.processedImage == nil && view.error?.message == "customEffectsBlock returned no image")
        view.customEffectsBlock = nil
        #expect(view.processedImage != nil && view.error == nil)
    }

    @Test("A key tells apart the results of different blocks")
    func key() throws {
        let (image, cache) = (Image(try TestPicture.bitmap(32, 32)), ProcessedImageCache(memoryPressure: nil))
        let alphas = try ["a", "b"].map { key in
            let view = makeView(cache)
            view.cacheKey = key
            view.customEffectsBlock = { $0.withAlpha(key == "a" ? 0.5 : 0.25) }
            view.image = image
            return try view.processedImage?.bitmap().pixel(1, 1).alpha
        }
        #expect(alphas == [128, 64])
    }

    @Test("Files and URLs are shown by the original's methods")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("image.png")
        try Image(try TestPicture.bitmap(16, 16)).write(to: path)
        let view = makeView(ProcessedImageCache(memoryPressure: nil))
        view.setImageWithContentsOfFile(String(path.dropLast(4)))
        #expect(view.processedImage?.size == PixelSize(width: 8, height: 6))
        view.setImageWithContentsOf(URL(fileURLWithPath: path))
        #expect(view.processedImage?.size == PixelSize(width: 8, height: 6))
        view.isAsynchronous = true
        #expect(view.asynchronous)
    }

    @Test("The operation count of a queue is its width, and -1 no limit")
    func operationCount() {
        let queue = EffectQueue()
        #expect(queue.maxConcurrentOperationCount == 4)
        queue.maxConcurrentOperationCount = -1
        #expect(queue.width == nil && queue.maxConcurrentOperationCount == -1)
        queue.maxConcurrentOperationCount = 2
        #expect(queue.width == 2)
        #expect(FXImageView.processingQueue() === EffectQueue.shared)
        #expect(FXImageView.processedImageCache() === ProcessedImageCache.shared)
    }
}
