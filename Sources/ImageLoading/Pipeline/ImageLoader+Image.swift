internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import Raster

extension ImageLoader {
    /// Makes the image of a job: from a cache, or from the result of a smaller job.
    func makeImage(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        var stages: [ImageTaskMetrics.Stage] = []
        var confirmed: ImageResponse.Source?
        if request.cachePolicy == .revalidate {
            switch try await validate(id, request, key.picture) {
            case .isFresh: break
            case .isUnchanged: confirmed = .revalidated
            case .isMade(let output): return output
            }
        } else if let found = remembered(request, key.picture) {
            guard found.isPreview else { return ImageOutput(container: found, source: .memory) }
            // The tasks that wait for it received it when they started.
            if !graph.isWanted(id) { graph.report(ImageOutput(container: found, source: .memory), of: id) }
        }
        if request.cachePolicy != .reload {
            if request.options.contains(.usesLargerCachedImages),
                let output = try await madeSmaller(id, request, key.picture)
            {
                return output
            }
            if configuration.dataCacheOptions.storedItems.contains(.finalImage), let cache = reads(request),
                let processedKey = processedKey(key.picture),
                var output = try await readProcessed(from: cache, processedKey, id, request, &stages)
            {
                output.source = confirmed ?? output.source
                return keep(output, id, request, key.picture, isOnDisk: true)
            }
        }
        var output = try await make(id, request, key)
        if !stages.isEmpty { output.stages = stages + output.stages }
        if confirmed != nil, output.source == .diskOriginal { output.source = .revalidated }
        return keep(output, id, request, key.picture)
    }

    /// Makes the image from the result of a smaller job, with the last processor or the decoder.
    private func make(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        guard let processor = request.processors.last else { return try await decodeOriginal(id, request, key) }
        var smaller = request
        smaller.processors.removeLast()
        // The server has already been asked.
        if request.cachePolicy == .revalidate { smaller.cachePolicy = .useCache }
        // Effects choose how much of the image to decode.
        if smaller.processors.isEmpty, processor is any DeferredImageProcessing {
            smaller.options.insert(.skipDecompression)
        }
        var inbox = ImageInbox()
        _ = try load(smaller, jobKey(smaller), for: .image(id, inbox))
        while true {
            switch try await inbox.next() {
            case .partial(let preview):
                // A processor may fail for a preview and succeed for the final image.
                if let output = try? await process(preview, id, request, processor) { give(output, id, request, key) }
            case .final(let output):
                do {
                    return try await process(output, id, request, processor)
                } catch let error as ImagePipeline.Error where error.blamesData {
                    // A deferred image is damaged.
                    if output.source == .memory { configuration.imageCache?[jobKey(smaller).picture] = nil }
                    guard try await loadsAgain(after: error, output.source, &smaller) else { throw error }
                    inbox = ImageInbox()
                    _ = try load(smaller, jobKey(smaller), for: .image(id, inbox))
                }
            }
        }
    }

    /// Delivers a preview to the waiting tasks.
    func give(_ preview: ImageOutput, _ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) {
        var preview = preview
        preview.container.isPreview = true
        // Stored before it is reported, so that receivers find it in memory.
        if configuration.isStoringPreviewsInMemoryCache, !request.options.contains(.disableMemoryCacheWrites),
            graph.isWanted(id)
        {
            configuration.imageCache?[key.picture] = preview.container
        }
        graph.report(preview, of: id)
    }

    @inline(never)
    func process(
        _ output: ImageOutput, _ id: JobID, _ request: ImageRequest, _ processor: any ImageProcessing
    ) async throws -> ImageOutput {
        var output = output
        let context = ImageProcessingContext(
            request: request, urlResponse: output.urlResponse, isCompleted: !output.container.isPreview)
        let container = output.container
        output.container = try await graph.perform(.process, for: id, into: &output.stages) {
            try await compute {
                do {
                    var processed = try processor.process(container, context: context)
                    if context.isCompleted { try decompress(&processed, request) }
                    return processed
                } catch {
                    if context.isCompleted { try Self.checkPixels(of: container, context) }
                    throw ImagePipeline.Error.processingFailed(processor: processor, context: context, error: error)
                }
            }
        }
        output.container.cacheMetadata = container.cacheMetadata
        return output
    }

    /// Decodes the pixels if the request wants them decoded. A decoder, or a processor with nothing to do, may have
    /// deferred that.
    func decompress(_ container: inout ImageContainer, _ request: ImageRequest) throws(ImageError) {
        if !request.options.contains(.skipDecompression), !container.image.isDecoded {
            container.image = try container.image.decompressed()
        }
        if container.image.isDecoded { container.deferred = nil }
    }

