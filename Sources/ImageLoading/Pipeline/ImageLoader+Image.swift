internal import ImageEffects
internal import Raster

extension ImageLoader {
    /// The picture that a job is for: from a cache, or made of what a smaller job delivers.
    func makeImage(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        var stages: [ImageTaskMetrics.Stage] = []
        var confirmed: ImageResponse.Source?
        if request.cachePolicy == .revalidate {
            switch try await validate(id, request, key.picture) {
            case .isFresh: break
            case .isUnchanged: confirmed = .revalidated
            case .isMade(let output): return output
            }
        } else if let found = remembered(request, key.picture), !found.isPreview {
            return ImageOutput(container: found, source: .memory)
        }
        if request.cachePolicy != .reload {
            if request.options.contains(.usesLargerCachedImages),
                let output = try await madeSmaller(id, request, key.picture)
            {
                return output
            }
            if configuration.dataCacheOptions.storedItems.contains(.finalImage), let cache = reads(request),
                let processedKey = processedKey(key.picture), graph.isWanted(id),
                var output = try await readProcessed(from: cache, processedKey, id, request, &stages)
            {
                output.source = confirmed ?? output.source
                return keep(output, id, request, key.picture)
            }
        }
        var output = try await make(id, request, key)
        if !stages.isEmpty { output.stages = stages + output.stages }
        if confirmed != nil, output.source == .diskOriginal { output.source = .revalidated }
        return keep(output, id, request, key.picture)
    }

    /// The picture made of what a smaller job delivers: the last processor's work, or the decoder's.
    private func make(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async throws -> ImageOutput {
        guard let processor = request.processors.last else { return try await decodeOriginal(id, request, key) }
        var smaller = request
        smaller.processors.removeLast()
        // The server has been asked.
        if request.cachePolicy == .revalidate { smaller.cachePolicy = .useCache }
        // Effects decode no more of a picture than they need.
        if smaller.processors.isEmpty, processor is any DeferredImageProcessing {
            smaller.options.insert(.skipDecompression)
        }
        let inbox = ImageInbox()
        _ = try load(smaller, jobKey(smaller), for: .image(id, inbox))
        while true {
            switch try await inbox.next() {
            case .partial(let preview):
                // A processor that fails for a preview may do for the picture.
                if let output = try? await process(preview, id, request, processor) { give(output, id, request, key) }
            case .final(let output):
                return try await process(output, id, request, processor)
            }
        }
    }

    /// Gives a preview to those who wait.
    func give(_ preview: ImageOutput, _ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) {
        var preview = preview
        preview.container.isPreview = true
        graph.report(preview, of: id)
        if configuration.isStoringPreviewsInMemoryCache, !request.options.contains(.disableMemoryCacheWrites),
            graph.isWanted(id)
        {
            configuration.imageCache?[key.picture] = preview.container
        }
    }

    /// Does what `processor` does.
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
                    return try processor.process(container, context: context)
                } catch {
                    throw ImagePipeline.Error.processingFailed(processor: processor, context: context, error: error)
                }
            }
        }
        output.container.cacheMetadata = container.cacheMetadata
        return output
    }

    /// Keeps a finished picture where the request says, if it was asked for as it is; the picture, with its pixels there.
    func keep(
        _ output: ImageOutput, _ id: JobID, _ request: ImageRequest, _ key: ImageCacheKey
    ) -> ImageOutput {
        guard graph.isWanted(id) else { return output }
        if !request.options.contains(.disableMemoryCacheWrites) { configuration.imageCache?[key] = output.container }
        storeProcessed(output, request, key)
        if request.cachePolicy == .staleWhileRevalidate { revalidate(request, output.container.cacheMetadata) }
        return output
    }

    /// The picture made of a larger one in memory, where the request allows that and there is one.
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
                !container.isPreview
            else { continue }
            let processor = ImageProcessors.Effects(
                ImageSizing(wanted).chain(for: container.image.size, scale: request.scale),
                options: EffectOptions(units: .pixels))
            let output = ImageOutput(container: container, source: .memory)
            return keep(try await process(output, id, request, processor), id, request, key)
        }
        return nil
    }
}
