#if GTK
internal import ImageViews
internal import ImageViewsGTK
internal import Observation
internal import Platform
internal import Tessera

/// An image of the list, as far as it is opened: its content for the stage, and its properties.
@MainActor @Observable
final class ViewerPage {
    let item: ViewerItem
    let content = ZoomablePage()
    /// The file's header; nil until it is opened.
    private(set) var header: ImageHeader?
    /// The image's tiles; nil for animations.
    private(set) var tiles: TiledImage?
    /// The time until the image could be shown.
    private(set) var openingTime: Duration?
    private(set) var playback: Playback?
    /// The effects of the image that is drawn.
    private(set) var effects = EffectSettings()
    /// Whether the animation was started automatically, which happens only once.
    @ObservationIgnored var hasStarted = false

    @ObservationIgnored private var task: Task<Void, Never>?
    /// The task that loads the frames of an animation that is already playing.
    @ObservationIgnored private var arrival: ImageTask?
    @ObservationIgnored private var effectTask: Task<Void, Never>?
    @ObservationIgnored private var isShown = true
    /// Whether decoding the image needs much memory, as determined when it was opened.
    @ObservationIgnored private var isHeavy = false

    /// The file's last change when it was opened; nil if it wasn't opened or is no file.
    @ObservationIgnored private var fileTime: FileTime?

    /// The largest number of pixels of a neighbouring image that is decoded as a whole.
    private static let besidePixelCount = 32_000_000

    init(_ item: ViewerItem) { self.item = item }

    deinit {
        task?.cancel()
        arrival?.cancel()
        effectTask?.cancel()
    }

    /// Whether the file has changed since it was opened.
    var isOutdated: Bool { task != nil && fileTime != item.modificationTime }

    var isLoading: Bool { content.picture == nil && content.message == nil }

    /// Opens the image, unless that has begun. Neighbours that need much memory aren't decoded.
    func open(isShown: Bool) {
        self.isShown = isShown
        if isHeavy, !isShown, content.picture?.isArriving ?? true { return close() }
        guard task == nil else { return }
        let (item, start) = (item, ContinuousClock.now)
        fileTime = item.modificationTime
        task = Task { [weak self] in
            do {
                let opened = try await OpenedPicture(item)
                guard !Task.isCancelled else { return }
                self?.receive(opened, start)
            } catch is CancellationError {
            } catch {
                // A page that was closed in the meantime may be open again.
                if !Task.isCancelled { self?.content.message = "\(item.name): \(error)" }
            }
        }
    }

    func reload() {
        close()
        isHeavy = false
        open(isShown: isShown)
    }

    func close() {
        task?.cancel()
        task = nil
        arrival?.cancel()
        arrival = nil
        effectTask?.cancel()
        playback?.pause()
        playback = nil
        (content.picture, content.player, content.replacement, content.message) = (nil, nil, nil, nil)
        (header, tiles, openingTime) = (nil, nil, nil)
        effects = EffectSettings()
        hasStarted = false
    }

    private func receive(_ opened: OpenedPicture, _ start: ContinuousClock.Instant) {
        if case .still(let picture) = opened {
            isHeavy = picture.access == .decoded && picture.size.pixelCount > Self.besidePixelCount
            if isHeavy, !isShown { return close() }
        }
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
        case .animation(let container, let animation, let rest):
            arrival = rest
            header = container.header ?? animation.header
            content.picture = ZoomableImage(container.image)
            let player = AnimationPlayer(animation)
            content.player = player
            playback = Playback(player)
        }
    }

    // MARK: Effects

    /// Draws the image with effects, or the original if there are none.
    func apply(_ settings: EffectSettings, failed: @escaping @MainActor (String) -> Void) {
        guard settings != effects, let tiles else { return }
        effects = settings
        effectTask?.cancel()
        guard !settings.isEmpty else {
            if let picture = content.picture { place(picture) }
            content.replacement = nil
            return
        }
        effectTask = Task { [weak self] in
            // Waits for a moving slider to rest.
            try? await Task.sleep(for: .milliseconds(60))
            guard !Task.isCancelled else { return }
            do {
                let shown = try await Self.picture(tiles, settings)
                guard !Task.isCancelled, let self else { return }
                place(shown)
                // The previous image stays until the new one is ready.
                await shown.settleVisible()
                guard !Task.isCancelled else { return }
                place(shown)
                content.replacement = shown
            } catch {
                if !Task.isCancelled { failed("\(error)") }
            }
        }
    }

    /// The image with effects: by tiles, or scaled to a screen if the effects aren't local.
    private static func picture(_ tiles: TiledImage, _ settings: EffectSettings) async throws -> ZoomableImage {
        guard settings.isLocal else { return ZoomableImage(try await settings.preview(of: tiles)) }
        return ZoomableImage(
            tiles, makingTiles: { (address) throws(ImageError) in try await settings.tile(address, of: tiles) })
    }

    /// Gives an image the zoom of the current one, or at least its view and rotation if their sizes differ.
    private func place(_ picture: ZoomableImage) {
        guard let zoom = content.shown?.zoom, picture !== content.shown else { return }
        if zoom.pictureSize == picture.zoom.pictureSize {
            picture.zoom = zoom
        } else {
            (picture.zoom.viewSize, picture.zoom.scaleFactor) = (zoom.viewSize, zoom.scaleFactor)
            picture.zoom.rotate(by: zoom.rotation - picture.zoom.rotation)
        }
    }
}
#endif
