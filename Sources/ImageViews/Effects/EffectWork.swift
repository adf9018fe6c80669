internal import ImageEffects
internal import ImageLoading
internal import Raster

/// What it takes to make a view's picture, on any thread.
struct EffectWork: Sendable {
    /// What is worked on.
    enum Material: Sendable {
        /// A picture of the program's, or one that is there.
        case image(Image)
        /// A picture that was loaded for the view.
        case loaded(Image)
        /// A file to be read.
        case file(String)
    }

    let chain: EffectChain
    let scale: Double
    let key: ImageCacheKey
    let cache: ProcessedImageCache
    /// Whether what is cached is out of date.
    var refreshes = false

    /// Makes the picture and keeps it, unless somebody has by now.
    func run(on material: Material) throws(ImageError) -> ProcessedImage {
        if !refreshes, let found = cache[key] { return found }
        let result: ProcessedImage
        switch material {
        case .image(let image): result = ProcessedImage(image: try processed(image))
        case .loaded(let image): result = try processedKeepingOriginal(image)
        case .file(let path): result = try processedKeepingOriginal(try EffectSource.picture(inFile: path))
        }
        cache.store(result, for: key)
        return result
    }

    private func processed(_ image: Image) throws(ImageError) -> Image {
        try image.applying(chain, options: EffectOptions(units: .pointsOf(scale: scale)))
    }

    /// With the picture that it was made of, as long as that is only a file's bytes.
    private func processedKeepingOriginal(_ image: Image) throws(ImageError) -> ProcessedImage {
        guard !image.isDecoded else { return ProcessedImage(image: try processed(image)) }
        let processed = try processed(image)
        // Where all pixels were needed the picture has kept them.
        image.removeDecodedPixels()
        return ProcessedImage(image: processed, original: image)
    }
}
