internal import Essentials
internal import ImageLoading
internal import Tessera

/// Fetches one image to a file.
struct PictureFetch: Sendable {
    let entry: FetchEntry
    let settings: FetchSettings
    let pipeline: ImagePipeline
    /// Called with the progress of loading.
    let report: @Sendable (ImageTask.Progress) -> Void

    /// Loads the image and writes its file.
    /// - Throws: An error if the file couldn't be written in full; it doesn't exist then.
    func run() async throws -> FetchResult {
        let url = try entry.loadableURL()
        // Checked before loading if the name is known already.
        if let format = settings.format { try check(settings.path(entry.name.fileName(format))) }
        try FileSystem.makeFolder(settings.folder)

        let task = pipeline.imageTask(with: request(url))
        do {
            var previewCount = 0
            for await event in task.events {
                switch event {
                case .progress(let progress): report(progress)
                case .preview(let preview):
                    guard settings.writesPreviews else { continue }
                    previewCount += 1
                    try await write(preview.image, number: previewCount)
                case .finished(let result):
                    let response = try result.get()
                    return try await withTaskExecutorPreference(ImageExecutor.shared) { try write(response) }
                }
            }
        } catch {
            task.cancel()
            throw error
        }
        throw ImagePipeline.Error.cancelled
    }

    private func request(_ url: URL) -> ImageRequest {
        var request = ImageRequest(url: url, processors: settings.processors)
        request.thumbnail = settings.thumbnail
        request.cachePolicy = settings.cachePolicy
        request.headers = settings.headers
        request.decoding.limits = settings.limits
        return request
    }

    private func check(_ path: String) throws(ImageError) {
        if !settings.overwrites, FileSystem.isRegularFile(path) { throw EncodedOutput.exists(path) }
    }

    private func write(_ preview: Image, number: Int) async throws {
        let path = settings.path("\(entry.name.stem).preview-\(number).png")
        try await withTaskExecutorPreference(ImageExecutor.shared) {
            try EncodedOutput.write(preview.bitmap(), toPNG: path, overwrites: settings.overwrites)
        }
    }

    private func write(_ response: ImageResponse) throws -> FetchResult {
        let start = ContinuousClock.now
        let (output, path, size) =
            if settings.keepsBytes { try writeBytes(of: response.container) } else { try encode(response.container) }
        try output.commit()
        return FetchResult(
            path: path, size: size, byteCount: output.byteCount, source: response.sourceName,
            metrics: response.metrics, writing: .now - start, isImage: response.container.type != nil)
    }

    private func writeBytes(
        of container: ImageContainer
    ) throws(ImageError) -> (output: EncodedOutput, path: String, size: PixelSize?) {
        let path = settings.path(entry.name.fileName(container.type))
        let output = try EncodedOutput(.file(path), overwrites: settings.overwrites)
        let data = container.data ?? Data()
        try output.write(data.bytes)
        return (output, path, container.header?.size)
    }

    private func encode(
        _ container: ImageContainer
    ) throws -> (output: EncodedOutput, path: String, size: PixelSize?) {
        if let type = container.type, type.isVideo {
            throw ImageError(
                .unsupported, "\(type) isn't decoded here; without size, effects and format it is written as it came")
        }
        let first = try container.image.bitmap()
        let format = settings.format ?? defaultFormat(of: container, first)
        let path = settings.path(entry.name.fileName(format))
        let output = try EncodedOutput(.file(path), overwrites: settings.overwrites)
        if let animation = container.animation, animation.durations.count > 1,
            CodecRegistry.default.capabilities(of: format).contains(.encodeAnimation)
        {
            try animation.encode(as: format, options: settings.encoding, first: first, to: output)
        } else {
            try ImageDestination(format: format, options: settings.encoding).encode(first, to: output)
        }
        return (output, path, first.info.size)
    }

    private func defaultFormat(of container: ImageContainer, _ first: Bitmap) -> ImageFormat {
        container.animation == nil
            ? ImageDestination.defaultFormat(for: first, examinesPixels: true)
            : ImageDestination.defaultFormat(for: first.info, isAnimated: true, source: container.type)
    }
}

extension ImageResponse {
    /// The source of the image, in a word.
    fileprivate var sourceName: String {
        guard !isJoined else { return "joined" }
        return switch source {
        case .diskOriginal, .diskProcessed: "disk"
        case .local, .memory, .network, .revalidated: source.rawValue
        }
    }
}

/// The settings for all images of a command.
struct FetchSettings: Sendable {
    /// The folder for output; empty for the current one.
    var folder: String
    /// Whether existing files may be replaced.
    var overwrites: Bool
    /// Whether previews are written.
    var writesPreviews: Bool
    /// Whether the bytes are written unchanged; otherwise the image is encoded.
    var keepsBytes: Bool
    /// The output format; nil to choose one that suits the image.
    var format: ImageFormat?
    /// The encoding options.
    var encoding: EncodingOptions
    /// The size for decoding; nil for full size.
    var thumbnail: ImageRequest.ThumbnailOptions?
    /// The processors applied after decoding.
    var processors: [any ImageProcessing]
    /// The limits for decoding.
    var limits: DecodingLimits
    /// The use of cached data.
    var cachePolicy: ImageRequest.CachePolicy
    /// Additional HTTP header fields.
    var headers: HTTPHeaders

    /// The path of the file called `name`.
    func path(_ name: String) -> String { FilePath(name, in: folder).text }
}

/// Returns the bytes unchanged, with the header of their image; decodes nothing but previews.
struct OriginalDecoder: ImageDecoding {
    private let previews: (any ImageDecoding)?
    private let options: DecodingOptions

    /// Creates a decoder for the data in `context`; nil while no preview is possible.
    init?(_ context: ImageDecodingContext) {
        options = context.request.decoding
        if context.isCompleted {
            previews = nil
        } else {
            previews = ImageDecoders.Default(partiallyDownloadedData: context.data, context: context)
            if previews == nil { return nil }
        }
    }

    func decode(_ data: Data) throws -> ImageContainer {
        var container = try ImageDecoders.Empty().decode(data)
        // Data that can't be decoded is written, too.
        container.header = try? ImageSource.header(of: [UInt8](data), options: options)
        return container
    }

    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
        previews?.decodePartiallyDownloadedData(data)
    }
}
