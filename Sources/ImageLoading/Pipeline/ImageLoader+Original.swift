internal import Essentials
internal import ImageFormats
internal import Raster

extension ImageLoader {
    /// Decodes the original image, with previews on the way.
    func decodeOriginal(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        switch request.source {
        case .image(let make): return try await made(by: make, id)
        case .url(let url) where url.isLocal: return try await decodeLocal(url, id, request)
        case .url, .data: return try await decodeDownload(id, request, key)
        }
    }

    /// Decodes the image in a file or a data URL.
    ///
    /// Waits for its turn to decode before it reads, so that no more files are in memory than are being decoded.
    @inline(never)
    private func decodeLocal(_ url: URL, _ id: JobID, _ request: ImageRequest) async throws -> ImageOutput {
        var stages: [ImageTaskMetrics.Stage] = []
        var output = try await graph.perform(.decode, for: id, into: &stages) {
            var failure: (any Error)?
            if let file = try await file(at: url) {
                do {
                    if let output = try await decodeFile(file, url, id, request) { return output }
                } catch  where ImageError(reasonOf: error)?.code != .inputOutput {
                    // Reported together with the bytes, below.
                    failure = error
                } catch {
                    // A read error: reading the bytes below reports it.
                }
            }
            let data = try await fetch(DataRequest(url: url), id, nil)
            return ImageOutput(
                container: try await picture(of: data, request, failure: failure), urlResponse: data.response,
                source: .local, byteCount: data.byteCount)
        }
        output.stages = stages
        return output
    }

    /// Opens the file at `url`, if the standard loader and decoders handle it and it is within the size limit.
    private func file(at url: URL) async throws -> Source? {
        guard url.isFileURL, configuration.usesOwnDecodersOnly,
            configuration.dataLoader is LocalDataLoader
                || (configuration.dataLoader as? DataLoader)?.readsFiles ?? false,
            let source = try await LocalDataLoader.open(url), let byteCount = source.byteCount,
            byteCount <= configuration.dataFetching.maximumByteCount ?? .max
        else { return nil }
        return source
    }

    /// Decodes a file while it is read, without holding all its bytes in memory; nil if they are needed at once.
    private func decodeFile(
        _ file: Source, _ url: URL, _ id: JobID, _ request: ImageRequest
    ) async throws -> ImageOutput? {
        let container = try await compute {
            var container = try PictureDecoding(request, codecs).decode(file)
            if container != nil { try decompress(&container!, request) }
            return container
        }
        guard let container else { return nil }
        let byteCount = file.length
        graph.report(ImageTask.Progress(completedByteCount: byteCount, totalByteCount: byteCount), nil, of: id)
        return ImageOutput(
            container: container, urlResponse: DataResponse(url: url, expectedByteCount: byteCount), source: .local,
            byteCount: byteCount)
    }

    /// Decodes the bytes that another job loads.
    ///
    /// Thousands of jobs may wait here. The code before and after the wait isn't inlined, here and in the callers, so
    /// that waiting jobs hold no space for its variables.
    @inline(never)
    private func decodeDownload(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        var request = request
        var inbox = DataInbox()
        _ = try load(request, for: .data(id, inbox, wantsParts: key.isProgressive))
        var session = PartialDecoding()
        while true {
            switch try await inbox.next() {
            case .partial(let feed):
                if let preview = try await decodePart(feed, &session, id, request) { give(preview, id, request, key) }
            case .final(let data):
                let output: ImageOutput
                do {
                    output = try await decode(data, id, request, decoder: session.decoder)
                } catch let error as ImagePipeline.Error where error.blamesData {
                    guard try await loadsAgain(after: error, data.source, &request) else { throw error }
                    (inbox, session) = (DataInbox(), PartialDecoding())
                    _ = try load(request, for: .data(id, inbox, wantsParts: key.isProgressive))
                    continue
                }
                if data.source == .network, request.thumbnail == nil, let cache = writes(request),
                    !configuration.dataCacheOptions.storedItems.contains(.originalImageData), graph.isWanted(id)
                {
                    await store(
                        data, of: request, in: cache, DataCacheKey(group: key.picture.group), isFinalImage: true)
                }
                return output
            }
        }
    }

    /// The decoder of one download, found with its first bytes.
    private struct PartialDecoding {
        var decoder: (any ImageDecoding)?
        var restartCount = 0
        var stages: [ImageTaskMetrics.Stage] = []
    }

