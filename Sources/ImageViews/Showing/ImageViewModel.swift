public import ImageLoading
public import Observation
public import Raster

/// What a view of one image draws, whatever its toolkit: a request goes in, and images come out.
///
/// Each call of `show` begins a new generation; what arrives late for an older one is dropped. An image that is in memory
/// is there when `show` returns, and the placeholder isn't drawn in between.
///
/// ```swift
/// let model = ImageViewModel()
/// model.placeholder = grey
/// model.show(ImageRequest(url: url))
/// for await _ in model.changes { draw(model.image, model.transition) }
/// ```
@MainActor @Observable
public final class ImageViewModel {
    /// What is there of the image.
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

    /// Drawn until something of the image is there, and where it fails and there is no `failureImage`.
    public var placeholder: Image? { didSet { tellReaders() } }
    /// Drawn where the image fails; nil for its preview, if one had come, or the placeholder.
    public var failureImage: Image? { didSet { tellReaders() } }
    /// How long an image that didn't come at once fades in, in seconds; 0 for not at all.
    public var transitionDuration = 0.25
    /// Whether asking for another image takes away the one that is drawn, rather than leaving it until there is
    /// something of the new one. True unless set: nobody sees an image in the wrong place.
    public var clearsOnReuse = true

    /// Counts what was asked of the model.
    public private(set) var generation = 0
    /// How far the loading of bytes is.
    public private(set) var progress = ImageTask.Progress()
    /// Whether more is to come.
    public private(set) var isLoading = false
    /// How to go to what is drawn now; nil for at once, as for all that didn't arrive by itself: images in memory,
    /// those that were set, and better ones in the place of a preview.
    public private(set) var transition: ImageTransition?
    /// What is asked for; nil for nothing, or an image that was set.
    public private(set) var request: ImageRequest?

    private var content = Content.nothing
    /// Drawn as long as there is nothing better: what an earlier request left, or the preview of an image that failed.
    private var kept: ImageContainer?

    @ObservationIgnored private let pipeline: ImagePipeline
    @ObservationIgnored private var task: ImageTask?
    /// Whether `request` may bring more than there is: it failed, or was cancelled.
    @ObservationIgnored private var canRetry = false
    @ObservationIgnored private let readers = ChangeReaders<State>()

    /// A model that shows nothing yet, and loads by `pipeline`.
    public init(pipeline: ImagePipeline = .shared) { self.pipeline = pipeline }

    deinit { task?.cancel() }
}

extension ImageViewModel {
    /// What has become of what was asked for.
    public var state: State {
        switch content {
        case .nothing: .empty
        case .waiting: kept == nil && placeholder != nil ? .placeholder : .loading
        case .preview(let container): .preview(container)
        case .picture(let container): .showing(container)
        case .failed(let error): .failed(error)
        }
    }

    /// The state as it changes, the present one first. Who is slow sees the newest.
    public var changes: AsyncStream<State> { readers.stream(beginningWith: state) }

    /// What a view draws now; nil for nothing.
    public var image: Image? {
        switch content {
        case .nothing: nil
        case .waiting: kept?.image ?? placeholder
        case .preview(let container), .picture(let container): container.image
        case .failed: failureImage ?? kept?.image ?? placeholder
        }
    }

    /// The image or preview that there is, of an earlier request while nothing is there of the new one.
    public var container: ImageContainer? {
        switch content {
        case .nothing: nil
        case .waiting, .failed: kept
        case .preview(let container), .picture(let container): container
        }
    }

    /// Shows the image that `request` asks for: at once where it is in memory, else when it has been loaded; nothing for
    /// nil. What was asked for before is cancelled.
    public func show(_ request: ImageRequest?) {
        guard let request else { return reset() }
        begin(request, keeping: clearsOnReuse ? nil : container)
    }

    /// Shows `image`, at once; nothing for nil. What was asked for before is cancelled.
    public func show(_ image: Image?) {
        stop()
        request = nil
        progress = ImageTask.Progress()
        set(Content(image.map { ImageContainer(image: $0) }))
    }

    /// Asks again for an image that failed or was cancelled; nothing else needs it.
    public func retry() {
        guard let request, canRetry, !isLoading else { return }
        begin(request, keeping: container)
    }

    /// Stops loading. What is there of the image stays, and so does what an earlier request left.
    public func cancel() {
        guard isLoading else { return }
        stop()
        if case .waiting = content { set(Content(kept)) } else { tellReaders() }
    }

    /// Stops loading and shows nothing, as a view does that is going to be used again.
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

    /// What a task reports. The one place where anything of an older generation ends.
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

    /// The transition to an image that arrives now; a better one takes a preview's place without.
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

    /// What has become of what a view was asked to show.
    public enum State: Sendable {
        /// Nothing is asked for, or nothing came before it was cancelled.
        case empty
        /// The image is on its way; the placeholder is drawn.
        case placeholder
        /// The image is on its way; what was there before is drawn, or nothing.
        case loading
        /// A preview of the image is drawn.
        case preview(ImageContainer)
        /// The image is drawn.
        case showing(ImageContainer)
        /// There won't be an image unless it is asked for again.
        case failed(ImagePipeline.Error)
    }
}

/// How a view goes from what it drew to what it draws now.
public struct ImageTransition: Sendable {
    /// What it drew before; nil for nothing.
    public var from: Image?
    /// How long the one fades into the other, in seconds.
    public var duration: Double
}
