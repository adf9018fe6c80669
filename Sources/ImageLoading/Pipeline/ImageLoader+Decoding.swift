#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Raster

extension ImageLoader {
    /// The picture as its decoder makes it, with previews on the way.
    func decodeOriginal(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        switch request.source {
        case .image(let make): return try await made(make, id)
        case .url(let url) where url.isLocal: return try await decodeLocal(url, id, request)
        case .url, .data: return try await decodeDownload(id, request, key)
        }
    }

    /// The picture in a file or a data URL.
    @inline(never)
    private func decodeLocal(_ url: URL, _ id: JobID, _ request: ImageRequest) async throws -> ImageOutput {
        // In line for decoding before anything is read, so that no more files are in memory than are decoded.
        var stages: [ImageTaskMetrics.Stage] = []
        let (data, container) = try await graph.perform(.decode, for: id, into: &stages) {
            let data = try await fetch(DataRequest(url: url), id, nil)
            return (data, try await picture(of: data, request))
        }
        return ImageOutput(
            container: container, urlResponse: data.response, source: .local, stages: stages, byteCount: data.byteCount)
    }

    /// The picture in bytes that another job gets.
    ///
    /// As many jobs may wait here as there are pictures asked for. What is done before and after the waiting isn't inlined,
    /// here and in what leads here, since all of them would have room for its variables while they wait.
    @inline(never)
    private func decodeDownload(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        let inbox = DataInbox()
        _ = try load(request, for: .data(id, inbox, wantsParts: key.isProgressive))
        var session = PartialDecoding()
        while true {
            switch try await inbox.next() {
            case .partial(let feed):
                if let preview = try await decodePart(feed, &session, id, request) { give(preview, id, request, key) }
            case .final(let data):
                let output = try await decode(data, id, request, decoder: session.decoder)
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

    /// The decoder of one download, from the first bytes that one was found for.
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
                    request: request, data: data, isCompleted: false, urlResponse: response)
                // Bytes of another version are for another decoder.
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

    /// The picture of bytes that are all there.
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

    @inline(never)
    private func picture(
        of data: DataOutput, _ request: ImageRequest, decoder: (any ImageDecoding)? = nil
    ) async throws -> ImageContainer {
        guard !data.data.isEmpty else { throw ImagePipeline.Error.dataIsEmpty }
        return try await compute {
            let context = ImageDecodingContext(request: request, data: data.data, urlResponse: data.response)
            guard let decoder = decoder ?? configuration.makeImageDecoder(context) else {
                throw ImagePipeline.Error.decoderNotRegistered(context)
            }
            do {
                var container = try decoder.decode(data.data)
                if !request.options.contains(.skipDecompression), !container.image.isDecoded {
                    container.image = try container.image.decompressed()
                }
                container.isPreview = false
                container.cacheMetadata = data.metadata
                return container
            } catch {
                throw ImagePipeline.Error.decodingFailed(decoder: decoder, context: context, error: error)
            }
        }
    }

    @inline(never)
    private func made(
        _ make: @Sendable () async throws -> ImageContainer, _ id: JobID
    ) async throws -> ImageOutput {
        var stages: [ImageTaskMetrics.Stage] = []
        let container = try await graph.perform(.data, for: id, into: &stages) {
            do {
                return try await make()
            } catch {
                throw Task.isCancelled ? .cancelled : ImagePipeline.Error.dataLoadingFailed(error)
            }
        }
        return ImageOutput(container: container, source: .local, stages: stages)
    }
}
