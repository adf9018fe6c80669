#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension ImageLoader {
    /// Has the bytes of `request` loaded for somebody, together with others who want them.
    /// - Parameter known: What is cached, where no more is wanted than to know whether that has changed.
    func load(
        _ request: ImageRequest, for target: Job.Subscriber.Target, validating known: DataCacheMetadata? = nil
    ) throws -> JobGraph.Subscription {
        let key = dataKey(request, isValidation: known != nil)
        let subscription = graph.subscribe(to: .data(key), target, priority: request.priority) { id in
            do {
                graph.finish(id, withData: .success(try await makeData(id, request, key, known)))
            } catch {
                graph.finish(id, withData: .failure(error))
            }
        }
        guard let subscription else { throw CancellationError() }
        return subscription
    }

    /// The bytes: from the disk cache, or from where they come from.
    private func makeData(
        _ id: JobID, _ request: ImageRequest, _ key: DataJobKey, _ known: DataCacheMetadata?
    ) async throws -> DataOutput {
        var stages: [ImageTaskMetrics.Stage] = []
        let cacheKey = DataCacheKey(group: key.group)
        if !key.isValidation, let cache = reads(request),
            let output = await readOriginal(from: cache, cacheKey, &stages)
        {
            return output
        }
        guard !request.options.contains(.returnCacheDataDontLoad) else {
            throw ImagePipeline.Error.dataMissingInCache
        }
        var output: DataOutput
        switch request.source {
        case .image: throw ImagePipeline.Error.dataIsEmpty
        case .url(let url):
            output = try await graph.perform(.data, for: id, into: &stages) {
                try await fetch(DataRequest(url: url, headers: request.headers), id, known)
            }
        case .data(let make):
            output = try await graph.perform(.data, for: id, into: &stages) { try await made(make) }
        }
        output.stages = stages
        if let cache = writes(request) { await store(output, of: request, in: cache, cacheKey) }
        return output
    }

    /// The bytes that `make` returns.
    @inline(never)
    private func made(_ make: @Sendable () async throws -> Data) async throws -> DataOutput {
        do {
            let data = try await make()
            return DataOutput(data: data, source: .local, metadata: metadata(of: nil), byteCount: data.count)
        } catch {
            throw Task.isCancelled ? .cancelled : ImagePipeline.Error.dataLoadingFailed(error)
        }
    }

    /// The bytes that `request` asks for, from where they are.
    @inline(never)
    func fetch(
        _ request: DataRequest, _ id: JobID, _ known: DataCacheMetadata?
    ) async throws -> DataOutput {
        let feed = DataFeed()
        var response: DataResponse?
        var received = 0
        do {
            try await fetcher.fetch(request, conditionalOn: known) { event in
                var hasMore = false
                switch event {
                case .response(let new):
                    response = new
                    feed.setResponse(new)
                case .data(let piece):
                    feed.append(piece)
                    received += piece.count
                    hasMore = true
                case .restart:
                    feed.restart()
                    received = 0
                }
                graph.report(
                    ImageTask.Progress(completedByteCount: received, totalByteCount: response?.expectedByteCount),
                    hasMore ? feed : nil, of: id)
            }
        } catch {
            throw ImagePipeline.Error(error)
        }
        if let response, response.statusCode == 304 {
            return DataOutput(
                data: Data(), response: response, source: .revalidated,
                metadata: known?.confirmed(by: response, receivedAt: now), isUnchanged: true)
        }
        let isLocal = request.url.isLocal
        return DataOutput(
            data: feed.prefix().data, response: response, source: isLocal ? .local : .network,
            // Of what is at hand nothing is kept elsewhere.
            metadata: isLocal ? nil : metadata(of: response),
            byteCount: received, held: HeldBytes(received, in: graph))
    }
}
