internal import Dispatch
internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import ImageLoading
internal import Raster
internal import Synchronization

/// The source of an effect view's image.
enum EffectSource: Sendable {
    case image(Image)
    case file(String)
    case url(URL)

    /// The source at `url`. A file URL becomes a path, so that both are equal.
    init(at url: URL) {
        self = url.isFileURL ? .file(url.path(percentEncoded: false)) : .url(url)
    }

    /// The file `name`: in `folder` unless the path is absolute, with the extension `.png` unless it has one.
    init(file name: String, in folder: String) {
        let last = name.split(separator: "/").last ?? ""
        let hasExtension = last.dropFirst().contains(".") && last.last != "."
        let path = hasExtension ? name : name + ".png"
        self = .file(path.hasPrefix("/") ? path : folder + "/" + path)
    }

    /// The source's name in caches; `pipeline` determines those of URLs.
    func name(in pipeline: ImagePipeline) -> String {
        switch self {
        case .image(let image): "image \(image.identity)"
        case .file(let path): "file \(path)"
        case .url(let url): "url \(pipeline.configuration.makeImageID(url))"
        }
    }

    /// The material for `image`, which came from this source.
    func material(_ image: Image) -> EffectWork.Material {
        if case .image = self { .image(image) } else { .loaded(image) }
    }

    /// A request that leaves decoding until the required size is known.
    static func request(_ url: URL, isReloaded: Bool) -> ImageRequest {
        var request = ImageRequest(url: url, options: .skipDecompression)
        if isReloaded { request.cachePolicy = .reload }
        return request
    }

    /// The image in the file at `path`, or in its variant for a display of `scale`, not yet decoded.
    static func picture(inFile path: String, scale: Double) throws(ImageError) -> Image {
        let file = ImageFileVariants.file(for: path, scale: scale)
        let bytes = try Source(path: file.path).bytes()
        return try ImageSource.image(bytes, scale: file.scale)
    }

    /// Loads an image, blocking the calling thread.
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

    /// The image, or the error converted to an `ImageError`.
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

/// The work that makes a view's image, on any thread.
struct EffectWork: Sendable {
    /// The input of the work.
    enum Material: Sendable {
        /// An image of the caller's, or one already loaded.
        case image(Image)
        /// An image loaded for the view.
        case loaded(Image)
        /// A file to read.
        case file(String)
    }

    let chain: EffectChain
    let scale: Double
    let key: ImageCacheKey
    let cache: ProcessedImageCache
    /// Whether cached results are outdated.
    var refreshes = false

    /// Makes the image and caches it, unless it is cached by now.
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

    /// Includes the original in the result if it is undecoded, which takes only the file's bytes.
    private func processedKeepingOriginal(_ image: Image) throws(ImageError) -> ProcessedImage {
        guard !image.isDecoded else { return ProcessedImage(image: try processed(image)) }
        let processed = try processed(image)
        // The image keeps its pixels if all were needed; they aren't needed again.
        image.removeDecodedPixels()
        return ProcessedImage(image: processed, original: image)
    }
}
