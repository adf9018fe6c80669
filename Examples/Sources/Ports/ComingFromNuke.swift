import Foundation
import ImageLoading
import Tessera

final class PhotoFeed: Sendable {
    let pipeline: ImagePipeline
    let prefetcher: ImagePrefetcher

    init(cachingIn folder: String) {
        pipeline = ImagePipeline {
            $0.dataCache = DataCache(directory: folder, byteLimit: 100 << 20)
            $0.dataCacheOptions.storedItems = [.finalImage]
            $0.isProgressiveDecodingEnabled = true
        }
        prefetcher = ImagePrefetcher(pipeline: pipeline)
    }

    func request(_ url: URL) -> ImageRequest {
        ImageRequest(url: url, processors: [.resize(width: 320), .roundedCorners(radius: 16)], priority: .high)
    }

    func photo(at url: URL, showing show: (Image) -> Void) async throws -> Image {
        if let container = pipeline.cache[request(url)], !container.isPreview { return container.image }
        let task = pipeline.imageTask(with: request(url))
        for await preview in task.previews { show(preview.image) }
        return try await task.response.image
    }

    func willShow(_ urls: [URL]) { prefetcher.startPrefetching(with: urls.map(request)) }
    func didHide(_ urls: [URL]) { prefetcher.stopPrefetching(with: urls.map(request)) }
}
