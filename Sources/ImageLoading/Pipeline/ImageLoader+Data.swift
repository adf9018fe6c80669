#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension ImageLoader {
    /// Has the bytes of `request` loaded for the job `consumer`, together with others who want them.
    func subscribe(
        _ consumer: JobID, toDataOf request: ImageRequest, wantsParts: Bool
    ) throws -> Inbox<DataEvent> {
        let inbox = Inbox<DataEvent>()
        let key = dataKey(request)
        let subscription = graph.subscribe(
            to: .data(key), priority: graph.priority(of: consumer),
            .data(consumer, inbox, wantsParts: wantsParts)
        ) { id in
            await run(id, request, key, conditionalOn: nil)
        }
        guard subscription != nil else { throw CancellationError() }
        return inbox
    }

    /// Loads bytes for a job, and ends it.
    func run(_ id: JobID, _ request: ImageRequest, _ key: DataJobKey, conditionalOn known: DataCacheMetadata?) async {
        do {
            graph.finish(id, withData: .success(try await load(id, request, key, known)))
        } catch {
            graph.finish(id, withData: .failure(error))
        }
    }

    /// The bytes: from the disk cache, or from where they come from.
    private func load(
        _ id: JobID, _ request: ImageRequest, _ key: DataJobKey, _ known: DataCacheMetadata?
    ) async throws -> DataOutput {
        var stages: [ImageTaskMetrics.Stage] = []
        let cacheKey = DataCacheKey(group: key.group)
        if !key.isValidation, let output = await readOriginal(request, cacheKey, &stages) { return output }
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
            output = try await graph.perform(.data, for: id, into: &stages) {
                do {
                    let data = try await make()
                    return DataOutput(
                        data: data, source: .local,
                        metadata: DataCacheMetadata(freshness: CacheFreshness(validatedAt: now, lifetime: 0)),
                        byteCount: data.count)
                } catch {
                    throw Task.isCancelled ? .cancelled : ImagePipeline.Error.dataLoadingFailed(error)
                }
            }
        }
        output.stages = stages
        await store(output, request, cacheKey)
        return output
    }

    /// The bytes that `request` asks for, from where they are.
    func fetch(
        _ request: DataRequest, _ id: JobID, _ known: DataCacheMetadata?
    ) async throws -> DataOutput {
        let feed = DataFeed()
        var response: DataResponse?
        var received = 0
        do {
            try await fetcher.fetch(request, conditionalOn: known) { event in
                switch event {
                case .response(let new):
                    response = new
                    feed.setResponse(new)
                case .data(let piece):
                    feed.append(piece)
                    received += piece.count
                    graph.report(feed, of: id)
                case .restart:
                    feed.restart()
                    received = 0
                }
                graph.report(
                    ImageTask.Progress(completedByteCount: received, totalByteCount: response?.expectedByteCount),
                    of: id)
            }
        } catch {
            throw ImagePipeline.Error(loading: error)
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
            metadata: isLocal ? nil : response.map { DataCacheMetadata(response: $0, receivedAt: now) },
            byteCount: received, held: HeldBytes(received, in: graph))
    }
}

extension URL {
    /// Whether this is a file, or has its bytes in itself.
    var isLocal: Bool { scheme.map { ["file", "data"].contains($0.lowercased()) } ?? false }
}

extension ImagePipeline.Error {
    /// What loading reported.
    init(loading error: any Swift.Error) {
        switch error {
        case let error as ImagePipeline.Error: self = error
        case is CancellationError: self = .cancelled
        default: self = Task.isCancelled ? .cancelled : .dataLoadingFailed(error)
        }
    }
}