    @inline(never)
    private func decodePart(
        _ feed: DataFeed, _ session: inout PartialDecoding, _ id: JobID, _ request: ImageRequest
    ) async throws -> ImageOutput? {
        let known = session
        let result = try await graph.perform(.decode, for: id, into: &session.stages) {
            try await compute {
                let (data, response, restartCount) = feed.prefix()
                let context = ImageDecodingContext(
                    request: request, data: data, isCompleted: false, urlResponse: response,
                    codecs: codecs)
                // Bytes of a different version need a new decoder.
                let old = known.restartCount == restartCount ? known.decoder : nil
                let decoder = old ?? configuration.makeImageDecoder(context)
                return (decoder, restartCount, decoder?.decodePartiallyDownloadedData(data), response, data.count)
            }
        }
        session.decoder = result.0
        session.restartCount = result.1
        return result.2.map {
            ImageOutput(
                container: $0, urlResponse: result.3, source: .network, stages: session.stages, byteCount: result.4)
        }
    }

    @inline(never)
    func decode(
        _ data: DataOutput, _ id: JobID, _ request: ImageRequest, decoder: (any ImageDecoding)? = nil
    ) async throws -> ImageOutput {
        var stages = data.stages
        let container = try await graph.perform(.decode, for: id, into: &stages) {
            try await picture(of: data, request, decoder: decoder)
        }
        return ImageOutput(
            container: container, urlResponse: data.response, source: data.source, isJoined: data.isJoined,
            stages: stages, byteCount: data.byteCount)
    }

    /// Decodes complete bytes.
    /// - Parameter failure: The error of Tessera's decoder, if it has already failed.
    @inline(never)
    func picture(
        of data: DataOutput, _ request: ImageRequest, decoder: (any ImageDecoding)? = nil,
        failure: (any Error)? = nil
    ) async throws -> ImageContainer {
        guard !data.data.isEmpty else { throw ImagePipeline.Error.dataIsEmpty }
        return try await compute {
            let context = ImageDecodingContext(
                request: request, data: data.data, urlResponse: data.response,
                codecs: codecs)
            guard let decoder = decoder ?? configuration.makeImageDecoder(context) else {
                throw ImagePipeline.Error.decoderNotRegistered(context)
            }
            do {
                if let failure, decoder is ImageDecoders.Default { throw failure }
                var container = try decoder.decode(data.data)
                try decompress(&container, request)
                container.isPreview = false
                container.cacheMetadata = data.metadata
                return container
            } catch {
                throw ImagePipeline.Error.decodingFailed(decoder: decoder, context: context, error: error)
            }
        }
    }

    /// Returns the image from the request's closure.
    @inline(never)
    private func made(
        by make: @Sendable () async throws -> ImageContainer, _ id: JobID
    ) async throws -> ImageOutput {
        var stages: [ImageTaskMetrics.Stage] = []
        let container = try await graph.perform(.data, for: id, into: &stages) { try await result(of: make) }
        return ImageOutput(container: container, source: .local, stages: stages)
    }
}

// MARK: Bytes

extension ImageLoader {
    /// Loads the bytes of `request` for a subscriber, sharing the work with others.
    /// - Parameter known: The metadata of the cached bytes, to only check whether they have changed.
    func load(
        _ request: ImageRequest, for target: Job.Subscriber.Target, validating known: DataCacheMetadata? = nil
    ) throws -> JobGraph.Subscription {
        let key = dataKey(request, isValidation: known != nil)
        let subscription = try graph.subscribe(to: .data(key), target, priority: request.priority) { id in
            do {
                graph.finish(id, withData: .success(try await makeData(id, request, key, known)))
            } catch {
                graph.finish(id, withData: .failure(error))
            }
        }
        guard let subscription else { throw CancellationError() }
        return subscription
    }

    /// Returns the bytes from the disk cache or from their source.
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
            output = try await graph.perform(.data, for: id, into: &stages) { try await made(by: make) }
        }
        output.stages = stages
        if let cache = writes(request) { await store(output, of: request, in: cache, cacheKey) }
        return output
    }

    /// Returns the bytes from the request's closure.
    @inline(never)
    private func made(by make: @Sendable () async throws -> Data) async throws -> DataOutput {
        let data = try await result(of: make)
        if let limit = configuration.dataFetching.maximumByteCount, data.count > limit {
            throw ImagePipeline.Error.dataExceedsMaximumByteCount(limit)
        }
        return DataOutput(data: data, source: .local, metadata: metadata(of: nil), byteCount: data.count)
    }

    /// Calls the request's closure, and converts its errors to those of the pipeline.
    @inline(never)
    private func result<Value: Sendable>(of make: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await make()
        } catch ImagePipeline.Error.circularRequest {
            throw ImagePipeline.Error.circularRequest
        } catch DataLoadingError.tooLarge(let limit) {
            throw ImagePipeline.Error.dataExceedsMaximumByteCount(limit)
        } catch {
            throw Task.isCancelled ? .cancelled : ImagePipeline.Error.dataLoadingFailed(error)
        }
    }

    /// Fetches the bytes of `request` from their source.
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
            // Local data isn't stored in the disk cache.
            metadata: isLocal ? nil : metadata(of: response),
            byteCount: received, undecoded: UndecodedBytes(received, in: graph))
    }
}
