#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImagePipeline {
    /// The request's bytes as they arrive, for a picture too large for memory: no more of them are held than the reader
    /// has asked for, but the first 64 MiB for the disk cache, where what is shorter is kept as usual.
    ///
    /// Bytes that are being loaded for somebody else are shared. A stream waits for its reader, so no two share one, nor
    /// does it stand in line. Ending the iteration, or cancelling its task, ends the loading.
    /// - Throws: What keeps the loading from beginning; what interrupts it is thrown to the reader.
    public func bytes(for request: ImageRequest) async throws(Error) -> DataChunks {
        var stages: [ImageTaskMetrics.Stage] = []
        let key = DataCacheKey(group: loader.group(request))
        if let cache = loader.reads(request), let output = await loader.readOriginal(from: cache, key, &stages) {
            return DataChunks(output.data)
        }
        guard !request.options.contains(.returnCacheDataDontLoad) else { throw .dataMissingInCache }
        let inbox = DataInbox()
        let joined = loader.graph.subscribe(
            to: .data(loader.dataKey(request)), .bytes(inbox), priority: request.priority)
        if let joined { return DataChunks(JoinedBytes(inbox: inbox, graph: loader.graph, subscription: joined)) }
        do {
            switch request.source {
            case .url(let url) where url.isLocal:
                return try await loader.configuration.dataLoader.load(DataRequest(url: url)).body
            case .url, .data: return DataChunks(StreamedBytes(loader: loader, request: request, key: key))
            case .image: throw Error.dataIsEmpty
            }
        } catch {
            throw Error(error)
        }
    }

    /// The bytes at `url` as they arrive.
    public func bytes(for url: URL) async throws(Error) -> DataChunks { try await bytes(for: ImageRequest(url: url)) }
}
