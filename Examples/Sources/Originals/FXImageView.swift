// FXImageView's README: the category's methods and the view's properties, as Swift's importer spells them.
import Foundation
import TesseraCompatibility

enum FXImageViewDocument {
    // MARK: UIImage extension methods

    static func methods(_ image: UIImage) {
        let rect = CGRect(x: 8, y: 8, width: 32, height: 16)
        let size = CGSize(width: 40, height: 30)
        let contentMode = ContentMode.scaleAspectFit
        let (padToFit, scale, gap, alpha, radius, blur) = (true, 0.5, 4.0, 0.25, 6.0, 3.0)
        let (color, offset) = (RGBA8(0, 0, 0), CGSize(width: 0, height: 2))

        let maskImage = image.maskImageFromImageAlpha() ?? image
        let results: [UIImage?] = [
            image.imageCropped(to: rect),
            image.imageScaled(to: size),
            image.imageScaled(toFit: size),
            image.imageScaled(toFill: size),
            image.imageCroppedAndScaled(to: size, contentMode: contentMode, padToFit: padToFit),
            image.reflectedImage(withScale: scale),
            image.withReflectionWithScale(scale, gap: gap, alpha: alpha),
            image.withShadowColor(color, offset: offset, blur: blur),
            image.withCornerRadius(radius),
            image.withAlpha(alpha),
            image.withMask(maskImage),
        ]
        expect(results.allSatisfy { $0 != nil })
        expect(results[0]?.size == PixelSize(width: 32, height: 16))
        expect(results[4]?.size == PixelSize(width: 40, height: 30))
    }

    // MARK: FXImageView

    @MainActor
    static func view(_ image: UIImage, _ file: String, _ url: URL) throws {
        FXImageView.processingQueue().maxConcurrentOperationCount = 4
        FXImageView.processedImageCache().countLimit = 100

        let view = FXImageView()
        view.size = ViewSize(CGSize(width: 60, height: 50))
        view.contentMode = .scaleAspectFit
        view.asynchronous = false
        expect(!view.isAsynchronous)
        view.crossfadeDuration = 0.25
        view.reflectionGap = 4
        view.reflectionScale = 0.5
        view.reflectionAlpha = 0.25
        view.shadowColor = RGBA8(0, 0, 0)
        view.shadowOffset = .init(width: 0, height: 2)
        view.shadowBlur = 5
        view.cornerRadius = 10
        view.customEffectsBlock = { image in image.withAlpha(0.5) }
        view.cacheKey = "disc"

        view.image = image
        let processedImage = try require(view.processedImage)
        expect(processedImage.size != image.size && view.image?.size == image.size)

        view.cacheKey = nil
        view.setImageWithContentsOfFile(file)
        expect(view.processedImage != nil)
        view.setImageWithContentsOf(url)
        expect(view.processedImage != nil)
        view.processedImage = image
        expect(view.processedImage?.size == image.size)
        FXImageView.processedImageCache().removeAllObjects()
    }

    @MainActor
    static func run(_ image: UIImage, in folder: String) throws {
        methods(image)
        let file = folder + "/card.png"
        try image.write(to: file)
        try view(image, file, URL(fileURLWithPath: file))
        print("FXImageView: 12 methods of images, the view's 3 and its 13 properties")
    }
}
