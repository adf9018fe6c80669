internal import Essentials
internal import ImageEffects
internal import ImageLoading
internal import Raster

extension EffectImageView {
    /// Applies pending changes now. Reading a result does the same.
    public func updateIfNeeded() {
        guard needsUpdate else { return }
        needsUpdate = false
        update()
    }

    /// Schedules one update in the next turn of the main loop.
    func setNeedsUpdate() {
        guard source != nil, !isReplaced else { return }
        number = queue.nextNumber()
        needsUpdate = true
        guard !isUpdateScheduled else { return }
        isUpdateScheduled = true
        Task { [weak self] in
            self?.isUpdateScheduled = false
            self?.updateIfNeeded()
        }
    }

    /// Sets the source of the image. The same file or URL isn't read again, unless it failed or is refreshed.
    func setSource(_ newSource: EffectSource?, refreshes: Bool = false) {
        let isSame = newSource.map { $0.name(in: pipeline) } == source.map { $0.name(in: pipeline) }
        if isSame, newSource != nil, !refreshes, !isReplaced, failure == nil { return }
        stop()
        source = newSource
        shownKey = nil
        failure = nil
        isReplaced = false
        isNewSource = true
        isOriginalOutdated = false
        self.refreshes = refreshes
        guard let newSource else {
            needsUpdate = false
            original = nil
            return show(nil, key: nil, transition: nil)
        }
        if case .image(let image) = newSource {
            original = image
        } else if !isSame || refreshes {
            original = nil
        }
        setNeedsUpdate()
    }

    /// Cancels everything in progress.
    func stop() {
        generation += 1
        loading?.cancel()
        loading = nil
        stopProcessing()
    }

    private func stopProcessing() {
        if let processing { queue.cancel(processing) }
        processing = nil
    }

    /// Shows `image`, which is in the cache under `key` unless it was set directly.
    func show(_ image: Image?, key: ImageCacheKey?, transition: ImageTransition?) {
        self.transition = transition
        failure = nil
        shownKey = key
        isProcessed = key != nil
        shown = image
    }

    /// Removes an earlier source's image; one that was set directly stays.
    private func removeEarlierPicture() {
        if isProcessed { show(nil, key: nil, transition: nil) }
    }

    private var chain: EffectChain {
        ViewEffects(
            width: size.width, height: size.height, contentMode: contentMode, custom: customEffects,
            cornerRadius: cornerRadius,
            shadow: Effects.Shadow(
                color: shadowColor, x: shadowOffset.width, y: shadowOffset.height, blur: shadowBlur),
            reflection: Effects.Reflection(scale: reflectionScale, gap: reflectionGap, alpha: reflectionAlpha)
        ).chain
    }

    private func update() {
        guard let source, !isReplaced else { return }
        let name = cacheKey.map { "key \($0)" } ?? source.name(in: pipeline)
        if refreshes { cache.remove(name) }
        let work = work(on: name)
        let clears = isNewSource && clearsOnReuse
        isNewSource = false
        if let work, !refreshes {
            if work.key == shownKey { return stopProcessing() }
            if let found = cache[work.key] { return show(found, of: source, key: work.key) }
        }
        if clears { removeEarlierPicture() }
        if asynchronous { begin(work, on: source) } else { finish(work, on: source) }
    }

    /// The work for an image that the cache knows as `name`; nil while the view has no size.
    private func work(on name: String) -> EffectWork? {
        guard !size.isEmpty else { return nil }
        let chain = chain
        return EffectWork(
            chain: chain, scale: scale,
            key: ImageCacheKey(group: name, scale: scale, processors: [chain.identity]), cache: cache,
            refreshes: refreshes)
    }

    /// Shows a cached result immediately.
    private func show(_ found: ProcessedImage, of source: EffectSource, key: ImageCacheKey) {
        stop()
        if original == nil, case .url(let url) = source {
            original = found.original ?? pipeline.cachedResponse(for: url)?.image
        } else {
            keepOriginal(found.original)
        }
        show(found.image, key: key, transition: nil)
    }

    /// The original, unless it must be read again.
    private var currentOriginal: Image? { isOriginalOutdated ? nil : original }

    /// Stores `image` as the original if there is none or it is outdated.
    private func keepOriginal(_ image: Image?) {
        guard let image, currentOriginal == nil else { return }
        original = image
        isOriginalOutdated = false
    }

    /// Does all work on the calling thread.
    private func finish(_ work: EffectWork?, on source: EffectSource) {
        stop()
        do throws(ImageError) {
            let image: Image
            switch (source, currentOriginal) {
            case (.image(let picture), _): image = picture
            case (_, let picture?): image = picture
            case (.file(let path), _): image = try EffectSource.picture(inFile: path, scale: scale)
            case (.url(let url), _):
                image = try EffectSource.picture(EffectSource.request(url, isReloaded: refreshes), by: pipeline)
            }
            refreshes = false
            keepOriginal(image)
            guard let work else { return }
            show(try work.run(on: source.material(image)).image, key: work.key, transition: nil)
        } catch {
            fail(error)
        }
    }

    /// Starts the work in the background; an image from a URL is processed once it is loaded.
    private func begin(_ work: EffectWork?, on source: EffectSource) {
        switch (source, currentOriginal) {
        case (.url(let url), nil): load(url)
        case (.file(let path), nil): process(.file(path), work)
        case (.image(let image), _), (_, let image?): process(source.material(image), work)
        }
    }

    private func load(_ url: URL) {
        guard loading == nil else { return }
        stopProcessing()
        let task = pipeline.imageTask(with: EffectSource.request(url, isReloaded: refreshes))
        loading = task
        let generation = generation
        if let result = task.currentResult { return receive(.loaded(result), of: generation) }
        Task { [weak self] in
            let result: Result<ImageResponse, ImagePipeline.Error>
            do throws(ImagePipeline.Error) {
                result = .success(try await task.response)
            } catch {
                result = .failure(error)
            }
            self?.receive(.loaded(result), of: generation)
        }
    }

    private func process(_ material: EffectWork.Material, _ work: EffectWork?) {
        guard let work else { return stopProcessing() }
        guard refreshes || processing?.key != work.key else { return }
        stopProcessing()
        generation += 1
        let generation = generation
        let joins = !refreshes
        refreshes = false
        processing = queue.submit(work.key, number: number, joins: joins) {
            do throws(ImageError) {
                return .success(try work.run(on: material))
            } catch {
                return .failure(error)
            }
        } receiver: { [weak self] outcome in
            Task { @MainActor [weak self] in self?.receive(.processed(outcome, work.key), of: generation) }
        }
    }

    /// A result from the background.
    private enum Arrival {
        case loaded(Result<ImageResponse, ImagePipeline.Error>)
        case processed(EffectQueue.Outcome, ImageCacheKey)
    }

    /// Receives all results from the background, and drops those of older generations.
    private func receive(_ arrival: Arrival, of generation: Int) {
        // A pending change may make this result outdated.
        updateIfNeeded()
        guard generation == self.generation else { return }
        do throws(ImageError) {
            switch arrival {
            case .loaded(let result):
                loading = nil
                original = try EffectSource.picture(from: result)
                update()
            case .processed(let outcome, let key):
                processing = nil
                let picture = try outcome.get()
                keepOriginal(picture.original)
                let crossfades = crossfadeDuration > 0
                show(
                    picture.image, key: key,
                    transition: crossfades ? ImageTransition(from: shown, duration: crossfadeDuration) : nil)
            }
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: ImageError) {
        // An earlier image would suggest that this one had loaded.
        removeEarlierPicture()
        failure = error
    }
}
