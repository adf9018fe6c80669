#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImagePipeline {
    /// The picture at `url`, if the memory cache has it; a preview says that it is one. Asks neither disk nor network.
    public func cachedResponse(for url: URL) -> ImageResponse? { cachedResponse(for: ImageRequest(url: url)) }

    /// The picture that `request` asks for, if the memory cache has it; a preview says that it is one.
    public func cachedResponse(for request: ImageRequest) -> ImageResponse? {
        loader.remembered(request, loader.cacheKey(request)).map {
            ImageResponse(
                container: $0, request: request, urlResponse: nil, source: .memory, isJoined: false,
                metrics: ImageTaskMetrics())
        }
    }

    /// Removes the request's picture from both caches, with everything that was made of it.
    public func removeCachedResponses(for request: ImageRequest) async {
        let group = loader.group(request)
        loader.forget(group)
        await configuration.dataCache?.removeAll(in: group)
    }

    /// Empties both caches.
    public func removeAllCachedResponses() async {
        configuration.imageCache?.removeAll()
        await configuration.dataCache?.removeAll()
    }
}
