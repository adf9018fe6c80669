public import ImageLoading
public import Observation
public import Raster

/// The model of a view of one image, for any toolkit: takes a request, and supplies the images to draw.
///
/// Each call of `show` starts a new generation; late results of an older one are dropped. An image in memory is
/// available when `show` returns, without the placeholder in between.
///
/// ```swift
/// let model = ImageViewModel()
/// model.placeholder = grey
/// model.show(ImageRequest(url: url))
/// for await _ in model.changes { draw(model.image, model.transition) }
/// ```
@MainActor @Observable
public final class ImageViewModel {
    /// The image, as far as it is loaded.
    private enum Content {
        case nothing
        case waiting
        case preview(ImageContainer)
        case picture(ImageContainer)
        case failed(ImagePipeline.Error)

        init(_ container: ImageContainer?) {
            switch container {
            case .some(let container) where container.isPreview: self = .preview(container)
            case .some(let container): self = .picture(container)
            case .none: self = .nothing
            }
        }
    }

    /// Drawn until something of the image is loaded, and after a failure without a `failureImage`.
    public var placeholder: Image? { didSet { tellReaders() } }
    /// Drawn after a failure; nil for the image's preview if there was one, else the placeholder.
    public var failureImage: Image? { didSet { tellReaders() } }
    /// The duration in seconds over which an image that arrives later fades in; 0 for none.
    public var transitionDuration = 0.25
    /// Whether a new request removes the current image at once, instead of when something of the new one is loaded. The
    /// default is true, so that an image never appears in the wrong place.
    public var clearsOnReuse = true

    /// Changes with each call of `show`, `retry`, `cancel` and `reset` that has an effect.
    public private(set) var generation = 0
    /// The progress of loading bytes.
    public private(set) var progress = ImageTask.Progress()
    /// Whether loading is in progress.
    public private(set) var isLoading = false
    /// The transition to the current image; nil for none, as for images from memory, images set directly, and an image
    /// that replaces its preview.
    public private(set) var transition: ImageTransition?
    /// The current request; nil for none, or for an image set directly.
    public private(set) var request: ImageRequest?

    private var content = Content.nothing
    /// Drawn while there is nothing better: an earlier request's image, or the preview of an image that failed.
    private var kept: ImageContainer?

    @ObservationIgnored private let pipeline: ImagePipeline
    @ObservationIgnored private var task: ImageTask?
    /// Whether `request` hasn't succeeded yet, so that a retry may help.
    @ObservationIgnored private var canRetry = false
    @ObservationIgnored private let readers = ChangeReaders<State>()

    /// A model without an image, which loads by `pipeline`.
    public init(pipeline: ImagePipeline = .shared) { self.pipeline = pipeline }

    deinit { task?.cancel() }
}

extension ImageViewModel {
    /// The state of the current request.
    public var state: State {
        switch content {
        case .nothing: .empty
        case .waiting: kept == nil && placeholder != nil ? .placeholder : .loading
        case .preview(let container): .preview(container)
        case .picture(let container): .showing(container)
        case .failed(let error): .failed(error)
        }
    }

    /// The states, starting with the current one. A slow reader gets only the newest.
    public var changes: AsyncStream<State> { readers.stream(beginningWith: state) }

    /// The image to draw now; nil for none.
    public var image: Image? {
        switch content {
        case .nothing: nil
        case .waiting: kept?.image ?? placeholder
        case .preview(let container), .picture(let container): container.image
        case .failed: failureImage ?? kept?.image ?? placeholder
        }
    }

    /// The current image or preview; an earlier request's until something of the new one is loaded.
    public var container: ImageContainer? {
        switch content {
        case .nothing: nil
        case .waiting, .failed: kept
        case .preview(let container), .picture(let container): container
        }
    }

    /// Shows the image of `request`, immediately if it is in memory, else when it is loaded; nil shows nothing. Cancels
    /// the previous request.
    public func show(_ request: ImageRequest?) {
        guard let request else { return reset() }
        begin(request, keeping: clearsOnReuse ? nil : container)
    }

    /// Shows `image` immediately; nil shows nothing. Cancels the previous request.
    public func show(_ image: Image?) {
        stop()
        request = nil
        progress = ImageTask.Progress()
        set(Content(image.map { ImageContainer(image: $0) }))
    }

    /// Repeats a request that failed or was cancelled; otherwise does nothing.
    public func retry() {
        guard let request, canRetry, !isLoading else { return }
        begin(request, keeping: container)
    }

    /// Stops loading. A preview stays on screen, or else an earlier request's image.
    public func cancel() {
        guard isLoading else { return }
        stop()
        if case .waiting = content { set(Content(kept)) } else { tellReaders() }
    }

    /// Stops loading and shows nothing, as when a view is reused.
    public func reset() { show(Image?.none) }

    private func stop() {
        generation += 1
        task?.cancel()
        task = nil
        isLoading = false
    }

    private func begin(_ request: ImageRequest, keeping earlier: ImageContainer?) {
        stop()
        self.request = request
        canRetry = true
        progress = ImageTask.Progress()
        let task = pipeline.imageTask(with: request)
        if let result = task.currentResult { return finish(result, preview: nil, transition: nil) }
        self.task = task
        isLoading = true
        if let preview = task.currentPreview {
            set(.preview(preview.container))
        } else {
            set(.waiting, keeping: earlier)
        }
        let generation = generation
        Task { [weak self] in
            for await event in task.events { self?.receive(event, of: generation) }
        }
    }

    /// Receives all events, and drops those of older generations.
    private func receive(_ event: ImageTask.Event, of generation: Int) {
        guard generation == self.generation else { return }
        switch event {
        case .progress(let progress): self.progress = progress
        case .preview(let preview): set(.preview(preview.container), transition: arrival)
        case .finished(let result):
            task = nil
            isLoading = false
            finish(result, preview: preview, transition: arrival)
        }
    }

    /// The transition to an image that arrives now; none if it replaces a preview.
    private var arrival: ImageTransition? {
        guard preview == nil, transitionDuration > 0 else { return nil }
        return ImageTransition(from: image, duration: transitionDuration)
    }

    private var preview: ImageContainer? { if case .preview(let container) = content { container } else { nil } }

    private func finish(
        _ result: Result<ImageResponse, ImagePipeline.Error>, preview: ImageContainer?, transition: ImageTransition?
    ) {
        switch result {
        case .success(let response):
            canRetry = false
            set(.picture(response.container), transition: transition)
        case .failure(let error):
            set(.failed(error), keeping: preview, transition: failureImage == nil ? nil : transition)
        }
    }

    private func set(
        _ content: Content, keeping kept: ImageContainer? = nil, transition: ImageTransition? = nil
    ) {
        self.transition = transition
        self.kept = kept
        self.content = content
        tellReaders()
    }

    private func tellReaders() { readers.send(state) }

    /// The state of a view's request.
    public enum State: Sendable {
        /// There is no request, or it was cancelled before anything arrived.
        case empty
        /// The image is loading; the placeholder is drawn.
        case placeholder
        /// The image is loading; the previous one is drawn, or nothing.
        case loading
        /// A preview of the image is drawn.
        case preview(ImageContainer)
        /// The image is drawn.
        case showing(ImageContainer)
        /// The request failed.
        case failed(ImagePipeline.Error)
    }
}

/// The transition from the previous image to the current one.
public struct ImageTransition: Sendable {
    /// The previous image; nil for none.
    public var from: Image?
    /// The duration of the cross-fade in seconds.
    public var duration: Double
}