    /// Checks whether a processor failed because of a damaged deferred image.
    /// - Throws: `decodingFailed` with the partial image, as if it had been decoded before.
    private static func checkPixels(of container: ImageContainer, _ context: ImageProcessingContext) throws {
        guard let deferred = container.deferred else { return }
        do {
            _ = try deferred.decode()
        } catch {
            let context = ImageDecodingContext(
                request: context.request, data: Data(deferred.bytes), urlResponse: context.urlResponse,
                codecs: deferred.codecs)
            throw ImagePipeline.Error.decodingFailed(
                decoder: ImageDecoders.Default(context: context), context: context, error: error)
        }
    }

    /// Stores a finished image in the caches that the request allows, if a task waits for it, and revalidates it.
    func keep(
        _ output: ImageOutput, _ id: JobID, _ request: ImageRequest, _ key: ImageCacheKey, isOnDisk: Bool = false
    ) -> ImageOutput {
        guard graph.isWanted(id) else { return output }
        if !request.options.contains(.disableMemoryCacheWrites) { configuration.imageCache?[key] = output.container }
        if !isOnDisk { storeProcessed(output, request, key) }
        if request.cachePolicy == .staleWhileRevalidate { revalidate(request, output.container.cacheMetadata) }
        return output
    }

    /// Whether the container is a vector drawing that was rasterised at its own size, too small for a larger one.
    private func isDrawnSmall(_ container: ImageContainer) -> Bool {
        guard !container.image.isVector, let format = container.type else { return false }
        return codecs.capabilities(of: format).contains(.vector)
    }

    /// Scales down a larger version in memory, if the request allows it and there is one.
    @inline(never)
    private func madeSmaller(
        _ id: JobID, _ request: ImageRequest, _ key: ImageCacheKey
    ) async throws -> ImageOutput? {
        guard let wanted = request.thumbnail, !request.options.contains(.disableMemoryCacheReads),
            let cache = configuration.imageCache
        else { return nil }
        let larger = cache.keys(in: key.group).filter { $0.differsOnlyInThumbnail(from: key) }
        for candidate in larger.sorted(by: { $0.wantedSize?.width ?? .infinity < $1.wantedSize?.width ?? .infinity }) {
            guard candidate.isLarger(than: wanted, scale: request.scale), let container = cache[candidate],
                !container.isPreview, candidate.wantedSize != nil || !isDrawnSmall(container)
            else { continue }
            let processor = ImageProcessors.Effects(
                try ImageSizing(wanted).chain(
                    for: container.image.size, scale: request.scale, isVector: container.image.isVector),
                options: EffectOptions(units: .pixels, filter: wanted.filter))
            let output = ImageOutput(container: container, source: .memory)
            return keep(try await process(output, id, request, processor), id, request, key)
        }
        return nil
    }

    /// The result of asking the server about a cached image.
    enum Validation {
        /// The cached image can be used without asking, or there is nothing to ask about.
        case isFresh
        /// The server has confirmed the version on disk.
        case isUnchanged
        /// The image to deliver: the confirmed one in memory, or a new version.
        case isMade(ImageOutput)
    }

    /// Revalidates the cached image if it is stale.
    @inline(never)
    func validate(_ id: JobID, _ request: ImageRequest, _ key: ImageCacheKey) async throws -> Validation {
        guard case .url(let url) = request.source, !url.isLocal,
            !request.options.contains(.returnCacheDataDontLoad)
        else { return .isFresh }
        let held = request.options.contains(.disableMemoryCacheReads) ? nil : configuration.imageCache?[key]
        let container = held?.isPreview == true ? nil : held
        var known = container?.cacheMetadata
        if known == nil, !request.options.contains(.disableDiskCacheReads), let cache = configuration.dataCache {
            known = await cache.metadata(for: DataCacheKey(group: key.group))
            if known == nil, let processed = processedKey(key) { known = await cache.metadata(for: processed) }
        }
        guard let known else { return .isFresh }
        guard !known.freshness.isFresh(at: now) else { return .isFresh }
        let inbox = DataInbox()
        _ = try load(request, for: .data(id, inbox, wantsParts: false), validating: known)
        let data = try await inbox.last()
        guard data.isUnchanged else {
            var output: ImageOutput
            do {
                output = try await decode(data, id, request)
            } catch let error as ImagePipeline.Error where error.blamesData {
                var request = request
                _ = try await loadsAgain(after: error, data.source, &request)
                throw error
            }
            forget(key.group)
            for processor in request.processors { output = try await process(output, id, request, processor) }
            return .isMade(keep(output, id, request, key))
        }
        guard var container else { return .isUnchanged }
        if let freshness = data.metadata?.freshness { container.cacheMetadata?.freshness = freshness }
        if !request.options.contains(.disableMemoryCacheWrites) { configuration.imageCache?[key] = container }
        return .isMade(
            ImageOutput(
                container: container, urlResponse: data.response, source: .revalidated, isJoined: data.isJoined,
                stages: data.stages, byteCount: data.byteCount))
    }

    /// Removes all variants of an image from the memory cache.
    func forget(_ group: String) {
        guard let cache = configuration.imageCache else { return }
        for key in cache.keys(in: group) { cache[key] = nil }
    }
}
