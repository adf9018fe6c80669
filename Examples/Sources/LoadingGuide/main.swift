// The samples of the guide to loading (Sources/Tessera/Documentation.docc/Loading.md), each as it stands there, so that
// they compile; `Examples/check` compares.
import Foundation
import Synchronization
import ImageLoading
import Raster
import Tessera

func show(_ url: URL) async throws {
    let image = try await ImagePipeline.shared.image(for: url)
    print(image.size)
}

struct DotDecoder: ImageDecoding {
    func decode(_ data: Data) throws -> ImageContainer {
        guard let value = data.first else { throw ImageError(.truncated, "there is no dot") }
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8))
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: Gray8.self)
        row[0] = Gray8(value)
        return ImageContainer(image: Image(bitmap.freeze()))
    }
}

final class LineDecoder: ImageDecoderRegistering {
    init?(data: Data, context: ImageDecodingContext) {
        guard data.starts(with: Array("LINES".utf8)) else { return nil }
    }

    init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) {
        guard data.starts(with: Array("LINES".utf8)) else { return nil }
    }

    func decode(_ data: Data) throws -> ImageContainer { try DotDecoder().decode(data) }

    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
        var container = try? DotDecoder().decode(data)
        container?.isPreview = true
        return container
    }
}

func registerLines() {
    ImageDecoderRegistry.shared.register(LineDecoder.self)
}

func registerDots() {
    let token = ImageDecoderRegistry.shared.register { context in
        let isDot = context.urlResponse?.url?.absoluteString.hasSuffix(".dot") ?? false
        return isDot ? DotDecoder() : nil
    }
    ImageDecoderRegistry.shared.unregister(token)
}

func showArriving(_ url: URL) async throws {
    let pipeline = ImagePipeline {
        $0.isProgressiveDecodingEnabled = true
        // Previews go to the memory cache too, marked as such, until the image takes their place.
        $0.isStoringPreviewsInMemoryCache = true
    }
    let task = pipeline.imageTask(with: url)
    for await preview in task.previews {
        let scan = preview.container.userInfo[.scanNumberKey] as? Int
        print("scan", scan ?? 0, preview.image.size)
    }
    print("done", try await task.response.image.size)
}

func showWithCallbacks(_ url: URL, in view: PictureView) {
    view.task = ImagePipeline.shared.loadImage(
        with: url,
        progress: { preview, completed, total in
            if let preview { view.show(preview.image) }
        },
        completion: { result in
            if case .success(let response) = result { view.show(response.image) }
        })
}

final class PictureView: Sendable {
    private let state = Mutex<ImageTask?>(nil)

    var task: ImageTask? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func setImage(with url: URL) {
        task?.cancel()
        if let response = ImagePipeline.shared.cachedResponse(for: url) { return display(response) }
        task = ImagePipeline.shared.loadImage(with: url) { result in
            if case .success(let response) = result { self.display(response) }
        }
    }

    private func display(_ response: ImageResponse) {
        if let animation = response.container.animation {
            play(animation)
        } else {
            show(response.image)
        }
    }

    func play(_ animation: ImageAnimation) { print(animation.frameCount ?? 0, "frames") }
    func show(_ image: Image) { print(image.size) }
}

func registerDrawings() {
    ImageDecoderRegistry.shared.register { context in
        let isSVG = context.urlResponse?.url?.absoluteString.hasSuffix(".svg") ?? false
        return isSVG ? ImageDecoders.Empty() : nil
    }
}

func play(_ url: URL) async throws {
    let container = try await ImagePipeline.shared.response(for: ImageRequest(url: url)).container
    guard let data = container.data else { return }
    print(container.type?.name ?? "something", data.count, "bytes")
}

func makePipeline(cachingIn folder: String) -> ImagePipeline {
    ImagePipeline {
        $0.dataCache = DataCache(directory: folder, byteLimit: 500 << 20)
        $0.dataCacheOptions.storedItems = [.finalImage]
        $0.makeImageEncoder = { _ in ImageEncoders.Default(isHEIFPreferred: true) }
    }
}

func encode(_ image: Image) throws -> Data {
    let encoder = ImageEncoders.ImageIO(type: .heif, compressionRatio: 0.8)
    return try encoder.encode(image: image)
}

func makeAvailableOffline(_ request: ImageRequest, in pipeline: ImagePipeline) async {
    if await pipeline.cache.containsCachedImage(for: request, caches: .disk) { return }
    _ = try? await pipeline.data(for: request)
}

func replace(_ request: ImageRequest, with image: Image, in pipeline: ImagePipeline) async {
    await pipeline.removeCachedResponses(for: request)
    await pipeline.cache.storeCachedImage(ImageContainer(image: image), for: request)
    // Memory alone answers at once.
    if let container = pipeline.cache[request] { print(container.image.size) }
}

func loadSigned(_ url: URL) async throws -> Image {
    let pipeline = ImagePipeline {
        $0.makeImageID = ImagePipeline.Configuration.imageID(withoutQueryItems: ["Signature", "Expires"])
    }
    var request = ImageRequest(url: url, processors: [.resize(width: 320)])
    request.cachePolicy = .staleWhileRevalidate
    return try await pipeline.image(for: request)
}

func makePipeline(token: @escaping @Sendable () async throws -> String) -> ImagePipeline {
    ImagePipeline {
        $0.dataFetching.retry = RetryPolicy(maximumAttempts: 5)
        // Called before each request, and again when the server answers 401.
        $0.dataFetching.authorize = { request, _ in
            request.headers["Authorization"] = "Bearer \(try await token())"
        }
    }
}

func count(_ url: URL) async throws -> Int {
    var count = 0
    for try await chunk in try await ImagePipeline.shared.bytes(for: url) { count += chunk.count }
    return count
}

func prefetch(_ urls: [URL]) -> ImagePrefetcher {
    let prefetcher = ImagePrefetcher(destination: .diskCache)
    prefetcher.startPrefetching(with: urls)
    return prefetcher
}
