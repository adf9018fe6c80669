#if GTK
internal import ImageViews
internal import ImageViewsGTK
internal import Observation
internal import Tessera

/// One picture of the list, as far as it is opened: what the stage draws of it, and what is known of it.
@MainActor @Observable
final class ViewerPage {
    let item: ViewerItem
    /// What the stage draws.
    let content = ZoomablePage()
    /// What the file says; nil before it is opened.
    private(set) var header: ImageHeader?
    /// The picture's tiles; nil for animations.
    private(set) var tiles: TiledImage?
    /// How long it took until the picture could be shown.
    private(set) var openingTime: Duration?
    private(set) var playback: Playback?
    /// The effects in the picture that is drawn.
    private(set) var effects = EffectSettings()
    /// Whether the animation was played, so that it isn't again when it was paused.
    @ObservationIgnored var hasStarted = false

    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var effectTask: Task<Void, Never>?

    init(_ item: ViewerItem) { self.item = item }

    deinit {
        task?.cancel()
        effectTask?.cancel()
    }

    var isLoading: Bool { content.picture == nil && content.message == nil }

    /// Opens the picture, unless that has begun.
    func open() {
        guard task == nil else { return }
        let (item, start) = (item, ContinuousClock.now)
        task = Task { [weak self] in
            do {
                let opened = try await OpenedPicture(item)
                self?.receive(opened, start)
            } catch is CancellationError {
            } catch {
                self?.content.message = "\(item.name): \(error)"
            }
        }
    }

    /// Opens the picture anew.
    func reload() {
        close()
        open()
    }

    /// Lets go of the picture.
    func close() {
        task?.cancel()
        task = nil
        effectTask?.cancel()
        playback?.pause()
        playback = nil
        (content.picture, content.player, content.replacement, content.message) = (nil, nil, nil, nil)
        (header, tiles, openingTime) = (nil, nil, nil)
        effects = EffectSettings()
        hasStarted = false
    }

    private func receive(_ opened: OpenedPicture, _ start: ContinuousClock.Instant) {
        openingTime = .now - start
        switch opened {
        case .still(let picture):
            header = picture.header
            tiles = picture
            content.picture = ZoomableImage(picture)
        case .vector(let picture, let drawing):
            header = picture.header
            tiles = picture
            content.picture = ZoomableImage(vector: drawing)
        case .animation(let container, let animation):
            header = container.header ?? animation.header
            content.picture = ZoomableImage(container.image)
            let player = AnimationPlayer(animation)
            content.player = player
            playback = Playback(player)
        }
    }

    // MARK: Effects

    /// Draws the picture with effects, as large as a screen needs; without, when there are none.
    func apply(_ settings: EffectSettings, failed: @escaping @MainActor (String) -> Void) {
        guard settings != effects, let tiles else { return }
        effects = settings
        effectTask?.cancel()
        guard !settings.isEmpty else {
            content.replacement = nil
            return
        }
        effectTask = Task { [weak self] in
            // A slider on its way is waited for.
            try? await Task.sleep(for: .milliseconds(60))
            guard !Task.isCancelled else { return }
            do {
                let image = try await settings.preview(of: tiles)
                guard !Task.isCancelled, let self else { return }
                let shown = ZoomableImage(image)
                if let zoom = content.shown?.zoom {
                    (shown.zoom.viewSize, shown.zoom.scaleFactor) = (zoom.viewSize, zoom.scaleFactor)
                    shown.zoom.rotate(by: zoom.rotation)
                }
                content.replacement = shown
            } catch {
                if !Task.isCancelled { failed("\(error)") }
            }
        }
    }
}
#endif
