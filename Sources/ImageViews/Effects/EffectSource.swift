internal import Dispatch
internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import ImageLoading
internal import Raster
internal import Synchronization

/// Where an effect view's image comes from.
enum EffectSource: Sendable {
    case image(Image)
    case file(String)
    case url(URL)

    /// What is at `url`; a file is one whichever way it is named.
    init(at url: URL) {
        self = url.isFileURL ? .file(url.path(percentEncoded: false)) : .url(url)
    }

    /// The file called `name`: in `folder` unless the name begins at the root, a PNG unless it says otherwise.
    init(file name: String, in folder: String) {
        let last = name.split(separator: "/").last ?? ""
        let hasExtension = last.dropFirst().contains(".") && last.last != "."
        let path = hasExtension ? name : name + ".png"
        self = .file(path.hasPrefix("/") ? path : folder + "/" + path)
    }

    /// What the caches know it by; `pipeline` says what it calls URLs.
    func name(in pipeline: ImagePipeline) -> String {
        switch self {
        case .image(let image): "image \(image.identity)"
        case .file(let path): "file \(path)"
        case .url(let url): "url \(pipeline.configuration.makeImageID(url))"
        }
    }

    /// What to work on, `image` being what came from here.
    func material(_ image: Image) -> EffectWork.Material {
        if case .image = self { .image(image) } else { .loaded(image) }
    }

    /// What to ask a pipeline for: pixels are decoded when it is known how many are needed.
    static func request(_ url: URL, isReloaded: Bool) -> ImageRequest {
        var request = ImageRequest(url: url, options: .skipDecompression)
        if isReloaded { request.cachePolicy = .reload }
        return request
    }

    /// The image in the file at `path`, or in its sibling for a display of `scale`, not decoded yet.
    static func picture(inFile path: String, scale: Double) throws(ImageError) -> Image {
        let file = ImageFileVariants.file(for: path, scale: scale)
        let bytes = try Source(path: file.path).bytes()
        return try ImageSource.image(bytes, scale: file.scale)
    }

    /// The image that `request` asks for; the calling thread waits for it.
    static func picture(_ request: ImageRequest, by pipeline: ImagePipeline) throws(ImageError) -> Image {
        let task = pipeline.imageTask(with: request)
        if task.currentResult == nil {
            let arrived = DispatchSemaphore(value: 0)
            Task.detached(priority: .userInitiated) {
                _ = try? await task.response
                arrived.signal()
            }
            arrived.wait()
        }
        return try picture(from: task.currentResult ?? .failure(.cancelled))
    }

    /// The image, or why there is none in one of Tessera's errors.
    static func picture(
        from result: Result<ImageResponse, ImagePipeline.Error>
    ) throws(ImageError) -> Image {
        switch result {
        case .success(let response): return response.image
        case .failure(.cancelled): throw ImageError(.cancelled, "the loading was cancelled")
        case .failure(let error):
            if let error = error.underlying as? ImageError { throw error }
            let code: ImageError.Code =
                switch error {
                case .decoderNotRegistered: .unknownFormat
                case .dataExceedsMaximumByteCount: .limitExceeded
                case .decodingFailed: .corrupt
                default: .inputOutput
                }
            throw ImageError(code, "\(error)")
        }
    }
}

/// What it takes to make a view's image, on any thread.
struct EffectWork: Sendable {
    /// What is worked on.
    enum Material: Sendable {
        /// An image of the program's, or one that is there.
        case image(Image)
        /// An image that was loaded for the view.
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

    /// Makes the image and keeps it, unless somebody has by now.
    func run(on material: Material) throws(ImageError) -> ProcessedImage {
        if !refreshes, let found = cache[key] { return found }
        let result: ProcessedImage
        switch material {
        case .image(let image): result = ProcessedImage(image: try processed(image))
        case .loaded(let image): result = try processedKeepingOriginal(image)
        case .file(let path):
            result = try processedKeepingOriginal(try EffectSource.picture(inFile: path, scale: scale))
        }
        cache.store(result, for: key)
        return result
    }

    private func processed(_ image: Image) throws(ImageError) -> Image {
        try image.applying(chain, options: EffectOptions(units: .pointsOf(scale: scale)))
    }

    /// With the image that it was made of, as long as that is only a file's bytes.
    private func processedKeepingOriginal(_ image: Image) throws(ImageError) -> ProcessedImage {
        guard !image.isDecoded else { return ProcessedImage(image: try processed(image)) }
        let processed = try processed(image)
        // Where all pixels were needed the image has kept them.
        image.removeDecodedPixels()
        return ProcessedImage(image: processed, original: image)
    }
}
